"""What a run would take: requests, tokens, price and time, from earlier answers or by stated rules."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.costs import Cost, Usage, total_cost
from counterpoint.core.errors import CounterpointError
from counterpoint.core.groups import Query, State
from counterpoint.core.ports import FeatureModel, Model, Pictures, PricedModel, RemoteModel
from counterpoint.core.quantities import counted
from counterpoint.engine.model_profile import ModelProfile
from counterpoint.engine.plan import plan_queries, supported_rows, trial_numbers, unanswered_rows
from counterpoint.engine.progress import format_duration
from counterpoint.lab.picture_locations import find_worlds
from counterpoint.lab.results import LabResult
from counterpoint.lab.run_executors import load_model
from counterpoint.lab.running import RunRequest, load_queries
from counterpoint.models.endpoint.picture_encoding import DEFAULT_SIDE
from counterpoint.models.prompts import Prompt
from counterpoint.store.groups import read_queries
from counterpoint.store.lab import LabStore

CHARACTERS, PIXELS, REPLY = 4, 750, 16
"""By rule, the characters and the pixels of one token, and the tokens of a reply: a short answer without reasoning."""
RULE = f"by rule: a token is {CHARACTERS} characters of text or {PIXELS} pixels, a reply has {REPLY} tokens"
SAMPLE, PICTURES = 500, 20
"""The queries and the pictures to which the rules are applied, evenly spaced."""


@dataclass(frozen=True, slots=True, repr=False)
class RunEstimate(LabResult[dict[str, Any]]):
    """What a run would ask, and what that would take; None where it cannot be told before."""

    model: str
    queries: int  # that would be asked
    cached: int
    beyond: int  # that the model does not support
    is_remote: bool  # each query is a request to a server
    cost: Cost
    seconds: float | None
    basis: str  # from which tokens and seconds follow

    @classmethod
    def total(cls, parts: Sequence["RunEstimate"]) -> "RunEstimate":
        """The estimates of one model on different suites together."""
        last = parts[-1]
        known = [part.seconds for part in parts if part.seconds is not None]
        return replace(
            last,
            queries=sum(part.queries for part in parts),
            cached=sum(part.cached for part in parts),
            beyond=sum(part.beyond for part in parts),
            cost=total_cost(part.cost for part in parts),
            seconds=sum(known) if len(known) == len(parts) else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        counts = {"queries": self.queries, "cached": self.cached, "beyond": self.beyond}
        requests = {"requests": self.queries if self.is_remote else None}
        return (
            {"model": self.model}
            | counts
            | requests
            | self.cost.to_dict()
            | {"seconds": self.seconds, "basis": self.basis}
        )

    def notes(self) -> list[str]:
        """The sentences that a terminal shows."""
        cached = f"; {counted(self.cached, verb='were')} answered before" if self.cached else ""
        lines = [f"{self.model}: {counted(self.queries, 'query')} would be asked{cached}"]
        if self.beyond:
            lines.append(f"  not asked: {counted(self.beyond, 'query')} that this model cannot do")
        if not self.queries:
            return lines
        requests = [counted(self.queries, "request")] if self.is_remote else []
        tokens = [str(self.cost)] if self.cost else []
        time = [format_duration(self.seconds)] if self.seconds is not None else []
        if amounts := requests + tokens + time:
            lines.append(f"  about {', '.join(amounts)}")
        lines.append(f"  {self.basis}" if self.basis else "  its time is not known before its first answers")
        return lines


@dataclass(frozen=True, slots=True)
class _Means:
    """The mean tokens and seconds of answers, and what they were measured on."""

    tokens_in: float | None = None
    tokens_out: float | None = None
    seconds: float | None = None
    basis: str = ""


def estimate_run(store: LabStore, request: RunRequest, *, answered: LabStore | None = None) -> RunEstimate:
    """How many requests, tokens and seconds a run would take; no model is asked.

    Earlier answers are those of the lab `answered`, where it is not the one that has the suites.
    """
    answered = answered or store
    _, table = load_queries(store, request)
    pictures = store.pictures(find_worlds(store, table))
    with load_model(request, pictures) as (model, _):
        plan = plan_queries(store.with_digests(table, pictures), trial_numbers(request.trials))
        supported = supported_rows(plan, ModelProfile.of(model), edits=isinstance(model, FeatureModel))
        missing, fingerprints = supported, (model.fingerprint, *getattr(model, "former_fingerprints", ()))
        for fingerprint in fingerprints:
            missing = unanswered_rows(missing, partial(answered.missing_answers, fingerprint))
        means = _means(answered, request, fingerprints)
        if means.tokens_in is None and isinstance(model, RemoteModel):
            means = _by_rule(_sample(missing), pictures, means)
        return RunEstimate(
            model=request.name or request.model,
            queries=missing.num_rows,
            cached=supported.num_rows - missing.num_rows,
            beyond=plan.num_rows - supported.num_rows,
            is_remote=isinstance(model, RemoteModel),
            cost=_cost(model, missing.num_rows, means),
            seconds=None if means.seconds is None else missing.num_rows * means.seconds,
            basis=means.basis,
        )


def _cost(model: Model, queries: int, means: _Means) -> Cost:
    if means.tokens_in is None or means.tokens_out is None:
        return Cost()
    usage = Usage(round(queries * means.tokens_in), round(queries * means.tokens_out))
    return Cost(queries, usage, model.prices if isinstance(model, PricedModel) else None)


def _means(store: LabStore, request: RunRequest, fingerprints: Sequence[str]) -> _Means:
    """The means over earlier answers of this version of the model, else over those of its latest version."""
    name = request.name or request.model
    others = [version.fingerprint for version in reversed(store.versions()) if version.name == name]
    for fingerprint in dict.fromkeys([*fingerprints, *others]):
        answers = store.read_answers(fingerprint, ["state", "seconds", "tokens_in", "tokens_out"])
        answers = answers.filter(pc.not_equal(answers["state"], State.FAILED.value))
        if answers.num_rows:
            version = "this model" if fingerprint in fingerprints else "another version of this model"
            basis = f"by the means of {counted(answers.num_rows, 'earlier answer')} of {version}"
            means = {name: pc.mean(answers[name]).as_py() or None for name in ("tokens_in", "tokens_out", "seconds")}
            return _Means(**means, basis=basis)
    return _Means()


def _sample(rows: pa.Table) -> list[Query]:
    places = np.unique(np.linspace(0, rows.num_rows - 1, min(SAMPLE, rows.num_rows), dtype=np.int64))
    return read_queries(rows.take(pa.array(places)))


def _by_rule(queries: Sequence[Query], pictures: Pictures, means: _Means) -> _Means:
    """The tokens of queries by rule; their seconds stay as measured."""
    if not queries:
        return means
    prompt = Prompt()
    text = sum(len(prompt.text(query)) for query in queries) / CHARACTERS
    shown = [query.picture for query in queries if query.picture]
    distinct, sizes = list(dict.fromkeys(shown)), []
    for picture in distinct[:: 1 + (len(distinct) - 1) // PICTURES]:
        try:
            sizes.append(_pixels_sent(pictures.pixels(picture).shape))
        except CounterpointError:  # told by the run itself
            continue
    picture_tokens = len(shown) * float(np.mean(sizes)) / PIXELS if sizes else 0.0
    time = f"time {means.basis}" if means.basis else "a run with --limit 5 measures tokens and time"
    basis = f"tokens {RULE}; {time}"
    return _Means((text + picture_tokens) / len(queries), REPLY, means.seconds, basis)


def _pixels_sent(shape: Sequence[int]) -> float:
    """The pixels of a picture of some height and width after it was scaled down to the longest side that is sent."""
    height, width = shape[:2]
    return height * width * min(1.0, DEFAULT_SIDE / max(height, width)) ** 2

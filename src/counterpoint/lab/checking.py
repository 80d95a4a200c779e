"""Checks of a suite: which groups are valid, why others are not, and the suite that is left."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa

from counterpoint import catalog
from counterpoint.checks.check import ORDER, Action, Check, CheckContext, ModelFunction, default_action
from counterpoint.checks.model_checks import caption_shares
from counterpoint.checks.pipeline import CheckResult, CheckStep, CheckSummary, DroppedGroup, apply_checks
from counterpoint.checks.text_pairs import TextPairs, group_numbers
from counterpoint.core.errors import CounterpointError, PictureError, UnknownName
from counterpoint.core.groups import Mode, Query
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Scorer
from counterpoint.core.quantities import counted
from counterpoint.lab.results import LabResult, to_plain
from counterpoint.lab.suite_probe import SuiteProbe, probe_tables, propose_balance, suite_probe
from counterpoint.models.settings import parse_settings
from counterpoint.reports.tables import ResultTable
from counterpoint.store.lab import LabStore
from counterpoint.store.outputs import write_whole
from counterpoint.store.suites import Manifest, StoredSuite

NGRAM, TRIGRAM = "ngram", "trigram"
"""The language model of the captions of a suite, and one of general English: one filters, the other is held out."""
PLAUSIBILITY = "plausibility"
PLAUSIBLE_FAR = 0.6
"""The share above which a held-out language model tells captions from foils."""
PROBE = "probe"
"""The check that `balance` adds: text does not give the answers of a test away."""
RULES = "rules"
"""The name for lexical rules in the place of an entailment model."""


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Which checks are applied to a suite, and what becomes of the groups that are left."""

    suite: str
    checks: tuple[str, ...] = ()  # in their order; by default those of VALSE for each instrument
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by check and setting, as text
    seed: int = 0
    name: str = ""  # stores the groups that are left as a suite of this name
    replace: bool = False
    out: Path | None = None  # a file for the rejected groups, as JSON lines
    by_test: bool = False  # show the counts of each test
    balance: bool = False  # reject the groups that text gives away, until the probe calls no test answerable


@dataclass(frozen=True, slots=True)
class HeldOutShares:
    """How often a language model that filtered nothing finds the caption the more plausible text, by test."""

    model: str
    shares: Mapping[str, float]

    def notes(self) -> list[str]:
        """One line for each test, with a label where captions are told from foils by how plausible they are."""
        label = f"; above {PLAUSIBLE_FAR:.0%}: captions are still told by a language model"
        return [
            f"held out, {self.model} in {test}: caption more usual {share:.3f}{label if share > PLAUSIBLE_FAR else ''}"
            for test, share in self.shares.items()
        ]


@dataclass(frozen=True, slots=True, repr=False)
class SuiteValidity(LabResult[Mapping[str, Any]], rows="rejected"):
    """What each check did, the groups that are left, and those that were rejected."""

    suite: str
    groups: int  # that are left
    checks: tuple[CheckSummary, ...]
    rejected: tuple[Mapping[str, Any], ...]  # each with check, reason, test, picture, proof and texts
    stored_as: str = ""
    by_test: bool = False
    probed: SuiteProbe | None = None  # of the groups before they were checked
    held_out: HeldOutShares | None = None  # of the groups that are left, after a check of plausibility

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        checks = [check.record | {"seconds": check.seconds} for check in self.checks]
        probed = [asdict(own) | {"verdict": own.verdict.value} for own in self.probed.findings] if self.probed else []
        label = self.probed.label if self.probed else ""
        checked = {"suite": self.suite, "groups": self.groups, "stored_as": self.stored_as, "checks": checks}
        return checked | {"label": label, "probe": to_plain(probed), "held_out": to_plain(self.held_out)}

    def tables(self) -> list[ResultTable]:
        """One row per check in their order, below it one for each reason and, where it is wanted, for each test.

        What the probe found follows, unless the suite was balanced by it: then the accuracy before and after is noted.
        """
        rows: list[tuple[str, ...]] = []
        for check in self.checks:
            title = f"{check.check}, by {check.model}" if check.model else check.check
            counts = (sum(check.dropped.values()), sum(check.marked.values()))
            rows.append((title, "", *_counts(check.seen, check.kept, *counts), f"{check.seconds:.1f}"))
            for reason in dict.fromkeys([*check.dropped, *check.marked]):
                hits = (check.dropped.get(reason, 0), check.marked.get(reason, 0))
                rows.append(("", reason, "", "", *_counts(*hits), ""))
            for test, row in check.tests.items() if self.by_test else ():
                counts_in_test = (row["seen"], row["seen"] - row["dropped"], row["dropped"], row["marked"])
                rows.append(("", f"in {test}", *_counts(*counts_in_test), ""))
        heads = ("check", "reason", "seen", "kept", "dropped", "marked", "seconds")
        table = ResultTable(f"Groups of {self.suite}, in the order of the checks", heads, rows, names=2)
        return [table, *(probe_tables(self.probed.findings) if self.probed and not self._is_balanced else [])]

    def notes(self) -> list[str]:
        """What the checks measured in each test, and how many groups are left."""
        measured = [
            f"{check.check} in {test}: {', '.join(f'{name} {_number(value)}' for name, value in numbers.items())}"
            for check in self.checks
            for test, numbers in check.notes.items()
        ]
        probed = self.probed.notes(self.suite) if self.probed and not self._is_balanced else []
        measured += self.held_out.notes() if self.held_out else []
        left = counted(self.groups, "group", "are" if self.stored_as else "")
        end = f"stored as {self.stored_as}" if self.stored_as else "would be left; --name NAME stores them"
        return [*measured, *probed, f"{left} {end}"]

    @property
    def _is_balanced(self) -> bool:
        return any(check.check == PROBE for check in self.checks)


def check_suite(lab: LabStore, request: CheckRequest) -> SuiteValidity:
    """Apply checks to a suite; each keeps a group, drops it with a reason, or marks it."""
    stored = lab.opened().suite(request.suite)
    result = apply_checks(stored.table, check_steps(request, stored.table))
    if request.balance:
        result = _balance(result, request.seed)
    rejected = tuple(_rejected_groups(stored.table, result))
    if request.out is not None:
        lines = (f"{json.dumps(group, ensure_ascii=False)}\n" for group in rejected)
        write_whole(request.out, "".join(lines))
    if request.name:
        store_checked(lab, stored, result, request.name, replace=request.replace)
    left = int((result.table["role"].to_numpy() == 0).sum())
    probed, held_out = suite_probe(lab, stored, request.seed), _held_out(result)
    summaries = tuple(result.summaries)
    return SuiteValidity(request.suite, left, summaries, rejected, request.name, request.by_test, probed, held_out)


def _held_out(result: CheckResult) -> HeldOutShares | None:
    """What another language model than the one of the check of plausibility says of the groups that are left."""
    filtered_by = [summary.model for summary in result.summaries if summary.check == PLAUSIBILITY]
    if not filtered_by or not result.table.num_rows:
        return None
    name = next(name for name in (NGRAM, TRIGRAM) if name not in filtered_by)
    try:
        model = language_model(name, {}, result.table)
    except CounterpointError:  # the trigram needs a package
        return None
    pairs = TextPairs.of(result.table, group_numbers(result.table))
    return HeldOutShares(name, caption_shares(pairs, CheckContext({}, model=model)))


def _balance(result: CheckResult, seed: int) -> CheckResult:
    """The result without the groups that the probe would have rejected, as one more check."""
    start = perf_counter()
    table = result.table
    proposal = propose_balance(table, seed)
    group = group_numbers(table)
    kept = ~np.isin(group, list(proposal.rejected))
    lost = {dropped.group for dropped in result.dropped}
    left = [number for number in range(int(result.group.max(initial=-1)) + 1) if number not in lost]
    dropped = [DroppedGroup(left[own], PROBE, reason) for own, reason in sorted(proposal.rejected.items())]
    tests = np.asarray(table["test"].to_pylist(), object)[np.unique(group, return_index=True)[1]]
    of_test = {test: np.flatnonzero(tests == test).tolist() for test in sorted(set(tests.tolist()))}
    summary = CheckSummary(
        check=PROBE,
        settings={},
        model="",
        seed=seed,
        seen=len(tests),
        kept=len(tests) - len(dropped),
        dropped=dict(Counter(proposal.rejected.values()).most_common()),
        marked={},
        tests={
            test: {"seen": len(own), "dropped": len(proposal.rejected.keys() & {*own}), "marked": 0}
            for test, own in of_test.items()
        },
        notes={
            before.test: {"accuracy": before.value, "after": after.value, "chance": after.chance}
            for before, after in zip(proposal.before, proposal.after, strict=True)
        },
        seconds=perf_counter() - start,
    )
    return CheckResult(
        table.filter(pa.array(kept)), [*result.summaries, summary], [*result.dropped, *dropped], result.group
    )


def check_steps(request: CheckRequest, table: pa.Table) -> list[CheckStep]:
    """The steps of a request: the checks that are named, or the defaults; their models are loaded here."""
    chosen = request.checks or ORDER
    for name in request.settings:
        if name not in chosen:
            raise UnknownName("check among those applied", name, chosen)
    return [step for name in chosen if (step := _step(name, request, table))]


def _step(name: str, request: CheckRequest, table: pa.Table) -> CheckStep | None:
    check, given = catalog.resolve("checks", name), request.settings.get(name, {})
    if not isinstance(check, Check):
        raise CounterpointError(f"{name} is no check", hint="a check is a value of counterpoint.checks.check:Check")
    texts = {key: text for key, text in given.items() if key not in ("action", "model", "args")}
    settings: dict[str, Any] = {**check.settings, **{key: check.setting(key, text) for key, text in texts.items()}}
    if (chosen := given.get("action", "")) and chosen not in list(Action):
        raise UnknownName(f"action of the check {check.name}", chosen, list(Action))

    def action(test: str) -> Action:
        return Action(chosen) if chosen else Action.DROP if request.checks else default_action(check.name, test)

    if all(action(test) is Action.OFF for test in table["test"].unique().to_pylist()):
        return None
    if not check.model_kind and ("model" in given or "args" in given):
        raise CounterpointError(f"{check.name} asks no model", hint=f"its settings are {', '.join(check.settings)}")
    model = given.get("model") or check.model
    ask = load_model_function(check.model_kind, model, parse_settings(given.get("args", "")), table)
    return CheckStep(check, CheckContext(settings, request.seed, ask), action, model)


def load_model_function(kind: str, name: str, args: Mapping[str, str], table: pa.Table) -> ModelFunction | None:
    """The model of a check as a function; None where it needs none, or lexical rules replace it."""
    if not kind or name == RULES:
        return None
    from counterpoint.models.text import judges

    if kind == "grammar":
        return judges.grammar_scorer(name, args)
    return judges.entailment_model(name, args) if kind == "entailment" else language_model(name, args, table)


def language_model(
    name: str, args: Mapping[str, str], table: pa.Table
) -> Callable[[Sequence[str], Sequence[str]], Floats]:
    """A text-only scorer of the catalog, as a function of texts and the addresses of their pictures.

    The model ngram, where it is given no captions, is cross-fitted on those of the table: the captions of a picture are
    scored by a model that was trained on those of other pictures.
    """
    guard = PictureGuard()
    if name == NGRAM and not args.get("captions"):
        from counterpoint.studies import blind_baselines as blind  # imports scoring

        model: object = blind.fit_cross_validated(blind.NGramTraining(blind.captions_of(table)))
    else:
        model = catalog.model(name, guard, args)
    if not isinstance(model, Scorer):
        raise CounterpointError(f"{name} does not score texts", hint="name one that does, such as trigram or hf/gpt2")

    def score(texts: Sequence[str], pictures: Sequence[str]) -> Floats:
        pairs = zip(texts, pictures, strict=True)
        scores = model.score([Query(Picture(place) if place else None, text, Mode.SCORE) for text, place in pairs])
        if guard.was_read:
            hint = "plausibility is judged by a text-only model, such as trigram or hf/gpt2"
            raise CounterpointError(f"{name} looks at pictures", hint=hint)
        return scores

    return score


class PictureGuard:
    """Pictures that refuse to be read, and note the attempt: a plausibility model must be text-only."""

    def __init__(self) -> None:
        self.was_read = False

    def pixels(self, picture: Picture) -> Any:
        """Note the attempt, and raise."""
        self.was_read = True
        raise PictureError(f"{picture.address} is hidden from text-only models")


def store_checked(lab: LabStore, stored: StoredSuite, result: CheckResult, name: str, *, replace: bool) -> Manifest:
    """Put the groups that are left into the lab under a name; the manifest records each check in order."""
    before = stored.manifest
    if not result.table.num_rows:
        hint = "leave --name out to see what each check did"
        raise CounterpointError(f"no group of {before.suite} is left", hint=hint)
    column = pa.array([name], pa.string()).take(pa.array([0] * result.table.num_rows))
    place = result.table.column_names.index("suite")
    table = result.table.set_column(place, result.table.schema.field("suite"), column).combine_chunks()
    manifest = Manifest.of(
        table,
        generator=before.generator,
        seed=before.seed,
        version=before.next_version if name == before.suite else before.version,
        parameters={
            **before.parameters,
            "checked": {"suite": before.suite, "version": before.version, "fingerprint": before.fingerprint},
            "checks": [*before.parameters.get("checks", []), *(summary.record for summary in result.summaries)],
        },
        source=before.source,
        rules=before.rules,
    )
    lab.put_suite(manifest, table, replace=replace)
    return manifest


def _rejected_groups(table: pa.Table, result: CheckResult) -> Iterator[dict[str, Any]]:
    """Every group that was dropped, with the check and the reason."""
    rows: dict[int, list[int]] = {loss.group: [] for loss in result.dropped}
    for row, group in enumerate(result.group.tolist()):
        if group in rows:
            rows[group].append(row)
    columns = table.select(["group_id", "test", "kind", "role", "picture", "text", "proof"]).to_pydict()
    for loss in result.dropped:
        members = sorted(rows[loss.group], key=lambda row: columns["role"][row])
        base = members[0]
        yield {
            "group": hex_id(columns["group_id"][base]),
            "check": loss.check,
            "reason": loss.reason,
            **{name: columns[name][base] for name in ("test", "kind", "picture", "proof")},
            "texts": [columns["text"][row] for row in members],
        }


def _counts(*numbers: int) -> tuple[str, ...]:
    return tuple(f"{number:,}" if number else "–" for number in numbers)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else "–" if value != value else f"{value:.3f}"

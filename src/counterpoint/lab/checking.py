"""Checks by name with their settings and models, and the suite that is left of another."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click
import pyarrow as pa

from counterpoint import catalog
from counterpoint.checks.check import Action, Check, CheckContext, ModelFunction
from counterpoint.checks.defaults import ORDER, default_action
from counterpoint.checks.pipeline import CheckResult, CheckStep
from counterpoint.core.errors import CounterpointError, PictureError, UnknownName
from counterpoint.core.groups import Mode, Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Scorer
from counterpoint.models.settings import parse_settings
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest, StoredSuite

OWN = "ngram"
"""The language model that comes with the package."""
RULES = "rules"
"""The name for lexical rules in the place of a model of inference."""
Typed = Mapping[str, Mapping[str, str]]


def settings_given(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Settings by check and name, as in grammar.threshold=.8."""
    found: dict[str, dict[str, str]] = {}
    for one in given:
        name, sign, value = one.partition("=")
        check, dot, setting = name.strip().rpartition(".")
        if not (sign and dot and check and setting):
            raise click.BadParameter(f"{one} is no CHECK.SETTING=VALUE, such as grammar.threshold=.8")
        found.setdefault(check, {})[setting] = value.strip()
    return found


def steps_for(names: Sequence[str], typed: Typed, seed: int, table: pa.Table) -> list[CheckStep]:
    """The steps of a command: the checks that are named, or what is usual; models are loaded where they are asked."""
    chosen = names or ORDER
    for name in typed:
        if name not in chosen:
            raise UnknownName("check among those applied", name, chosen)
    return [step for name in chosen if (step := _step(name, bool(names), typed.get(name, {}), seed, table))]


def _step(name: str, named: bool, typed: Mapping[str, str], seed: int, table: pa.Table) -> CheckStep | None:
    check = catalog.find("checks", name)
    if not isinstance(check, Check):
        raise CounterpointError(f"{name} is no check", hint="a check is a value of counterpoint.checks.check:Check")
    own = {key: text for key, text in typed.items() if key not in ("action", "model", "args")}
    settings: dict[str, Any] = {**check.settings, **{key: check.setting(key, text) for key, text in own.items()}}
    action = _action(check, named, typed.get("action", ""))
    if all(action(test) is Action.OFF for test in table["test"].unique().to_pylist()):
        return None
    if not check.model_kind and ("model" in typed or "args" in typed):
        raise CounterpointError(f"{check.name} asks no model", hint=f"its settings are {', '.join(check.settings)}")
    model = typed.get("model") or check.model
    ask = asked(check.model_kind, model, parse_settings(typed.get("args", "")), table)
    return CheckStep(check, CheckContext(settings, seed, ask), action, model)


def _action(check: Check, named: bool, typed: str) -> Callable[[str], Action]:
    if typed:
        if typed not in list(Action):
            raise UnknownName(f"action of the check {check.name}", typed, list(Action))
        return lambda test: Action(typed)
    return (lambda test: Action.DROP) if named else (lambda test: default_action(check.name, test))


def asked(kind: str, name: str, args: Mapping[str, str], table: pa.Table) -> ModelFunction | None:
    """The model that a check asks, as a function; nothing where it asks none, or rules stand in."""
    if not kind or name == RULES:
        return None
    from counterpoint.models.text import judges

    if kind == "grammar":
        return judges.grammar_scorer(name, args)
    return judges.entailment_model(name, args) if kind == "entailment" else language(name, args, table)


def language(name: str, args: Mapping[str, str], table: pa.Table) -> Callable[[Sequence[str], Sequence[str]], Floats]:
    """A model of the catalog that scores texts without looking: from texts and the addresses of their pictures.

    The model ngram, where it is given no captions, learns from those of the table, in folds: the captions of a picture
    are scored by one that was told those of other pictures only.
    """
    shut = Shut()
    if name == OWN and not args.get("captions"):
        from counterpoint.studies.blind_baselines import (  # which brings scoring along
            Learning,
            captions_of,
            cross_fitted,
        )

        model: object = cross_fitted(Learning(captions_of(table)))
    else:
        model = catalog.model(name, shut, args)
    if not isinstance(model, Scorer):
        raise CounterpointError(f"{name} does not score texts", hint="name one that does, such as trigram or hf/gpt2")

    def scored(texts: Sequence[str], pictures: Sequence[str]) -> Floats:
        both = zip(texts, pictures, strict=True)
        found = model.score([Query(Picture(place) if place else None, text, Mode.SCORE) for text, place in both])
        if shut.asked:
            hint = "how usual a text is, is judged by one that does not, such as trigram or hf/gpt2"
            raise CounterpointError(f"{name} looks at pictures", hint=hint)
        return found

    return scored


class Shut:
    """Pictures that nobody may look at, and whether somebody tried."""

    def __init__(self) -> None:
        self.asked = False

    def pixels(self, picture: Picture) -> Any:
        """Refuse: a model that judges how usual a text is must not see what it is about."""
        self.asked = True
        raise PictureError(f"{picture.address} is not to be looked at")


def kept_as(lab: LabStore, stored: StoredSuite, found: CheckResult, name: str, *, replace: bool) -> Manifest:
    """Put what is left into the lab under a name; its manifest has the checks in their order and what each did."""
    before = stored.manifest
    if not found.table.num_rows:
        raise CounterpointError(
            f"no group of {before.suite} is left", hint="look at what each check did, without --out"
        )
    column = pa.array([name], pa.string()).take(pa.array([0] * found.table.num_rows))
    place = found.table.column_names.index("suite")
    table = found.table.set_column(place, found.table.schema.field("suite"), column).combine_chunks()
    made = Manifest.of(
        table,
        generator=before.generator,
        seed=before.seed,
        version=_next(before.version) if name == before.suite else before.version,
        parameters={
            **before.parameters,
            "checked": {"suite": before.suite, "version": before.version, "fingerprint": before.fingerprint},
            "checks": [*before.parameters.get("checks", []), *(summary.record for summary in found.summaries)],
        },
        source=before.source,
        rules=before.rules,
    )
    lab.put_suite(made, table, replace=replace)
    return made


def _next(version: str) -> str:
    return str(int(version) + 1) if version.isdecimal() else f"{version}+checked"

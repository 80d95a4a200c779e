"""Checks by name with their settings and models, and the suite that is left of another."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click
import pyarrow as pa

from counterpoint import catalog
from counterpoint.checks.applying import Checked, Step
from counterpoint.checks.check import Action, Ask, Check, Given
from counterpoint.checks.usual import ORDER, usual
from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.core.groups import Mode, Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Scorer
from counterpoint.store.lab import Lab
from counterpoint.store.suites import Manifest, StoredSuite

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


def steps_for(names: Sequence[str], typed: Typed, seed: int, tests: Iterable[str]) -> list[Step]:
    """The steps of a command: the checks that are named, or what is usual; models are loaded where they are asked."""
    chosen = names or ORDER
    for name in typed:
        if name not in chosen:
            raise UnknownName("check among those applied", name, chosen)
    tests = list(tests)
    return [step for name in chosen if (step := _step(name, bool(names), typed.get(name, {}), seed, tests))]


def _step(name: str, named: bool, typed: Mapping[str, str], seed: int, tests: Sequence[str]) -> Step | None:
    check = catalog.find("checks", name)
    if not isinstance(check, Check):
        raise CounterpointError(f"{name} is no check", hint="a check is a value of counterpoint.checks.check:Check")
    own = {key: text for key, text in typed.items() if key not in ("action", "model")}
    settings: dict[str, Any] = {**check.settings, **{key: check.setting(key, text) for key, text in own.items()}}
    action = _action(check, named, typed.get("action", ""))
    if all(action(test) is Action.OFF for test in tests):
        return None
    if "model" in typed and not check.asks:
        raise CounterpointError(f"{check.name} asks no model", hint=f"its settings are {', '.join(check.settings)}")
    model = typed.get("model") or check.model
    return Step(check, Given(settings, seed, asked(check.asks, model)), action, model)


def _action(check: Check, named: bool, typed: str) -> Callable[[str], Action]:
    if typed:
        if typed not in list(Action):
            raise UnknownName(f"action of the check {check.name}", typed, list(Action))
        return lambda test: Action(typed)
    return (lambda test: Action.DROP) if named else (lambda test: usual(check.name, test))


def asked(kind: str, name: str) -> Ask | None:
    """The model that a check asks, as a function; nothing where it asks none, or rules stand in."""
    if not kind or name == RULES:
        return None
    from counterpoint.models import judges

    if kind == "grammar":
        return judges.grammar(name)
    return judges.inference(name) if kind == "entailment" else language(name)


def language(name: str) -> Callable[[Sequence[str], Sequence[str]], Floats]:
    """A model of the catalog that scores texts without looking: from texts and the addresses of their pictures."""
    model = catalog.model(name, Blank())
    if not isinstance(model, Scorer):
        raise CounterpointError(f"{name} does not score texts", hint="name one that does, such as trigram or hf/gpt2")

    def scored(texts: Sequence[str], pictures: Sequence[str]) -> Floats:
        both = zip(texts, pictures, strict=True)
        return model.score([Query(Picture(place) if place else None, text, Mode.SCORE) for text, place in both])

    return scored


class Blank:
    """Pictures that nobody may look at."""

    def pixels(self, picture: Picture) -> Any:
        """Refuse: a model that judges how usual a text is must not see what it is about."""
        raise CounterpointError("this model looks at pictures", hint="plausibility is judged by one that does not")


def kept_as(lab: Lab, stored: StoredSuite, found: Checked, name: str, *, replace: bool) -> Manifest:
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
            "checks": [*before.parameters.get("checks", []), *(effect.record for effect in found.effects)],
        },
        source=before.source,
        rules=before.rules,
    )
    lab.put_suite(made, table, replace=replace)
    return made


def _next(version: str) -> str:
    return str(int(version) + 1) if version.isdecimal() else f"{version}+checked"

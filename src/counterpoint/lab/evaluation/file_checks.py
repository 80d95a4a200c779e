"""What an evaluation file names is looked up when it is read, before anything is made or asked."""

import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.lab.evaluation.settings import (
    EvaluationSettings,
    GateSettings,
    ModelSettings,
    PredictionSettings,
    SuiteSettings,
)
from counterpoint.lab.evaluation.toml_lines import KeyPath
from counterpoint.lab.gating import rule_metric
from counterpoint.lab.generation import OWN_GROUPS, PAPER, suite_names
from counterpoint.lab.tracking import parse_tracker
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.metrics.gates import GateRule

SettingCheck: TypeAlias = Callable[[], object]
"""Raises a CounterpointError where something is wrong."""
_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)\}")


def settings_checks(settings: EvaluationSettings) -> Iterator[tuple[KeyPath, SettingCheck]]:
    """Every check with the place that it is about."""
    for number, suite in enumerate(settings.suites):
        yield from ((("suites", number, key), check) for key, check in _suite_checks(suite))
    for number, model in enumerate(settings.models):
        for keys, check in _model_checks(model):
            place: KeyPath = ("models", number, *keys)
            yield place, check
    yield from _title_checks(settings)
    yield from _reference_checks(settings)
    for number, name in enumerate(settings.metrics):
        yield ("metrics", number), partial(catalog.resolve_metric, name)
    for number, gate in enumerate(settings.gates):
        for position, rule in enumerate(gate.rules):
            yield ("gates", number, "rules", position), partial(_check_rule, rule, settings.suites)
    for key in settings.outputs:
        yield ("outputs", key), partial(_look_up, "output", key, catalog.rows("outputs"))
    for number, tracker in enumerate(settings.trackers):
        yield ("trackers", number), partial(parse_tracker, tracker)


def key_variable(model: ModelSettings) -> str:
    """The variable that holds the key of a model's server; an error where it is none, or not set."""
    variable = _VARIABLE.fullmatch(model.api_key)
    if variable is None:
        hint = 'put it into a variable of the environment, and write api-key = "${ITS_NAME}"'
        raise CounterpointError("a key does not stand in a file", hint=hint)
    if not os.environ.get(variable[1], "").strip():
        raise CounterpointError(f"the variable {variable[1]} is not set", hint=f"export {variable[1]}=…")
    return variable[1]


def _look_up(what: str, name: str, known: Collection[str]) -> None:
    if name not in known:
        raise UnknownName(what, name, known)


def _suite_checks(suite: SuiteSettings) -> Iterator[tuple[str, SettingCheck]]:
    if ":" not in suite.suite:
        yield "suite", partial(_look_up, "suite", suite.suite, {**catalog.rows("suites"), **catalog.rows("families")})
    if ":" not in suite.source:
        yield "source", partial(_look_up, "source", suite.source, catalog.rows("sources"))
    if suite.rules:
        yield "rules", partial(rule_set, suite.rules)
    yield "pairs", partial(_check_pairs, suite)
    yield "means", partial(_check_means, suite.means)


def _check_pairs(suite: SuiteSettings) -> None:
    pairs = suite.pairs
    counts = pairs if isinstance(pairs, tuple) else (pairs, 1) if isinstance(pairs, int) else (1, 1)
    if len(counts) != 2 or min(counts) < 1 or (isinstance(pairs, str) and pairs != PAPER):
        raise CounterpointError(f"{pairs!r} is no number of pairs", hint='write 500, "paper" or [500, 300]')
    if pairs is not None and suite.limit is not None:
        raise CounterpointError("pairs and limit both set how much is kept", hint="give one of them")


def _check_means(means: str | tuple[int, ...] | None) -> None:
    if isinstance(means, tuple) and (len(means) != 3 or not all(0 <= channel <= 255 for channel in means)):
        raise CounterpointError(f"{list(means)} is no color", hint="write [121, 113, 104], or a folder to measure")


def _model_checks(model: ModelSettings) -> Iterator[tuple[tuple[str, ...], SettingCheck]]:
    way, slash, _ = model.model.partition("/")
    if ":" not in model.model and not (slash and way in catalog.rows("ways")):
        ways = [f"{name}/…" for name in catalog.rows("ways")]
        yield ("model",), partial(_look_up, "model", model.model, [*catalog.rows("models"), *ways])
    if model.api_key:
        yield ("api-key",), partial(key_variable, model)
    if ":" not in model.model:  # code of one's own is imported when it is asked
        for key, value in model.model_args.items():
            yield ("model-args", key), partial(catalog.check_model_settings, model.model, {key: str(value)})
        for key, value in model.given_settings().items():
            yield (key.replace("_", "-"),), partial(catalog.check_model_settings, model.model, {key: str(value)})
        if model.api_key:
            yield ("api-key",), partial(catalog.check_model_settings, model.model, {"key_variable": ""})


def _title_checks(settings: EvaluationSettings) -> Iterator[tuple[KeyPath, SettingCheck]]:
    """No suite is stored twice, and no model has the name of another."""
    suites, models = set[str](), set[str]()
    for number, suite in enumerate(settings.suites):
        yield ("suites", number, "name"), partial(_check_suite_names, suite, suites)
    tables: dict[str, Sequence[ModelSettings | PredictionSettings]]
    tables = {"models": settings.models, "predictions": settings.predictions}
    for table, entries in tables.items():
        for number, entry in enumerate(entries):
            yield (table, number), partial(_check_new, [entry.title], models)


def _check_suite_names(suite: SuiteSettings, seen: set[str]) -> None:
    _check_new(suite_names(suite.suite, suite.name), seen)


def _check_new(names: Collection[str], seen: set[str]) -> None:
    if repeated := seen & {*names}:
        fact = f"two in this file are called {', '.join(sorted(repeated))}"
        raise CounterpointError(fact, hint='give one another name = "…"')
    seen |= {*names}


def _reference_checks(settings: EvaluationSettings) -> Iterator[tuple[KeyPath, SettingCheck]]:
    """Suites and models that other tables name are those of the file."""
    suites, gates = [suite.title for suite in settings.suites], settings.gates
    tables: dict[str, Sequence[ModelSettings | PredictionSettings | GateSettings]]
    tables = {"models": settings.models, "predictions": settings.predictions, "gates": gates}
    for table, entries in tables.items():
        for number, entry in enumerate(entries):
            for place, name in enumerate(entry.suites if suites else ()):
                yield (table, number, "suites", place), partial(_look_up, "suite of this file", name, suites)
    for number, gate in enumerate(gates):
        if gate.model:
            yield ("gates", number, "model"), partial(_look_up, "model of this file", gate.model, settings.titles)


def _check_rule(text: str, suites: Sequence[SuiteSettings]) -> None:
    rule = GateRule.parse(text)
    if rule.metric:
        rule_metric(rule.metric)
    names = [name for suite in suites for name in suite_names(suite.suite, suite.name)]
    is_known = OWN_GROUPS not in (suite.suite for suite in suites)  # an exported suite comes back under its own name
    if rule.suite and names and is_known:
        _look_up("suite of this file", rule.suite, names)

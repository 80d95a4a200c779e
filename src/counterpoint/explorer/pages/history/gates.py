"""The gate on the page of a history: rules that the address names, held against each version of the model."""

from collections.abc import Sequence
from functools import partial
from math import isnan

from msgspec import Struct

from counterpoint.core.errors import CounterpointError
from counterpoint.lab.gating import gate_model
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.gates import GateCheck
from counterpoint.store.versions import ModelVersion

LATEST = 12
"""Versions that the rules are held against, the latest ones."""


class RuleVerdict(Struct, frozen=True):
    """A rule on one version, with the value and the bound by which it was decided, in per cent or points."""

    rule: str
    suite: str
    verdict: str
    value: float | None
    bound: float | None


class VersionGate(Struct, frozen=True):
    """The verdict on a version, and on each rule; or why there is none."""

    version: str
    verdict: str
    rules: tuple[RuleVerdict, ...] = ()
    problem: str = ""


def version_gates(reader: LabReader, versions: Sequence[ModelVersion], rules: str) -> tuple[VersionGate, ...]:
    """Hold rules, one or several with semicolons between them, against the latest versions, the latest first."""
    texts = tuple(text.strip() for text in rules.split(";") if text.strip())
    if not texts:
        return ()
    key = ("gate", texts, *(own.title for own in versions if own.is_baseline))
    return tuple(
        reader.cached((*key, own.fingerprint), partial(_gate, reader, own, texts))
        for own in versions[: -LATEST - 1 : -1]
    )


def _gate(reader: LabReader, version: ModelVersion, rules: Sequence[str]) -> VersionGate:
    try:
        report = gate_model(reader.lab, version.title, rules)
    except CounterpointError as problem:  # a rule that is none, or a version that is its own baseline
        hint = f"; {problem.hint}" if problem.hint else ""
        return VersionGate(version.version, "", problem=f"{problem}{hint}")
    return VersionGate(version.version, report.verdict.value, tuple(map(_rule, report.checks)))


def _rule(check: GateCheck) -> RuleVerdict:
    numbers = [None if isnan(number) else 100 * number for number in (check.test.value, check.bound)]
    return RuleVerdict(check.rule.text, check.suite, check.verdict.value, *numbers)

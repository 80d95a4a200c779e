"""Findings as sentences: features by their names in a table, tests by the suites' own sentences."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError
from counterpoint.core.quantities import counted
from counterpoint.metrics.findings.choice import WeakSlice
from counterpoint.metrics.findings.features import SliceFeature
from counterpoint.metrics.findings.patterns import AnswerPattern
from counterpoint.store.lab import LabStore

_HEADS = ("test", "kind")  # what a sentence says first


@cache
def read_words() -> Mapping[str, Any]:
    """The table of names."""
    words: dict[str, Any] = tomllib.loads(files("counterpoint.lab").joinpath("data/findings.toml").read_text("utf-8"))
    return words


def suite_claims(store: LabStore, suites: Sequence[str]) -> dict[str, str]:
    """What each test claims, in the words of its suite, where that is installed."""
    sentences = {}
    for name in suites:
        try:
            sentences[name] = str(catalog.find("suites", store.manifest(name).suite).tests)
        except (CounterpointError, AttributeError):
            continue
    return sentences


def describe_feature(feature: SliceFeature, tests: Mapping[str, str]) -> str:
    """A feature in the words that follow "groups".

    >>> describe_feature(SliceFeature("tag:direction", "up"), {})
    'that use the more general word'
    >>> describe_feature(SliceFeature("tag:weather", "rainy"), {})
    'whose weather is “rainy”'
    >>> describe_feature(SliceFeature("tag:exchanged", "cat | dog"), {})
    'where “cat” and “dog” are exchanged'
    """
    words = read_words()
    known = words["values"].get(feature.column, {}).get(feature.value, "")
    name = feature.column.removeprefix("tag:")
    form = known or words["columns"].get(feature.column, f"whose {name} is “{{value}}”")
    value = feature.value.replace("-", " ") if feature.column == "test" else feature.value
    said = form.replace("{value}", value.replace(" | ", "” and “").replace("->", "” becomes “"))
    claim = tests.get(feature.value, "") if feature.column == "test" else ""
    return f"{said} ({claim})" if claim else said


def describe_slice(features: Sequence[SliceFeature], tests: Mapping[str, str]) -> str:
    """A conjunction of features in words.

    >>> describe_slice([SliceFeature("gold", "no"), SliceFeature("size", "small"), SliceFeature("kind", "color")], {})
    'of the kind “color” whose gold is “no” and about small objects'
    """
    heads = [describe_feature(own, tests) for name in _HEADS for own in features if own.column == name]
    others = [describe_feature(own, tests) for own in sorted(features) if own.column not in _HEADS]
    return " ".join([*heads, " and ".join(others)]).strip()


def finding_sentence(found: WeakSlice, slice_words: str) -> str:
    """What a person would write about a finding."""
    share, elsewhere = _percent(found.share), _percent(found.elsewhere)
    part = _percent(found.failures)
    groups = counted(found.n, "group")
    return (
        f"Right in {share} of {groups} {slice_words}, against {elsewhere} {_where(found)}; {part} of all its failures."
    )


def change_sentence(found: WeakSlice, slice_words: str) -> str:
    """What a person would write about a slice in which two models differ unlike elsewhere."""
    change, elsewhere = 100 * found.share, 100 * found.elsewhere
    rest = "unchanged" if abs(elsewhere) < 0.5 else _points(elsewhere)
    return f"{_points(change)} in {counted(found.n, 'group')} {slice_words}; {_where(found)} {rest}."


def _where(found: WeakSlice) -> str:
    """What a slice is compared with: all that is outside of it, or where others fail too, what no finding has."""
    return "elsewhere" if found.is_complement else "outside all findings"


def _points(change: float) -> str:
    """A difference in words.

    >>> _points(1.2), _points(-43.0)
    ('1 point better', '43 points worse')
    """
    return f"{counted(round(abs(change)), 'point')} {'better' if change > 0 else 'worse'}"


def pattern_sentence(pattern: AnswerPattern) -> str:
    """A pattern of wrong answers in words.

    >>> pattern_sentence(AnswerPattern("more", "1", 9, 10))
    '90 % of the 10 wrong numbers are too high, mostly by 1'
    """
    form = str(read_words()["patterns"][pattern.name])
    return form.format(share=_percent(pattern.share), of=f"{pattern.of:,}", detail=pattern.detail)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"

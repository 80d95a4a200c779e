"""Findings: what a model does not understand, or what changed in it against another one, a sentence for each slice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from urllib.parse import quote

from msgspec import Struct

from counterpoint.explorer.group_filters import browse_address
from counterpoint.explorer.group_parts import GroupEntry, group_entries
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.views import LinkChoice
from counterpoint.lab.findings import Finding
from counterpoint.lab.findings_index import SearchState
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.findings.features import SliceFeature
from counterpoint.metrics.verdicts import FAILS, PASSES
from counterpoint.store.outcomes.selection import GroupFilter, find_groups

SENTENCE = (
    "Slices of groups that the model fails more often than elsewhere, those that explain most failures first. All "
    "suites are searched together, and p values are corrected for everything that was looked at."
)
CHANGES = (
    "Slices of groups in which the two models differ unlike elsewhere. Below each text the answer of the one, then "
    "that of the other; p values are corrected for everything that was looked at."
)
SEARCHED = "They are being searched; this page shows them when they are there."
NOTHING = "There is no slice with more failures than elsewhere."

FIELDS: Mapping[str, str] = MappingProxyType(
    {"test": "test", "kind": "kind", "relation": "relation", "gold": "gold", "word": "text", "new word": "text"}
)
"""The field of a filter of Browse that says a column of the search; tags are said by their names."""


class ModelShare(Struct, frozen=True):
    """The share of the groups of a slice that another model has right, and its page."""

    model: str
    address: str
    share: float


class FindingView(Struct, frozen=True):
    """A finding with examples of failed groups, and where the groups are listed, if Browse can say the slice."""

    sentence: str
    p: float
    is_significant: bool
    n: int
    pictures: int
    right: float
    elsewhere: float
    failures: float
    features: tuple[tuple[str, str], ...]
    patterns: tuple[str, ...]
    others: tuple[ModelShare, ...]
    examples: tuple[GroupEntry, ...]
    address: str


@dataclass(frozen=True, slots=True)
class FindingsView(PageView):
    """What a model does not understand, or what changed in it."""

    model: str = ""
    slug: str = ""
    against: str = ""
    findings: tuple[FindingView, ...] = ()
    is_significant: bool = False
    is_ready: bool = True
    pairs: tuple[LinkChoice, ...] = ()  # what changed against other models
    compare: str = ""
    notes: tuple[str, ...] = ()
    empty: str = ""


def findings_address(slug: str, against: str = "") -> str:
    """Return the page of the findings of a model, or of what changed in it.

    >>> findings_address("fusion"), findings_address("fusion", "random")
    ('/models/fusion/findings', '/models/fusion/findings/random')
    """
    return f"/models/{quote(slug)}/findings{f'/{quote(against)}' if against else ''}"


def findings_view(reader: LabReader, request: PageRequest) -> FindingsView:
    """What a model does not understand, in words with examples; with another model, what changed most."""
    model = reader.model(request.path["model"])
    other = reader.model(request.path["against"]) if "against" in request.path else None
    against = other.slug if other else ""
    state = reader.findings.find(model.slug, against)
    found = state.findings
    here = findings_address(model.slug, against)
    return FindingsView(
        title=f"What changed from {other.name} to {model.name}" if other else f"What {model.name} does not understand",
        sentence=CHANGES if other else SENTENCE,
        twin=f"{here}.json",
        above=findings_address(model.slug) if other else f"/models/{quote(model.slug)}",
        model=model.name,
        slug=model.slug,
        against=other.name if other else "",
        findings=tuple(finding_view(reader, own, model.slug, against) for own in found.findings) if found else (),
        is_significant=bool(found and found.is_significant),
        is_ready=state.is_ready,
        pairs=tuple(
            LinkChoice(own.name, findings_address(model.slug, own.slug), own.slug == against)
            for own in reader.models()
            if own.slug != model.slug
        ),
        compare=f"/compare?models={quote(against)},{quote(model.slug)}" if other else "",
        notes=(*(found.remarks if found.findings else ()), found.notes()[-1]) if found else (),
        empty=_empty(state),
    )


def _empty(state: SearchState) -> str:
    if state.findings is None:
        return f"{state.problem[:1].upper()}{state.problem[1:]}." if state.problem else SEARCHED
    return "" if state.findings.findings else NOTHING


def finding_view(reader: LabReader, finding: Finding, slug: str, against: str = "") -> FindingView:
    """Return a finding as pages show it; of a change, its examples have the answers of both models."""
    slugs = {model.name: model.slug for model in reader.models()}
    has_gained = bool(against) and finding.right > 0
    listed = GroupFilter(model=slug, verdict=PASSES if has_gained else FAILS, browse="1")
    if against:
        listed = replace(listed, also=f"{against}:{FAILS if has_gained else PASSES}")
    chosen = slice_filter(finding.features, listed)
    wanted = [(group.suite, int(group.group_id, 16)) for group in finding.examples]
    first, second = (against, slug) if against else (slug, "")
    examples = group_entries(reader, find_groups(reader, first, wanted), chosen or listed, second)
    others = sorted(finding.others.items(), key=lambda own: (-own[1], own[0]))
    return FindingView(
        sentence=finding.sentence,
        p=finding.p,
        is_significant=finding.is_significant,
        n=finding.n,
        pictures=finding.pictures,
        right=finding.right,
        elsewhere=finding.elsewhere,
        failures=finding.failures,
        features=tuple((own.column, own.value) for own in finding.features),
        patterns=finding.patterns,
        others=tuple(ModelShare(name, findings_address(slugs[name]), share) for name, share in others if name in slugs),
        examples=examples,
        address=browse_address(chosen) if chosen else "",
    )


def slice_filter(features: Sequence[SliceFeature], listed: GroupFilter) -> GroupFilter | None:
    """Return those groups of a slice that a filter of Browse lists, or None where a filter cannot say it.

    >>> slice_filter([SliceFeature("word", "or"), SliceFeature("tag:gone", "0")], GroupFilter(model="fusion")).text
    '"or"'
    >>> slice_filter([SliceFeature("size", "small")], GroupFilter(model="fusion"))
    """
    given: dict[str, str] = {}
    for feature in features:
        is_tag = feature.column.startswith("tag:")
        field = "tag" if is_tag else FIELDS.get(feature.column, "")
        if not field or field in given:
            return None
        name = feature.column.removeprefix("tag:")
        given[field] = f"{name}={feature.value}" if is_tag else feature.value
    if "text" in given:
        given["text"] = f'"{given["text"]}"'
    return replace(listed, **given)

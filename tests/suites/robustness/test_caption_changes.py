"""Captions on changed pictures: every pair is asked as it is and after each edit, and no edit touches what it says."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from counterpoint import catalog
from counterpoint.core.groups import Group, Mode, Relation
from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture
from counterpoint.suites.robustness.caption_changes import UNEDITED
from counterpoint.suites.suite import Suite, Tally, generate_groups


def _suite(name: str) -> Suite[Caption, Mapping[str, Group]]:
    suite: Suite[Any, Any] = catalog.find("suites", name)
    assert suite.of_captions is not None
    return suite.of_captions


def _foiled(number: int, text: str, foil: str) -> Caption:
    return Caption(str(number), Picture(f"mine:{number}.jpg"), text, foil, "dog", "cat")


def _edits(groups: list[Group]) -> Counter[str]:
    return Counter(dict(group.tags[0])["edit"] for group in groups)


@pytest.mark.parametrize(("name", "edited"), [("noise", 12), ("noise-severities", 20)])
def test_each_pair_is_asked_as_it_is_and_with_every_noise(name: str, edited: int) -> None:
    captions = [_foiled(n, f"A dog sits by chair {n}.", f"A cat sits by chair {n}.") for n in range(4)]
    groups = [group for _, group in generate_groups(_suite(name), captions, 3)]
    assert len(groups) == 4 * (1 + edited)
    assert _edits(groups)[UNEDITED] == 4
    for group in groups:
        assert group.relation is Relation.RANKS
        caption, foil = group.queries
        assert caption.picture == foil.picture
        assert {caption.mode, foil.mode} == {Mode.SCORE}
        assert (caption.text.replace("dog", "cat"), group.kind) == (foil.text, "caption")
        edits = caption.picture.edits if caption.picture else ()
        assert bool(edits) is (dict(group.tags[0])["edit"] != UNEDITED)
    assert len({group.id for group in groups}) == len(groups)


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("A dog to the left of a chair.", {"flip", "rotation"}),
        ("A brown dog.", {"gray", "brighter", "darker", "contrast"}),
        ("A dog by a stop sign.", {"flip", "blur", "jpeg"}),
        ("A dog on a sunny day.", {"brighter", "darker", "contrast"}),
    ],
)
def test_a_picture_is_not_changed_in_what_its_caption_says(text: str, gone: set[str]) -> None:
    plain, told = (
        _edits([group for _, group in generate_groups(_suite("pictures-changed"), [caption], 0, tally=tally)])
        for caption, tally in (
            (_foiled(1, "A dog.", "A cat."), Tally()),
            (_foiled(1, text, text.replace("dog", "cat")), Tally()),
        )
    )
    assert set(plain) - set(told) == gone
    assert "crop" not in plain


def test_foils_are_made_by_the_suite_of_objects_where_the_source_has_none() -> None:
    names, places = ("dog", "cat", "horse", "cow"), ("grass", "road", "beach")
    texts = [f"A {name} stands on the {place}." for name in names for place in places]
    captions = [Caption(str(n), Picture(f"mine:{n}.jpg"), text) for n, text in enumerate(texts * 4)]
    foils = [group for _, group in generate_groups(catalog.find("suites", "objects"), captions, 0)]
    groups = [group for _, group in generate_groups(_suite("noise"), captions, 5)]
    clean = [group for group in groups if dict(group.tags[0])["edit"] == UNEDITED]
    assert len(clean) > 9
    assert {tuple(query.id for query in group.queries) for group in clean} == {
        tuple(query.id for query in group.queries) for group in foils
    }


def test_a_caption_without_a_foil_is_rejected_with_the_reason() -> None:
    tally = Tally()
    lonely = [Caption("1", Picture("mine:1.jpg"), "A quiet evening.")]
    assert not list(generate_groups(_suite("noise"), lonely, 0, tally=tally))
    assert tally.reasons == {"caption": {"it has no foil": 1}}

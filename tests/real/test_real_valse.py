"""The released files of VALSE: the counts of the paper's Table 5, before and after validation."""

from collections import Counter
from pathlib import Path

import pytest
from proving import prove
from real_data import real

import counterpoint as cp
from counterpoint.core.groups import Group, Mode, Relation
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.valse import INSTRUMENTS, valse

VALID = (505, 851, 868, 900, 691, 535, 648, 949, 708, 104, 943)
UNANIMOUS = (410, 617, 598, 637, 522, 321, 428, 756, 499, 69, 811)
ALL = (534, 1000, 1000, 1000, 756, 614, 779, 1042, 916, 141, 1000)


def _groups(split: str) -> list[Group]:
    source = Source(valse, real("valse"), split, limit=None)
    found = [ready.group for ready in source.groups()]
    assert not source.skips.total, source.skips.lines()
    return found


@pytest.mark.parametrize(("split", "counts"), [("valid", VALID), prove("unanimous", UNANIMOUS), prove("all", ALL)])
def test_each_instrument_has_as_many_as_table_5_says(split: str, counts: tuple[int, ...]) -> None:
    found = Counter(group.test for group in _groups(split))
    assert tuple(found[one.name] for one in INSTRUMENTS) == counts


@pytest.mark.prove
def test_twenty_four_captions_are_their_own_foils_and_none_of_them_is_valid() -> None:
    same = {
        split: sum(group.base.text == group.variants[0].text for group in _groups(split)) for split in ("all", "valid")
    }
    assert same == {"all": 24, "valid": 0}


def test_pictures_are_addressed_by_the_data_set_that_they_are_of() -> None:
    found: dict[str, set[str]] = {}
    for group in _groups("all"):
        assert group.relation is Relation.RANKS
        assert all(query.mode is Mode.SCORE and query.picture == group.base.picture for query in group.queries)
        assert group.base.picture
        place = group.base.picture.address.rpartition("/")[0] or group.base.picture.namespace
        found.setdefault(group.kind, set()).add(place)
    assert found == {
        "existence": {"visual7w"},
        "plurality": {"coco:val2017"},
        "counting": {"visual7w"},
        "relations": {"coco:val2017"},
        "actions": {"swig:images_512"},
        "coreference": {"coco:train2014", "coco:val2014", "visdial:VisualDialog_val2018"},
        "foil-it": {"coco:val2014"},
    }


@pytest.mark.prove
def test_released_votes_become_votes_that_give_the_counts_of_table_5(tmp_path: Path) -> None:
    lab = cp.Lab(tmp_path / "lab")
    lab.generate("released", source="valse", data=real("valse"), split="all", items=100_000)
    assert lab.import_votes(real("valse")).added == 3 * sum(ALL)
    assert lab.import_votes(real("valse")).added == 0
    votes = lab.votes()
    counts = {count.test: count for count in votes.counts}
    assert tuple(counts[own.name].accepted for own in INSTRUMENTS) == VALID
    assert tuple(counts[own.name].unanimous for own in INSTRUMENTS) == UNANIMOUS
    assert tuple(counts[own.name].items for own in INSTRUMENTS) == ALL
    assert "three categories" in "\n".join(votes.notes())
    assert not votes.voters, "nobody knows who they were"
    table = lab.paper("valse", tables=("5",)).text()
    assert "α valid" in table
    assert "0.2" in table

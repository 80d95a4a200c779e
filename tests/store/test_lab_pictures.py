"""The pictures of a lab: many edits of one file are made of what was decoded once, and a new file is seen as new."""

import pickle
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from counterpoint.core.errors import PictureError
from counterpoint.core.groups import Answer, Group, Query, Relation
from counterpoint.core.pictures import Edit, Picture
from counterpoint.core.ports import Pictures, Pixels, PlacedAnswer
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.engine.running import run
from counterpoint.pictures.edits import apply_edits
from counterpoint.pictures.noise import STRENGTHS, noise_edit
from counterpoint.store.groups import groups_table, read_queries, unique_queries
from counterpoint.store.pictures import LabPictures
from counterpoint.testing import MemoryLog

EDITS = [(), *((noise_edit(name, 3, seed),) for name in STRENGTHS for seed in (1, 2, 3))]


class Slides:
    """A picture for each number; counts how often each is drawn, and with which edits."""

    def __init__(self) -> None:
        self.drawn = Counter[Picture]()

    def pixels(self, picture: Picture) -> Pixels:
        self.drawn[picture] += 1
        return np.full((6, 8, 3), 10 * int(picture.path), np.uint8)


class Summing:
    """Says the sum of all that it sees."""

    fingerprint = "summing"

    def __init__(self, pictures: Pictures) -> None:
        self._pictures = pictures

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        for place, query in enumerate(queries):
            assert query.picture
            yield place, Answer.of(str(self._pictures.pixels(query.picture).sum()))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_picture_is_decoded_once_for_its_twelve_edited_versions(threads: int) -> None:
    slides, log = Slides(), MemoryLog()
    asked = [Query(Picture(f"slides:{n}", edits), "How much?") for n in range(20) for edits in EDITS]
    table = unique_queries(groups_table([("plain", Group(Relation.SAME, tuple(asked), (None,) * len(asked)))], "some"))
    with Prefetcher(LabPictures({}, {"slides": slides}), threads=threads) as ahead:
        run(table, Summing(ahead), log, ahead, read=read_queries, check=0)
    assert set(slides.drawn) == {Picture(f"slides:{n}") for n in range(20)}
    assert slides.drawn.total() <= 21  # whoever asks first may not wait for the threads
    for query in asked:
        assert query.picture
        plain = Slides().pixels(Picture(query.picture.address))
        assert log.says[query.id, 0].value == str(apply_edits(query.picture.edits, plain).sum())


def test_a_file_that_is_written_anew_is_decoded_anew(tmp_path: Path) -> None:
    pictures = LabPictures({"own": tmp_path}, {})
    shown = []
    for level in (10, 200):
        Image.new("RGB", (4 + level, 3), (level,) * 3).save(tmp_path / "a.png")
        shown.append(pictures.pixels(Picture("own:a.png", (Edit("flip"),)))[0, 0, 0])
    assert shown == [10, 200]


def test_a_picture_that_cannot_be_had_is_asked_for_again(tmp_path: Path) -> None:
    pictures = LabPictures({"own": tmp_path}, {})
    Image.new("RGB", (4, 3), (9, 9, 9)).save(tmp_path / "b.png")
    assert pictures.pixels(Picture("own:b.png")).shape == (3, 4, 3)
    for _ in range(2):
        with pytest.raises(PictureError, match="does not exist"):
            pictures.pixels(Picture("own:a.png"))
    Image.new("RGB", (5, 3), (7, 7, 7)).save(tmp_path / "a.png")
    assert pictures.pixels(Picture("own:a.png")).shape == (3, 5, 3)


def test_pictures_travel_to_another_process(tmp_path: Path) -> None:
    Image.new("RGB", (4, 3), (9, 9, 9)).save(tmp_path / "a.png")
    pictures = LabPictures({"own": tmp_path}, {"slides": Slides()})
    pictures.pixels(Picture("own:a.png"))
    again = pickle.loads(pickle.dumps(pictures))
    assert np.array_equal(again.pixels(Picture("own:a.png")), pictures.pixels(Picture("own:a.png")))
    assert again.pixels(Picture("slides:3"))[0, 0, 0] == 30

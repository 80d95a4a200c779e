"""Pictures decoded ahead: the same pixels, each decoded once, never more at a time than there is room for."""

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import numpy as np
import pytest
from asked import a_table, some
from slides import Slides, doubled, killed

from counterpoint.core.errors import PictureError
from counterpoint.core.groups import Answer, Query
from counterpoint.core.pictures import Edit, Picture
from counterpoint.core.ports import Pictures, Pixels, PlacedAnswer
from counterpoint.engine import running
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.store import groups
from counterpoint.testing import Echo, MemoryLog
from counterpoint.world.source import World

run = partial(running.run, read=groups.read_queries, check=0)


class Looking:
    """Says what is in the picture; it looks at each query's, as simple adapters do."""

    fingerprint = "looking"

    def __init__(self, pictures: Pictures, *, backwards: bool = False) -> None:
        self._pictures, self._backwards = pictures, backwards

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        for place in sorted(range(len(queries)), reverse=self._backwards):
            picture = queries[place].picture
            if picture is None:
                yield place, Answer.of("nothing")
            else:
                yield place, Answer.of(str(self._pictures.pixels(picture)[0, 0, 0]))


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("batch", [1, 7, 64])
@pytest.mark.parametrize("most", [1, 5, 256])
def test_every_query_sees_its_own_picture_and_each_is_decoded_about_once(
    backwards: bool, batch: int, most: int
) -> None:
    slides, log, asked = Slides(), MemoryLog(), [*some(90, pictures=30), Query(None, "Is it?")]
    with Prefetcher(slides, threads=2, most=most) as ahead:
        run(a_table(asked), Looking(ahead, backwards=backwards), log, ahead, batch=batch)
    for query in asked:
        seen = query.picture.path.removesuffix(".png") if query.picture else "nothing"
        assert log.says[query.id, 0].value == seen
    if batch <= 7 or (most == 256 and not backwards):
        assert set(slides.decoded.values()) == {1}


def test_a_model_that_never_looks_costs_no_picture() -> None:
    class Blind(Looking):
        def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
            return ((place, Answer.of("yes")) for place in range(len(queries)))

    slides = Slides()
    with Prefetcher(slides) as ahead:
        run(a_table(some(90)), Blind(ahead), MemoryLog(), ahead)
    assert not slides.decoded


def test_pictures_are_decoded_by_several_threads_while_the_model_waits_for_the_first() -> None:
    slides = Slides(together=4)
    with Prefetcher(slides, threads=4) as ahead:
        run(a_table(some(60, pictures=60)), Looking(ahead), MemoryLog(), ahead)
    assert len(slides.threads) == 4


def test_every_picture_is_announced_once_whatever_stands_between() -> None:
    shown = [Picture("p:1.png"), Picture("p:1.png", (Edit("blur", ("6",)),)), Picture("p:2.png")]
    asked = [Query(picture, f"Is it {n}?") for picture in [*shown, None] for n in range(3)]
    announced: list[Picture] = []

    class Noting(Prefetcher):
        def expect(self, pictures: Iterable[Picture]) -> None:
            announced.extend(pictures)

    with Noting(Slides()) as ahead:
        run(a_table(asked), Echo(), MemoryLog(), ahead)
    assert len(announced) == 3
    assert set(announced) == set(shown)


def test_no_more_wait_than_there_is_room_for() -> None:
    slides = Slides()
    with Prefetcher(slides, threads=1, most=3) as ahead:
        ahead.expect(Picture(f"p:{n}.png") for n in range(100))
        ahead.turn_to(Picture("p:0.png"))
        ahead.pixels(Picture("p:0.png"))
        assert ahead._pool is not None
        ahead._pool.submit(lambda: None).result()  # after all that was begun, since there is one thread
        assert len(slides.decoded) <= 5


def test_a_torn_picture_fails_its_own_queries_and_no_others() -> None:
    log = MemoryLog()
    with Prefetcher(Slides(frozenset(["3.png"]))) as ahead:
        outcome = run(a_table(some(80)), Looking(ahead), log, ahead, batch=16)
    assert (outcome.failed, outcome.reasons) == (10, (("p:3.png is torn", 10),))
    assert len(log.says) == 70


def test_a_picture_that_nobody_announced_is_shown_all_the_same() -> None:
    with Prefetcher(Slides()) as ahead:
        ahead.expect([Picture("p:1.png")])
        assert ahead.pixels(Picture("p:9.png"))[0, 0, 0] == 9
        assert ahead.pixels(Picture("p:1.png"))[0, 0, 0] == 1


def test_threads_draw_the_world_as_one_does() -> None:
    pictures = [Picture(f"world:test/{n:06d}.png") for n in range(12)]
    plain = [World("test", 0).pixels(picture) for picture in pictures]
    with Prefetcher(World("test", 0), threads=4) as ahead:
        ahead.expect(pictures)
        assert all(np.array_equal(ahead.pixels(p), drawn) for p, drawn in zip(pictures, plain, strict=True))


class Measuring(Looking):
    """Gets its pictures fitted: one number each, made by the threads that decode."""

    def __init__(self, pictures: Prefetcher) -> None:
        super().__init__(pictures)
        self.threads: set[int] = set()
        self._number = pictures.preprocess_with(self._fit)

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        for place, query in enumerate(queries):
            assert query.picture is not None
            yield place, Answer.of(str(self._number(query.picture)))

    def _fit(self, pixels: Pixels) -> int:
        self.threads.add(threading.get_ident())
        return 2 * int(pixels[0, 0, 0])


def test_pictures_are_fitted_to_a_model_once_each_by_the_threads_that_decode_them() -> None:
    slides, log, asked = Slides(), MemoryLog(), some(90, pictures=30)
    with Prefetcher(slides, threads=2) as ahead:
        model = Measuring(ahead)
        run(a_table(asked), model, log, ahead)
        assert ahead.pixels(Picture("p:7.png"))[0, 0, 0] == 7
    assert {log.says[q.id, 0].value for q in asked} == {str(2 * n) for n in range(30)}
    assert set(slides.decoded.values()) == {1, 2}
    assert slides.decoded["p:7.png"] == 2
    assert threading.get_ident() not in model.threads


def test_pictures_are_fitted_by_processes_where_a_model_wants_them_made_apart() -> None:
    slides = Slides(bad=frozenset({"7.png"}))
    pictures = [Picture(f"p:{n}.png") for n in range(60)]
    with Prefetcher(slides, threads=4) as ahead:
        get = ahead.preprocess_with(doubled, in_processes=True)
        ahead.expect(pictures)
        made = {n: get(picture) for n, picture in enumerate(pictures) if n != 7}
        with pytest.raises(PictureError, match=r"p:7.png is torn"):
            get(pictures[7])
    assert {n: number for n, (number, _) in made.items()} == {n: 2 * n for n in range(60) if n != 7}
    assert os.getpid() not in {process for _, process in made.values()}


def test_a_process_that_is_killed_costs_no_picture() -> None:
    pictures = [Picture(f"p:{n}.png") for n in range(60)]
    with Prefetcher(Slides(), threads=2) as ahead:
        get = ahead.preprocess_with(killed, in_processes=True)
        ahead.expect(pictures)
        assert [get(picture) for picture in pictures] == list(range(60))

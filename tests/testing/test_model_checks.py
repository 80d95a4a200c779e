"""The checks for whoever writes a model: ours pass them, and each promise that is broken is noticed by its name."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from counterpoint import catalog
from counterpoint.core.errors import PictureError
from counterpoint.core.groups import Answer, Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Model, Pixels, PlacedAnswer, Scale
from counterpoint.models.own.functions import load_own_model
from counterpoint.testing import Echo, check_model
from counterpoint.testing.model_checks import MODEL_CHECKS
from counterpoint.world.source import World

TEXTS = ("Is there a dog?", "What color is the car?", "Is the door open?")


@cache
def world() -> World:
    return World("test", scenes=2)


def asked() -> list[Query]:
    return [Query(scene.picture, text) for scene in world().scenes() for text in TEXTS]


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("fusion", ["answers", "batch invariance", "pictures", "scores", "samples", "features"]),
        ("cnn-lstm", ["answers", "batch invariance", "pictures", "samples", "features"]),
        ("question-only", ["answers", "batch invariance", "pictures", "samples", "features"]),
        ("two-tower", ["scores", "samples"]),
        ("constant", ["answers", "batch invariance", "pictures", "scores"]),
        ("random", ["answers", "batch invariance", "pictures", "scores", "samples"]),
    ],
)
def test_our_own_models_keep_what_they_promise(name: str, kept: list[str]) -> None:
    assert check_model(catalog.model(name, world()), asked()) == ["fingerprint", "ability", *kept]


def test_a_double_and_a_plain_function_keep_it_too() -> None:
    assert "samples" in check_model(Echo(), asked())

    def light(picture: Any, text: str) -> str:
        return "yes" if picture.mean() > 127 else "no"

    light.fingerprint = "light"  # type: ignore[attr-defined]
    assert "pictures" in check_model(load_own_model(light, "tests:light", world()), asked())


class Honest:
    """A model that does everything, and keeps every promise; each of those below breaks one."""

    fingerprint = "honest"
    scale = Scale.PROBABILITY

    def answer(self, queries: Sequence[Query]) -> Any:
        return self._answers(queries)

    def _answers(self, queries: Sequence[Query]) -> Iterator[Any]:
        for place, query in enumerate(queries):
            try:
                self._look(query)
                yield place, Answer.of(query.text, top=((query.text, 0.75), ("no", 0.25)))
            except PictureError as problem:
                yield place, Answer.failed(problem)

    def _look(self, query: Query) -> None:
        if query.picture and "no/such" in query.picture.address:
            raise PictureError("it is not there")

    def score(self, queries: Sequence[Query]) -> Any:
        return np.array([1 / len(query.text) for query in queries], np.float32)

    def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[Any]:
        for trial in trials:
            yield from (
                (place, trial, Answer.of(f"{query.text} {trial} {seed}")) for place, query in enumerate(queries)
            )

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        return np.ones((len(queries), 2), np.float32)

    def text_features(self, queries: Sequence[Query]) -> Floats:
        return np.ones((len(queries), 3), np.float32)

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterator[Any]:
        return self._answers(queries)


def test_one_that_does_everything_keeps_every_promise() -> None:
    assert check_model(Honest(), asked()) == list(MODEL_CHECKS)


class Slow(Honest):
    """Answers from an event loop."""

    async def answer(self, queries: Sequence[Query]) -> AsyncIterator[PlacedAnswer]:
        for placed in self._answers(queries):
            yield placed


def test_a_model_that_answers_asynchronously_is_listened_to() -> None:
    assert check_model(Slow(), asked()) == list(MODEL_CHECKS)


def broken(**methods: Any) -> object:
    """An honest model with another method in place of one of its own."""
    return type("Broken", (Honest,), methods)()


def placed(change: Callable[[list[Any]], list[Any]]) -> Any:
    """An `answer` that changes what an honest one gives."""
    return lambda self, queries: change(list(Honest()._answers(queries)))


class Counting:
    """A number that grows whenever it is read."""

    def __init__(self) -> None:
        self.count = 0

    def __get__(self, model: object, kind: type) -> str:
        self.count += 1
        return f"fingerprint {self.count}"


def _later(self: Any, queries: Sequence[Query]) -> Iterator[Any]:
    self.fingerprint = "another"
    return Honest()._answers(queries)


def _blind(self: Any, queries: Sequence[Query]) -> Iterator[Any]:
    for query in queries:
        self._look(query)
    return ((place, Answer.of(query.text)) for place, query in enumerate(queries))


def _spoiled(self: Any, queries: Sequence[Query]) -> Iterator[Any]:
    bad = any("no/such" in query.picture.address for query in queries if query.picture)
    return ((place, Answer.failed("one was bad") if bad else Answer.of("yes")) for place in range(len(queries)))


def _scored(change: Callable[[Any], Any]) -> Any:
    return lambda self, queries: change(Honest().score(queries))


def _sampled(change: Callable[[int, int, Answer, int], Any]) -> Any:
    def sample(self: Any, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[Any]:
        for place, trial, answer in Honest().sample(queries, trials, seed):
            yield change(place, trial, answer, len(queries))

    return sample


BROKEN = {
    "fingerprint: the fingerprint is 7": broken(fingerprint=7),
    "fingerprint: the fingerprint is empty": broken(fingerprint=""),
    "fingerprint: the fingerprint is another one when it is read again": broken(fingerprint=Counting()),
    "fingerprint: it is another one after the model was asked": broken(answer=_later),
    "ability: it neither answers, nor scores": type("Mute", (), {"fingerprint": "mute"})(),
    "ability: it scores, and has no scale": type(
        "Scaleless", (), {"fingerprint": "1", "score": Honest.score, "answer": Honest.answer}
    )(),
    "answers: position 5 is not answered": broken(answer=placed(lambda said: said[:-1] or said)),
    "answers: position 0 is answered twice": broken(answer=placed(lambda said: [said[0], *said])),
    "answers: position 6 is answered, of 6": broken(answer=placed(lambda said: [(n + 1, a) for n, a in said])),
    "answers: it gives 'yes' where an Answer": broken(answer=placed(lambda said: [(n, "yes") for n, _ in said])),
    "answers: it yields Answer": broken(answer=placed(lambda said: [a for _, a in said])),
    "answers: the position '0'": broken(answer=placed(lambda said: [(str(n), a) for n, a in said])),
    "answers: every query failed, the first because 'no'": broken(
        answer=placed(lambda said: [(n, Answer.failed("no")) for n, _ in said])
    ),
    "answers: the likeliest answers": broken(
        answer=placed(lambda said: [(n, Answer.of("a", top=(("a", 0.1), ("b", 0.9)))) for n, _ in said])
    ),
    "answered otherwise in another order": broken(
        answer=placed(lambda said: [(n, Answer.of(f"{said[0][1].value} {n}")) for n, _ in said])
    ),
    "answered otherwise alone": broken(answer=placed(lambda said: [(n, Answer.of(str(len(said)))) for n, _ in said])),
    "pictures: a picture that cannot be read raised PictureError": broken(answer=_blind),
    "pictures: .* is answered otherwise beside a picture": broken(answer=_spoiled),
    "scores: 6 queries have scores of shape": broken(score=_scored(lambda scores: scores[:, None])),
    "scores: the scores are int64": broken(score=_scored(lambda scores: np.ones(len(scores), np.int64))),
    "scores: 'Is there a dog.' has no finite score": broken(score=_scored(lambda scores: scores * np.nan)),
    "scores: the scale is 'loud'": broken(scale="loud"),
    "scores: the scores are said to be probabilities": broken(score=_scored(lambda scores: scores * 100)),
    "scores: a text is scored otherwise alone": broken(score=_scored(lambda scores: scores / len(scores))),
    "scores: a text is scored otherwise in another order": broken(
        score=_scored(lambda scores: scores / np.arange(1, 1 + len(scores)))
    ),
    "samples: trial 9 was sampled": broken(sample=_sampled(lambda place, trial, answer, size: (place, 9, answer))),
    "samples: a sample is": broken(sample=_sampled(lambda place, trial, answer, size: (place, answer))),
    "samples: trial 2 .* is another one alone": broken(
        sample=_sampled(lambda place, trial, answer, size: (place, trial, Answer.of(f"{size}")))
    ),
    "samples: position 0 is answered twice": broken(
        sample=_sampled(lambda place, trial, answer, size: (0, trial, answer))
    ),
    "features: 6 queries have picture features": broken(
        picture_features=lambda self, queries: np.ones((1, 2), np.float32)
    ),
    "features: the text features are not all finite": broken(
        text_features=lambda self, queries: np.full((len(queries), 2), np.inf, np.float32)
    ),
    "answered otherwise from its features": broken(
        answer_from=lambda self, picture, text, queries: enumerate(Answer.of("x") for _ in queries)
    ),
}


@pytest.mark.parametrize("fact", BROKEN)
def test_a_broken_promise_is_raised_with_its_name(fact: str) -> None:
    with pytest.raises(AssertionError, match=fact):
        check_model(BROKEN[fact], asked())


def test_luck_that_is_no_seed_is_noticed() -> None:
    luck = np.random.default_rng(1)
    lucky = broken(sample=_sampled(lambda place, trial, answer, size: (place, trial, Answer.of(str(luck.random())))))
    with pytest.raises(AssertionError, match=r"samples: trial 1 .* is another one when it is sampled again"):
        check_model(lucky, asked())


def test_two_different_queries_are_needed() -> None:
    with pytest.raises(AssertionError, match="two different queries"):
        check_model(Honest(), [Query(None, "Is it?")] * 2)


def test_a_broken_picture_of_ones_own_can_be_named() -> None:
    class Pictures:
        def pixels(self, picture: Picture) -> Pixels:
            if picture.path == "bad":
                raise PictureError("bad")
            return np.zeros((2, 2, 3), np.uint8)

    class Careless(Honest):
        def _look(self, query: Query) -> None:
            if query.picture and Pictures().pixels(query.picture).size == 0:
                raise AssertionError

        def _answers(self, queries: Sequence[Query]) -> Iterator[Any]:
            for place, query in enumerate(queries):
                self._look(query)
                yield place, Answer.of(query.text)

    assert isinstance(Careless(), Model)
    check_model(Careless(), asked())
    with pytest.raises(AssertionError, match="pictures: a picture that cannot be read raised PictureError: bad"):
        check_model(Careless(), asked(), broken=Query(Picture("toy:bad"), "Is it?"))

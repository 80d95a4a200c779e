"""One model on several devices: the same answers from several processes, and what becomes of those that fail."""

import os
import pickle
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tellers import built_in, differing, failing, late, telling

from counterpoint import catalog
from counterpoint.core.errors import ModelError, UnknownName
from counterpoint.core.groups import Answer, Mode, Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import (
    Answerer,
    BatchingModel,
    FeatureModel,
    Model,
    SampledAnswer,
    Sampler,
    Scale,
    Scorer,
    StreamingScorer,
)
from counterpoint.models.multi_device import MultiDeviceModel, load_on_devices, split_by_picture
from counterpoint.world.source import World

DEVICES = ("cpu", "cpu")
TEXTS = ("Is there a dog?", "What color is the car?", "How many cups are there?", "Is the door open?")


def asked(mode: Mode = Mode.ANSWER) -> list[Query]:
    return [Query(Picture(f"world:test/{number:06}.png"), text, mode) for number in range(4) for text in TEXTS]


def said(model: object, queries: Sequence[Query]) -> dict[int, Answer]:
    assert isinstance(model, Answerer)
    answers = model.answer(queries)
    assert isinstance(answers, Iterable)
    return dict(answers)


def on(letters: str) -> list[Query]:
    return [Query(Picture(f"x:{letter}.png"), f"{n}?") for n, letter in enumerate(letters)]


@pytest.fixture(scope="module")
def two() -> Iterator[MultiDeviceModel]:
    with load_on_devices(telling, ("good", "bad")) as workers:
        yield workers


def test_a_built_in_model_says_the_same_from_two_processes() -> None:
    alone = catalog.model("fusion", World(scenes=4))
    assert isinstance(alone, Answerer)
    assert isinstance(alone, Scorer)
    assert isinstance(alone, Sampler)
    assert isinstance(alone, FeatureModel)
    with load_on_devices(partial(built_in, name="fusion"), DEVICES) as workers:
        assert isinstance(workers, Answerer)
        assert isinstance(workers, Scorer)
        assert isinstance(workers, Sampler)
        assert isinstance(workers, FeatureModel)
        assert not isinstance(workers, BatchingModel)
        assert workers.fingerprint == alone.fingerprint
        assert workers.scale is Scale.PROBABILITY
        assert said(workers, asked()) == said(alone, asked())
        assert np.array_equal(workers.score(asked(Mode.SCORE)), alone.score(asked(Mode.SCORE)))
        assert isinstance(alone, StreamingScorer)
        assert isinstance(workers, StreamingScorer)
        blind = [*asked(Mode.SCORE), Query(None, "It is red.", Mode.SCORE)]
        rated, plain = (one.stream_scores(blind) for one in (workers, alone))
        assert isinstance(rated, Iterable)
        assert isinstance(plain, Iterable)
        assert dict(rated) == dict(plain)
        passes = [{(place, trial): answer for place, trial, answer in _sampled(one)} for one in (workers, alone)]
        assert passes[0] == passes[1]
        assert len(passes[0]) == 32
        features = [(one.picture_features(asked()), one.text_features(asked())) for one in (workers, alone)]
        assert all(map(np.array_equal, *features))
        from_features = [dict(one.answer_from(*features[0], asked())) for one in (workers, alone)]
        assert from_features[0] == from_features[1] == said(alone, asked())
    assert workers.processes == ()


def _sampled(model: Sampler) -> Iterable[SampledAnswer]:
    passes = model.sample(asked(), [1, 2], 5)
    assert isinstance(passes, Iterable)
    return passes


def test_the_question_only_model_needs_no_more_than_a_name() -> None:
    with load_on_devices(partial(built_in, name="question-only"), DEVICES) as workers:
        assert isinstance(workers, Answerer)
        assert not isinstance(workers, Scorer)
        assert not hasattr(workers, "score")
        assert said(workers, asked()) == said(catalog.model("question-only", World(scenes=4)), asked())


def test_a_batch_is_spread_over_the_processes_and_pictures_stay_together(two: MultiDeviceModel) -> None:
    queries = on("aaabbbccd")
    words = [said(two, queries)[place].value.split() for place in range(9)]
    assert len(set(two.processes)) == 2
    assert {int(process) for process, *_ in words} == set(two.processes)
    assert os.getpid() not in two.processes
    by_picture = [{process for process, *_ in words[at : at + 3]} for at in (0, 3)]
    assert all(len(processes) == 1 for processes in by_picture)
    assert {told for _, told, _ in words} == {"1", "3"} or {told for _, told, _ in words} == {"2"}
    assert [text for *_, text in words] == [query.text for query in queries]


def test_workers_are_asked_several_batches_at_once_and_have_no_other_ports(two: MultiDeviceModel) -> None:
    assert isinstance(two, BatchingModel)
    assert two.batch_size == 4 * 2 * 8
    assert isinstance(two, Model)
    assert not isinstance(two, Scorer | Sampler | FeatureModel)
    assert not any(hasattr(two, name) for name in ("score", "scale", "sample", "picture_features", "answer_from"))


@pytest.mark.parametrize(
    ("text", "kind", "fact"),
    [
        ("unheard of", UnknownName, "no thing is called 'this'"),
        ("wrong", ZeroDivisionError, "by zero"),
        ("odd", ModelError, "OddError: 1 and 2"),
    ],
)
def test_what_a_worker_raises_flies_with_its_kind_after_the_others_are_done(
    two: MultiDeviceModel, text: str, kind: type[Exception], fact: str
) -> None:
    queries = [*on("aa"), Query(Picture("x:b.png"), text), Query(Picture("x:b.png"), "after")]
    assert isinstance(two, Answerer)
    came, answers = list[int](), two.answer(queries)
    assert isinstance(answers, Iterator)
    with pytest.raises(kind, match=fact):
        came.extend(place for place, _ in answers)
    assert came == [0, 1]
    assert set(said(two, on("ab"))) == {0, 1}


def test_where_it_was_raised_is_noted(two: MultiDeviceModel) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        said(two, [*on("a"), Query(Picture("x:b.png"), "wrong")])
    assert "in _fail" in "".join(caught.value.__notes__)


def test_answers_that_nobody_waited_for_are_not_taken_for_later_ones(two: MultiDeviceModel) -> None:
    assert isinstance(two, Answerer)
    answers = two.answer([Query(Picture(f"x:{letter}.png"), f"{letter * 20_000}") for letter in "abcdefgh"])
    assert isinstance(answers, Iterator)
    next(answers)
    del answers
    later = said(two, on("xyz"))
    assert [later[place].value.split()[2] for place in range(3)] == ["0?", "1?", "2?"]


def test_a_worker_that_dies_is_an_error_and_the_others_go_on(caplog: pytest.LogCaptureFixture) -> None:
    with load_on_devices(telling, ("good", "bad")) as workers:
        dead = workers.processes[1]
        with pytest.raises(ModelError, match="the worker on bad died with exit code 3"):
            said(workers, [*on("a"), Query(Picture("x:b.png"), "die")])
        assert dead not in workers.processes
        assert "1 go on without it" in caplog.text
        assert set(said(workers, on("abc"))) == {0, 1, 2}


def test_when_no_worker_is_left_it_says_so() -> None:
    with load_on_devices(telling, ("bad",)) as workers:
        with pytest.raises(ModelError, match="the worker on bad died"):
            said(workers, [Query(None, "die")])
        with pytest.raises(ModelError, match="no worker is left"):
            said(workers, on("a"))


def test_a_worker_that_is_killed_between_batches_is_noticed() -> None:
    with load_on_devices(telling, ("good", "good")) as workers:
        os.kill(workers.processes[0], 9)
        workers._pool._workers[0].process.join()
        with pytest.raises(ModelError, match="exit code -9"):
            said(workers, on("ab"))
        assert len(said(workers, on("ab"))) == 2


def test_processes_end_when_workers_are_closed_even_in_the_middle_of_work() -> None:
    workers = load_on_devices(telling, ("bad", "good"), exit_seconds=0.2)
    processes = workers.processes
    assert isinstance(workers, Answerer)
    answers = workers.answer([Query(Picture("x:a.png"), "wait"), *on("bc")])
    assert isinstance(answers, Iterator)
    next(answers)
    workers.close()
    workers.close()
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)
    with pytest.raises(ModelError, match="no worker is left"):
        said(workers, on("a"))


def test_a_model_that_cannot_be_made_is_an_error_with_its_hint() -> None:
    with pytest.raises(ModelError, match="no such device") as caught:
        load_on_devices(failing, ("good", "bad"))
    assert caught.value.hint == "another"


def test_models_that_differ_or_are_asynchronous_are_refused() -> None:
    with pytest.raises(ModelError, match="the models on one, two are not the same: one, two"):
        load_on_devices(differing, ("one", "two"))
    with load_on_devices(late, ("cpu",)) as workers, pytest.raises(ModelError, match="asynchronously"):
        said(workers, on("a"))


@pytest.mark.parametrize("devices", [(), ("cuda:0", "")])
def test_no_device_is_refused(devices: tuple[str, ...]) -> None:
    with pytest.raises(ModelError, match="names no devices"):
        load_on_devices(telling, devices)


@given(st.text("abc-", max_size=30), st.integers(1, 5))
def test_portions_are_whole_contiguous_and_keep_pictures_together(letters: str, most: int) -> None:
    queries = [Query(None if letter == "-" else Picture(f"x:{letter}"), "Is it?") for letter in letters]
    found = split_by_picture(queries, most)
    assert [place for portion in found for place in portion] == list(range(len(letters)))
    assert len(found) <= most
    assert all(found)
    for first, second in pairwise(found):
        before, after = queries[first[-1]].picture, queries[second[0]].picture
        assert after is None or before != after
    longest = max((len(list(run)) if one != "-" else 1 for one, run in groupby(letters)), default=0)
    assert all(len(portion) <= -(-len(letters) // most) + 2 * longest for portion in found)


def test_a_world_crosses_to_another_process_as_it_is() -> None:
    there = pickle.loads(pickle.dumps(World("train", 3, seed=4)))
    assert repr(there) == repr(World("train", 3, seed=4))
    shown = there[1].scene.picture
    assert np.array_equal(there.pixels(shown), World("train", 3, seed=4).pixels(shown))

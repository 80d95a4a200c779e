"""Edited features: noise as wide as features spread, the same whatever the batch; and features of another sample."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Answer, Query, Side, exchange_picture, exchange_text, noise_edit, reference_name
from counterpoint.core.pictures import Edit, Picture
from counterpoint.core.ports import FeatureModel, Floats, PlacedAnswer
from counterpoint.models.builtin.models import BuiltinAnswerer, cnn_lstm, fusion, question_only
from counterpoint.models.feature_edits import FeatureEditor, normal_noise
from counterpoint.world.source import World


class Adding:
    """Sees the number of a picture as many regions as it says, reads a text as its length; answers with all of it."""

    fingerprint = "adding"

    def __init__(self) -> None:
        self.looked = 0

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        """For picture n as many regions, (n, 10 n) each, and zeros after the last in the company of larger ones."""
        self.looked += len(queries)
        numbers = [int(query.picture.path) if query.picture else 0 for query in queries]
        room = np.zeros((len(queries), max(numbers), 2), np.float32)
        for row, number in zip(room, numbers, strict=True):
            row[:number] = (number, 10 * number)
        return room

    def text_features(self, queries: Sequence[Query]) -> Floats:
        """One number."""
        return np.array([[len(query.text)] for query in queries], np.float32)

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """All numbers as text, those of the regions that the picture has."""
        for place, query in enumerate(queries):
            regions = int(query.picture.path) if query.picture else 0
            yield place, Answer.of(repr((picture[place, :regions].tolist(), text[place].tolist())))


PLAIN = [Query(Picture(f"p:{number}"), "?" * number) for number in (1, 2, 3)]
NAME = reference_name(PLAIN)


def _edits(model: FeatureModel | None = None) -> FeatureEditor:
    return FeatureEditor(model or Adding(), {NAME: PLAIN})


def _said(edits: FeatureEditor, queries: Sequence[Query], size: int = 100) -> list[str]:
    found: dict[int, str] = {}
    for start in range(0, len(queries), size):
        found |= {start + place: answer.value for place, answer in edits.answer(queries[start : start + size])}
    return [found[place] for place in range(len(queries))]


def test_the_noise_is_that_which_a_hand_computes() -> None:
    assert isinstance(Adding(), FeatureModel)
    query = replace(PLAIN[1], edits=(noise_edit(Side.PICTURE, "0.5", NAME, 7),))
    spread = np.std([1, 2, 2, 3, 3, 3], ddof=1) * np.array([1, 10])  # each region once, zeros after the last never
    np.testing.assert_allclose(_edits().deviation(Side.PICTURE, NAME), spread, rtol=1e-6)
    drawn = normal_noise(b"%d 0" % query.id, (2, 2))
    wanted = np.array([[2, 20], [2, 20]], np.float32) + np.float32(0.5) * spread.astype(np.float32) * drawn
    seen, read = eval(_said(_edits(), [query])[0])
    np.testing.assert_allclose(seen, wanted, rtol=1e-6)
    assert read == [2.0]


def test_the_noise_of_words_leaves_the_picture_alone() -> None:
    query = replace(PLAIN[2], edits=(noise_edit(Side.TEXT, "1", NAME, 7),))
    seen, read = eval(_said(_edits(), [query])[0])
    assert seen == [[3.0, 30.0]] * 3
    drawn = float(normal_noise(b"%d 0" % query.id, (1,))[0])
    assert read == [pytest.approx(3 + drawn * float(np.std([1, 2, 3], ddof=1)))]


def test_noise_of_no_width_changes_nothing() -> None:
    still = [replace(query, edits=(noise_edit(side, "0", NAME, 3),)) for query in PLAIN for side in Side]
    wanted = [query for query in PLAIN for _ in Side]
    model = Adding()
    plain = dict(model.answer_from(model.picture_features(wanted), model.text_features(wanted), wanted))
    assert _said(_edits(), still) == [plain[place].value for place in range(len(wanted))]


noisy = st.builds(
    lambda query, side, seed: replace(query, edits=(noise_edit(side, "1", NAME, seed),)),
    st.sampled_from(PLAIN),
    st.sampled_from(list(Side)),
    st.integers(0, 2**32 - 1),
)


@given(st.lists(noisy, min_size=1, max_size=12, unique=True), st.integers(1, 5))
def test_one_seed_gives_one_answer_whatever_the_batch(queries: list[Query], size: int) -> None:
    assert _said(_edits(), queries) == _said(_edits(), queries, size)


def test_another_seed_another_query_and_another_edit_have_other_noise() -> None:
    edits = [noise_edit(Side.TEXT, "1", NAME, seed) for seed in (1, 2)]
    queries = [replace(query, edits=(edit,)) for query in PLAIN for edit in edits]
    twice = replace(PLAIN[0], edits=(edits[0], edits[0]))
    off = [read[0] - len(query.text) for query in queries for _, read in [eval(_said(_edits(), [query])[0])]]
    assert len(set(off)) == len(off)
    assert eval(_said(_edits(), [twice])[0])[1][0] - 1 != pytest.approx(2 * off[0])


def test_a_picture_in_many_edits_is_looked_at_once_and_references_once_for_all() -> None:
    model = Adding()
    edits = _edits(model)
    _said(edits, [replace(PLAIN[0], edits=(noise_edit(Side.PICTURE, "1", NAME, seed),)) for seed in range(30)])
    _said(edits, [replace(PLAIN[1], edits=(noise_edit(Side.PICTURE, "1", NAME, seed),)) for seed in range(30)])
    assert model.looked == 2 + len(PLAIN)


def test_the_numbers_are_normal() -> None:
    drawn = normal_noise(b"1", (400_000,))
    assert abs(float(drawn.mean())) < 0.01
    assert float(drawn.std()) == pytest.approx(1, abs=0.01)
    assert float((np.abs(drawn) < 1).mean()) == pytest.approx(0.6827, abs=0.005)
    assert normal_noise(b"1", (3,)).tolist() == [0.4878930449485779, 0.8494793176651001, -0.7839146256446838]


def test_what_another_sample_has_is_put_in_the_place_of_what_the_query_has() -> None:
    first, second = Picture("p:1"), Picture("p:3")
    exchanged = [
        Query(first, "Is it?", edits=(exchange_picture(second),)),
        Query(first, "Is it?", edits=(exchange_text("Who is it?"),)),
        Query(first, "Is it?", edits=(exchange_picture(second), exchange_text("Who is it?"))),
    ]
    assert [eval(one) for one in _said(_edits(), exchanged)] == [
        ([[3.0, 30.0]] * 3, [6.0]),
        ([[1.0, 10.0]], [10.0]),
        ([[3.0, 30.0]] * 3, [10.0]),
    ]


def test_references_that_nobody_listed_and_edits_that_nobody_knows_are_said() -> None:
    with pytest.raises(ModelError, match="no suite names the reference queries 0123"):
        _said(_edits(), [replace(PLAIN[0], edits=(noise_edit(Side.TEXT, "1", "0123", 1),))])
    with pytest.raises(ModelError, match="no edit of features"):
        _said(_edits(), [replace(PLAIN[0], edits=(Edit("blur", ("6",)),))])


def test_one_reference_says_nothing_of_spread_and_makes_no_noise() -> None:
    alone = FeatureEditor(Adding(), {NAME: PLAIN[:1]})
    query = replace(PLAIN[1], edits=(noise_edit(Side.TEXT, "1", NAME, 1),))
    assert eval(_said(alone, [query])[0])[1] == [2.0]


@pytest.fixture(scope="module")
def world() -> World:
    return World("test", 4)


@pytest.mark.parametrize("make", [fusion, cnn_lstm, question_only])
def test_built_in_models_answer_from_features_as_from_pictures(
    make: Callable[[World], BuiltinAnswerer], world: World
) -> None:
    model = make(world)
    asked = [Query(question.picture, question.text) for question in world.questions()][:20]
    name = reference_name(asked)
    edits = FeatureEditor(model, {name: asked})
    plain = dict(model.answer(asked))
    still = [replace(query, edits=(noise_edit(side, "0", name, 1),)) for query in asked for side in Side]
    for place, answer in edits.answer(still):
        assert answer == plain[place // 2]
    noisy = [replace(query, edits=(noise_edit(side, "2", name, 1),)) for query in asked for side in Side]
    assert _said(edits, noisy) == _said(FeatureEditor(model, {name: asked}), noisy, 3)
    other = asked[-1]
    swapped = [replace(query, edits=(exchange_picture(other.picture),)) for query in asked if other.picture]
    wanted = dict(model.answer([replace(query, picture=other.picture) for query in asked]))
    assert dict(edits.answer(swapped)) == wanted


def test_a_model_that_never_looks_is_not_moved_by_noise_in_pictures(world: World) -> None:
    model = question_only(world)
    asked = [Query(question.picture, question.text) for question in world.questions()][:20]
    edits = FeatureEditor(model, {"all": asked})
    noisy = [replace(query, edits=(Edit(Side.PICTURE.noise, ("50", "all"), 1),)) for query in asked]
    assert [answer for _, answer in sorted(edits.answer(noisy))] == [
        answer for _, answer in sorted(model.answer(asked))
    ]

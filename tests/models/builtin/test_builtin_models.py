"""The built-in models as shipped; COUNTERPOINT_WEIGHTS names another folder of weights while new ones are tried."""

import os
import pickle
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from blocks import TEXTS, Blocks, asked

from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Answer, Mode, Query, State
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Answerer, FeatureModel, Sampler, Scale, Scorer
from counterpoint.models.builtin import models as builtin
from counterpoint.models.builtin.models import BuiltinAnswerer, BuiltinAnswererScorer, BuiltinModel, BuiltinScorer
from counterpoint.models.builtin.onnx_graphs import WEIGHTS

FOLDER = Path(os.environ.get("COUNTERPOINT_WEIGHTS", WEIGHTS))
fusion = partial(builtin.fusion, weights=FOLDER)
cnn_lstm = partial(builtin.cnn_lstm, weights=FOLDER)
question_only = partial(builtin.question_only, weights=FOLDER)
picture_only = partial(builtin.picture_only, weights=FOLDER)
two_tower = partial(builtin.two_tower, weights=FOLDER)
ANSWERING = (fusion, cnn_lstm, question_only, picture_only)
EVERY = (*ANSWERING, two_tower)


def said(model: BuiltinAnswerer, queries: Sequence[Query]) -> list[Answer]:
    return [answer for _, answer in sorted(model.answer(queries), key=lambda placed: placed[0])]


def alike(one: Answer, other: Answer) -> bool:
    return (
        one.value == other.value
        and [value for value, _ in one.top] == [value for value, _ in other.top]
        and np.allclose([p for _, p in one.top], [p for _, p in other.top], atol=1e-5)
    )


@pytest.mark.parametrize("make", ANSWERING)
def test_an_answer_does_not_depend_on_its_company(make: Callable[[Blocks], BuiltinAnswerer]) -> None:
    queries = asked()
    together = said(make(Blocks()), queries)
    alone = [said(make(Blocks()), [query])[0] for query in queries[::5]]
    assert all(map(alike, together[::5], alone))
    mixed = said(make(Blocks()), queries[::-1])[::-1]
    assert all(map(alike, together, mixed))


@pytest.mark.parametrize("make", ANSWERING)
def test_the_likeliest_answers_come_first_with_probabilities(make: Callable[[Blocks], BuiltinAnswerer]) -> None:
    for answer in said(make(Blocks()), asked(2)):
        odds = [p for _, p in answer.top]
        assert len(odds) == 5
        assert answer.value == answer.top[0][0]
        assert odds == sorted(odds, reverse=True)
        assert 0 < sum(odds) <= 1 + 1e-9


def test_a_picture_is_shown_once_for_all_its_queries() -> None:
    pictures = Blocks()
    model = fusion(pictures)
    said(model, asked())
    assert len(pictures.shown) == 6
    said(model, asked())
    assert len(pictures.shown) == 6


def test_the_question_only_model_never_looks() -> None:
    pictures = Blocks()
    answers = said(question_only(pictures), [*asked(2), Query(None, TEXTS[0])])
    assert not pictures.shown
    assert answers[0] == answers[1] == answers[-1]


def test_the_picture_only_model_never_reads() -> None:
    model = picture_only(Blocks())
    answers = said(model, [Query(Picture("blocks:3"), text) for text in TEXTS])
    assert all(alike(answers[0], answer) for answer in answers)


@pytest.mark.parametrize("make", [fusion, cnn_lstm, picture_only])
def test_a_picture_that_cannot_be_read_costs_its_own_queries_only(make: Callable[[Blocks], BuiltinAnswerer]) -> None:
    queries = [Query(Picture("blocks:broken"), TEXTS[0]), Query(Picture("blocks:1"), TEXTS[0]), Query(None, TEXTS[0])]
    broken, whole, none = said(make(Blocks()), queries)
    assert broken.state is none.state is State.FAILED
    assert "broken" in broken.reason
    assert whole.state is State.OK


def test_pictures_of_another_size_are_brought_to_the_models_own() -> None:
    assert said(fusion(Blocks()), [Query(Picture("blocks:large"), TEXTS[0])])[0].state is State.OK


def test_an_answer_is_one_of_the_choices() -> None:
    model = fusion(Blocks())
    offered = tuple(model.card.answers[:3])
    for answer in said(model, [Query(Picture("blocks:1"), text, choices=offered) for text in TEXTS]):
        assert {value for value, _ in answer.top} == set(offered)
        assert sum(p for _, p in answer.top) == pytest.approx(1)
    assert said(model, [Query(Picture("blocks:1"), TEXTS[0], choices=("Yes", "No"))])[0].value in ("Yes", "No")
    assert said(model, [Query(Picture("blocks:1"), TEXTS[0], choices=("quark",))])[0].value in model.card.answers


@pytest.mark.parametrize("make", EVERY)
def test_answering_from_features_is_answering(make: Callable[[Blocks], BuiltinModel]) -> None:
    model, mode = make(Blocks()), Mode.SCORE if make is two_tower else Mode.ANSWER
    queries = asked(2, mode)
    seen, read = model.picture_features(queries), model.text_features(queries)
    assert len(seen) == len(read) == len(queries)
    answers = dict(model.answer_from(seen, read, queries))
    if isinstance(model, BuiltinAnswerer):
        assert all(alike(answers[place], answer) for place, answer in enumerate(said(model, queries)))
    if isinstance(model, BuiltinScorer) and not isinstance(model, BuiltinAnswererScorer):
        assert [answers[place].score for place in range(len(queries))] == pytest.approx(model.score(queries), abs=1e-6)


@pytest.mark.parametrize("make", [fusion, cnn_lstm])
def test_changed_features_change_answers(make: Callable[[Blocks], BuiltinModel]) -> None:
    model, queries = make(Blocks()), asked(3)
    seen, read = model.picture_features(queries), model.text_features(queries)
    plain = dict(model.answer_from(seen, read, queries))
    for changed in (model.answer_from(seen * 0, read, queries), model.answer_from(seen, read * 0, queries)):
        assert any(not alike(plain[place], answer) for place, answer in changed)


@pytest.mark.parametrize("make", EVERY)
def test_stochastic_passes_vary_between_trials_and_repeat_whatever_the_batch(
    make: Callable[[Blocks], BuiltinModel],
) -> None:
    mode = Mode.SCORE if make is two_tower else Mode.ANSWER
    queries = asked(2, mode)
    together = {(place, trial): answer for place, trial, answer in make(Blocks()).sample(queries, [1, 2, 3], 7)}
    assert len(together) == 3 * len(queries)
    for place in (0, 5):
        for _, trial, answer in make(Blocks()).sample([queries[place]], [3, 1], 7):
            assert _number(answer) == pytest.approx(_number(together[place, trial]), abs=1e-5)
    assert len({round(_number(together[0, trial]), 7) for trial in (1, 2, 3)}) == 3
    other_seed = {trial: answer for _, trial, answer in make(Blocks()).sample(queries[:1], [1], 8)}
    assert _number(other_seed[1]) != pytest.approx(_number(together[0, 1]), abs=1e-7)


def _number(answer: Answer) -> float:
    return answer.top[0][1] if answer.score is None else answer.score


def test_the_pass_of_trial_nought_has_no_dropout() -> None:
    model, queries = fusion(Blocks()), asked(2)
    plain = said(model, queries)
    assert all(alike(plain[place], answer) for place, _, answer in model.sample(queries, [0], 7))


def test_broken_pictures_fail_in_every_trial() -> None:
    broken = [Query(Picture("blocks:broken"), TEXTS[0])]
    assert [answer.state for *_, answer in fusion(Blocks()).sample(broken, [1, 2], 0)] == [State.FAILED] * 2


@pytest.mark.parametrize(("make", "scale"), [(fusion, Scale.PROBABILITY), (two_tower, Scale.SIMILARITY)])
def test_scores_have_their_scale_and_are_missing_where_the_picture_is(
    make: Callable[[Blocks], BuiltinScorer], scale: Scale
) -> None:
    model = make(Blocks())
    queries = [*asked(3, Mode.SCORE), Query(Picture("blocks:broken"), TEXTS[0], Mode.SCORE)]
    scores = model.score(queries)
    assert model.scale is scale
    assert np.isnan(scores[-1])
    assert (scores[:-1] >= (0 if scale is Scale.PROBABILITY else -1)).all()
    assert (scores[:-1] <= 1).all()


def test_a_query_for_a_score_is_answered_by_one() -> None:
    model = fusion(Blocks())
    queries = asked(2, Mode.SCORE)
    assert [answer.score for answer in said(model, queries)] == pytest.approx(model.score(queries), abs=1e-6)
    assert said(cnn_lstm(Blocks()), queries[:1])[0].state is State.FAILED


def test_models_claim_what_they_can_do_and_no_more() -> None:
    for make in EVERY:
        model = make(Blocks())
        assert isinstance(model, FeatureModel)
        assert isinstance(model, Sampler)
        assert isinstance(model, Answerer) == (make is not two_tower)
        assert isinstance(model, Scorer) == (make in (fusion, two_tower))


def test_fingerprints_tell_models_apart_and_survive_a_process() -> None:
    prints = {make(Blocks()).fingerprint for make in EVERY}
    assert len(prints) == 5
    model = fusion(Blocks())
    said(model, asked(1))
    assert pickle.loads(pickle.dumps(model)).fingerprint == model.fingerprint


def test_all_weights_together_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.rglob("*.onnx")) <= 12_000_000


def test_missing_weights_are_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"card\.json is not there"):
        builtin.fusion(Blocks(), weights=tmp_path)

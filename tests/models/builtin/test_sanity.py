from collections.abc import Sequence

import numpy as np

from counterpoint.core.groups import Gold, Mode, Query, State
from counterpoint.core.ports import Answerer, Sampler, Scorer
from counterpoint.models.builtin.sanity import ConstantModel, RandomModel, constant, random
from counterpoint.testing import GoldModel

QUERIES = [Query(None, f"Is it {number}?") for number in range(40)]


def said(model: ConstantModel | RandomModel, queries: Sequence[Query]) -> list[str]:
    return [answer.value for _, answer in sorted(model.answer(queries), key=lambda placed: placed[0])]


def test_the_constant_model_says_one_thing() -> None:
    assert set(said(constant(), QUERIES)) == {"yes"}
    assert said(ConstantModel("no"), QUERIES[:1]) == ["no"]
    assert constant().fingerprint != ConstantModel("no").fingerprint


def test_a_guess_follows_from_the_query_alone() -> None:
    forwards, backwards = said(random(), QUERIES), said(random(), QUERIES[::-1])
    assert forwards == backwards[::-1]
    assert len(set(forwards)) > 3


def test_guesses_stay_within_the_choices() -> None:
    asked = [Query(None, query.text, choices=("cat", "dog")) for query in QUERIES]
    assert set(said(random(), asked)) == {"cat", "dog"}


def test_guesses_differ_between_trials_and_repeat_within_one() -> None:
    first, again = (list(random().sample(QUERIES, [0, 1, 2], 5)) for _ in range(2))
    assert first == again
    by_trial = [[answer.value for _, trial, answer in first if trial == wanted] for wanted in (0, 1, 2)]
    assert by_trial[0] == said(random(), QUERIES)
    assert by_trial[1] != by_trial[2]


def test_the_model_that_knows_is_always_right_and_fails_where_it_was_told_nothing() -> None:
    told = {query.id: Gold.of(str(number)) for number, query in enumerate(QUERIES[:-1])}
    answers = [answer for _, answer in GoldModel(told).answer(QUERIES)]
    assert [answer.value for answer in answers[:-1]] == [str(number) for number in range(39)]
    assert answers[-1].state is State.FAILED


def test_the_model_that_knows_scores_what_fits_above_what_does_not() -> None:
    fits, fails = (Query(None, text, Mode.SCORE) for text in ("a cat", "a dog"))
    knowing = GoldModel({fits.id: Gold.of("yes"), fails.id: Gold.of("no")})
    assert knowing.score([fits, fails]).tolist() == [1.0, 0.0]


def test_sanity_models_answer_and_score() -> None:
    for model in (constant(), random(), GoldModel({})):
        assert isinstance(model, Answerer)
        assert isinstance(model, Scorer)
    assert isinstance(random(), Sampler)
    assert np.array_equal(random().score(QUERIES), random().score(QUERIES))

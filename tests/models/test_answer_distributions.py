"""Means of passes: the trial after all others holds the mean of their whole distributions."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from blocks import Blocks, asked

from counterpoint.core.groups import Group, Mode, Query, Relation, State
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import MEAN_TRIAL, AveragingSampler, Model, Pictures
from counterpoint.engine.plan import trial_numbers
from counterpoint.engine.running import run
from counterpoint.models.answer_distributions import MEAN_RULE, AnswerDistribution, mean_distribution, required_passes
from counterpoint.models.builtin.models import BuiltinAnswerer, cnn_lstm, fusion, question_only, two_tower
from counterpoint.models.builtin.sanity import ConstantModel, RandomModel
from counterpoint.store.groups import groups_table, read_queries, unique_queries
from counterpoint.testing import Echo, MemoryLog

CHOICES = ("yes", "no", "red")


@pytest.mark.parametrize("make", [fusion, cnn_lstm, question_only])
def test_a_mean_is_that_of_the_whole_distributions_of_its_passes(make: Callable[[Pictures], BuiltinAnswerer]) -> None:
    queries = [Query(Picture(f"blocks:{n}"), "Is there a dog?", choices=CHOICES) for n in range(3)]
    made = {(place, trial): answer for place, trial, answer in make(Blocks()).sample(queries, trial_numbers(15), 7)}
    assert set(made) == {(place, trial) for place in range(3) for trial in trial_numbers(15)}
    for place in range(3):
        odds = np.mean([[dict(made[place, trial].top)[word] for word in CHOICES] for trial in range(1, 16)], axis=0)
        found = made[place, MEAN_TRIAL + 15]
        assert dict(found.top) == pytest.approx(dict(zip(CHOICES, odds, strict=True)))
        assert found.value == CHOICES[int(odds.argmax())]
        assert found.score == pytest.approx(-(odds * np.log(odds)).sum() / np.log(3))
        assert found.rule == MEAN_RULE


def test_a_mean_needs_nobody_to_ask_for_its_passes_and_no_company() -> None:
    model, some = fusion(Blocks()), asked(3)
    alone = {place: answer for place, _, answer in model.sample(some, [MEAN_TRIAL + 4], 7)}
    for place, trial, answer in model.sample(some[::-1], [2, MEAN_TRIAL + 4], 7):
        if trial == MEAN_TRIAL + 4:
            other = alone[len(some) - 1 - place]
            assert answer.value == other.value
            assert answer.score == pytest.approx(other.score, abs=1e-5)
    assert required_passes([MEAN_TRIAL + 4]) == [1, 2, 3, 4]


def test_a_picture_that_cannot_be_read_has_no_mean() -> None:
    broken = [Query(Picture("blocks:broken"), "Is it?")]
    assert [answer.state for *_, answer in fusion(Blocks()).sample(broken, [1, MEAN_TRIAL + 1], 0)] == [
        State.FAILED
    ] * 2


def test_guesses_are_as_unsure_as_can_be() -> None:
    ((_, _, answer),) = RandomModel().sample([Query(None, "Is it?", choices=("yes", "no"))], [MEAN_TRIAL + 3], 0)
    assert answer.score == 1
    assert answer.top == (("yes", 0.5), ("no", 0.5))


def test_probabilities_that_are_each_their_own_have_a_mean_and_no_entropy() -> None:
    both = mean_distribution(
        [
            AnswerDistribution(["a", "b"], np.array([0.5, 0.75]), normalized=False),
            AnswerDistribution(["a", "b"], np.ones(2), normalized=False),
        ]
    )
    assert both.mean_answer(1).top == (("b", 0.875),)
    assert both.mean_answer(1).score is None


@pytest.mark.parametrize("model", [RandomModel(), Echo(), ConstantModel(), two_tower(Blocks())])
def test_a_run_asks_for_means_only_those_who_have_them_and_goes_on_where_it_was_stopped(
    model: Model,
) -> None:
    group = Group(Relation.SAME, tuple(Query(None, text) for text in "abcdefg"), (None,) * 7)
    scored = Group(Relation.RANKS, tuple(Query(None, text, Mode.SCORE) for text in "xy"), (None,) * 2)
    table = unique_queries(groups_table((("test", one) for one in (group, scored)), "suite"))
    table = table.append_column("digest", pa.array([""] * table.num_rows))
    log = MemoryLog()
    run(table, model, log, read=read_queries, trials=(0, 1, 2), batch=3, check=0)
    run(table, model, log, read=read_queries, trials=trial_numbers(4), batch=3, check=0)
    means = {query for query, trial in log.says if trial == MEAN_TRIAL + 4}
    assert means == ({query.id for query in group.queries} if isinstance(model, AveragingSampler) else set())

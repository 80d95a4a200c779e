"""Modality bias, blind controls and uncertainty: models of known behaviour come out as they are."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from math import inf, log
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.groups import Answer, Gold, Group, Query, Relation, State
from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import MEAN_TRIAL, Answerer, Model
from counterpoint.engine.plan import trial_numbers
from counterpoint.engine.running import run
from counterpoint.metrics.accuracy import answer_accuracy
from counterpoint.metrics.bias import BIAS
from counterpoint.metrics.metric import Statistic
from counterpoint.metrics.scoring import score_table
from counterpoint.metrics.uncertainty import NO_MEAN, NO_PASSES, UNCERTAINTY
from counterpoint.models.builtin.models import question_only
from counterpoint.models.builtin.sanity import ConstantModel, RandomModel
from counterpoint.store.answers import AnswerRows
from counterpoint.store.groups import groups_table, read_queries, unique_queries
from counterpoint.suites.bias import modality_bias as bias
from counterpoint.suites.bias.modality_bias import picture_bias, question_bias
from counterpoint.suites.own import plain
from counterpoint.suites.suite import generate_groups
from counterpoint.testing import Echo, GoldModel, MemoryLog
from counterpoint.world.source import World

SUITES = (question_bias, picture_bias, bias.blind_controls)
V = 7
TOLD = [replace(metric, largest_error=inf) if isinstance(metric, Statistic) else metric for metric in BIAS]
"""The metrics with chance levels that are told however few questions there are."""


class Behaving:
    """A model that answers by a rule."""

    def __init__(self, rule: Callable[[Query], str]) -> None:
        self.fingerprint, self._rule = "behaving", rule

    def answer(self, asked: Sequence[Query]) -> Iterable[tuple[int, Answer]]:
        """What the rule says."""
        return ((place, Answer.of(self._rule(query))) for place, query in enumerate(asked))


def _one_of(*content: str) -> str:
    return f"answer {seeded_rng(*content).randrange(V)}"


def _address(query: Query) -> str:
    return repr(query.picture)


@cache
def _groups() -> pa.Table:
    """The three suites on a small part of the world."""
    items = list(World("test", 30).grounded())
    made = (groups_table(generate_groups(suite, items, 0, 120), suite.name) for suite in SUITES)
    return pa.concat_tables(list(made))


def _scores(model: Answerer, groups: pa.Table | None = None, **more: Any) -> dict[str, dict[str, Any]]:
    """Each measure of bias that has a value, on the test that it is taken of."""
    groups = _groups() if groups is None else groups
    asked = unique_queries(groups)
    rows = AnswerRows(model.fingerprint)
    ids = asked["query"].to_pylist()
    rows.extend((ids[place], 0, answer, "", 0.0) for place, answer in _placed(model, read_queries(asked)))
    table = score_table(groups, rows.drain(), **{"metrics": TOLD} | more)
    return {row["metric"]: row for row in table.to_pylist() if row["value"] is not None}


def _placed(model: Answerer, asked: Sequence[Query]) -> list[tuple[int, Answer]]:
    given = model.answer(asked)
    assert isinstance(given, Iterable)
    return list(given)


def test_a_model_that_never_looks_has_a_question_bias_of_one_and_owes_the_picture_nothing() -> None:
    found = _scores(Behaving(lambda query: _one_of(query.text)))
    assert found["question_bias"]["value"] == 1
    assert found["picture_bias"]["value"] < 0.5
    assert found["owed_to_picture"]["value"] == 0


def test_a_model_that_never_reads_has_a_picture_bias_of_one_and_owes_the_question_nothing() -> None:
    found = _scores(Behaving(lambda query: _one_of(_address(query))))
    assert found["picture_bias"]["value"] == 1
    assert found["question_bias"]["value"] < 0.5
    assert found["owed_to_question"]["value"] == 0


def test_a_constant_model_has_both_biases_and_so_has_chance() -> None:
    found = _scores(ConstantModel())
    assert [found[name]["value"] for name in ("question_bias", "picture_bias")] == [1, 1]
    assert [found[name]["value"] for name in ("question_chance", "picture_chance")] == pytest.approx([1, 1])


class Silent(Behaving):
    """A model that says what the rule says, and refuses where that is nothing."""

    def answer(self, asked: Sequence[Query]) -> Iterable[tuple[int, Answer]]:
        """Refusals have a value here, which must not be taken for an answer."""
        for place, query in enumerate(asked):
            said = self._rule(query)
            yield place, Answer.of(said) if said else Answer(raw="Sorry.", value="sorry", state=State.REFUSED)


def test_refusals_agree_with_nothing_by_chance_either() -> None:
    found = _scores(Silent(lambda query: ""))
    assert [found[name]["value"] for name in ("question_bias", "picture_bias")] == [0, 0]
    assert [found[name]["value"] for name in ("question_chance", "picture_chance")] == [0, 0]
    half = _scores(Silent(lambda query: "yes" if seeded_rng(query.text).random() < 0.5 else ""))
    assert 0.05 < half["question_chance"]["value"] < 0.5  # a quarter of the couples, of which one half refuses


def test_a_model_that_answers_from_both_inputs_by_luck_is_as_biased_as_chance_has_it() -> None:
    found = _scores(Behaving(lambda query: _one_of(_address(query), query.text)))
    for name in ("question_bias", "picture_bias", "question_chance", "picture_chance"):
        assert found[name]["low"] <= 1 / V <= found[name]["high"]


def test_the_built_in_model_that_never_looks_is_found_out_on_the_world() -> None:
    found = _scores(question_only(World("test", 30)))
    assert found["question_bias"]["value"] == 1
    assert found["owed_to_picture"]["value"] == 0
    assert found["owed_to_question"]["low"] > 0


def test_a_model_that_knows_the_right_answers_is_always_right_and_owes_all_to_both_inputs() -> None:
    items = list(World("test", 10).questions())
    groups = [group for _, group in generate_groups(plain, items, 0)]
    gold = {query.id: gold for group in groups for query, gold in zip(group.queries, group.gold, strict=True) if gold}
    table = groups_table((("plain", group) for group in groups), "plain")
    found = _scores(GoldModel(gold), table, metrics=(answer_accuracy,))
    assert found["answer_accuracy"]["value"] == 1
    blind = [group for _, group in generate_groups(bias.blind_controls, items, 0, 60)]
    told = {group.base.id: group.gold[0] for group in blind if group.gold[0]}
    knowing = GoldModel(told)
    guessing = Behaving(lambda query: _placed(knowing, [query])[0][1].value if query.id in told else "nothing")
    found = _scores(guessing, groups_table((("blind-controls", group) for group in blind), "blind-controls"))
    assert found["owed_to_picture"]["value"] == found["owed_to_question"]["value"] == 1


def test_what_a_control_takes_is_told_for_each_of_them() -> None:
    groups = _groups().filter(pa.compute.equal(_groups()["suite"], "blind-controls"))
    model = Behaving(lambda query: "yes" if query.picture and not query.picture.edits else "nothing")
    asked = unique_queries(groups)
    rows = AnswerRows("m")
    ids = asked["query"].to_pylist()
    rows.extend((ids[place], 0, answer, "", 0.0) for place, answer in _placed(model, read_queries(asked)))
    table = score_table(groups, rows.drain(), by=["tag:control"], metrics=BIAS).to_pylist()
    lost = {row["tag:control"]: row["value"] for row in table if row["value"] is not None}
    assert set(lost) == {*bias.PICTURE, bias.NO_QUESTION}
    assert lost["no-picture"] == lost["mean-color"] == lost["shuffled"] > 0
    assert lost["other-picture"] == lost["no-question"] == 0


VALUES = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["yes", "no", "red"])), min_size=2, max_size=12)


def _bias_groups(said: Sequence[tuple[str, str]], variants: int = 1, *, pictures: int = 0) -> pa.Table:
    """A question of each kind, on a picture of its own or on one of so many."""

    def group(number: int, kind: str) -> Group:
        own = number % pictures if pictures else number
        asked = [Query(Picture(f"x:{own}.png"), f"{number}?")]
        asked += [Query(Picture(f"x:{number}-{other}.png"), f"{number}?") for other in range(variants)]
        return Group(Relation.SWAP, tuple(asked), (None,) * len(asked), kind=kind)

    groups = [group(number, kind) for number, (kind, _) in enumerate(said)]
    return groups_table((("question-bias", one) for one in groups), "question-bias")


def _values(table: pa.Table, rule: Callable[[Query], str]) -> dict[str, float]:
    """Bias and chance level."""
    return {name: row["value"] for name, row in _scores(Behaving(rule), table).items()}


@given(VALUES, st.integers(1, 3), st.integers(3, 12))
def test_chance_is_the_share_of_couples_of_one_kind_on_different_pictures_that_agree(
    said: list[tuple[str, str]], variants: int, pictures: int
) -> None:
    value = {f"{number}?": word for number, (_, word) in enumerate(said)}
    found = _values(_bias_groups(said, variants, pictures=pictures), lambda query: value[query.text])
    couples = [
        one[1] == other[1]
        for (a, one), (b, other) in combinations(enumerate(said), 2)
        if one[0] == other[0] and a % pictures != b % pictures
    ]
    assert found.get("question_chance") == (pytest.approx(np.mean(couples)) if couples else None)
    assert found["question_bias"] == pytest.approx(1)


def test_bias_weighs_kinds_by_couples_as_its_chance_level_does() -> None:
    """Six questions of one kind make fifteen couples, three of another three, and one of a third none."""
    said = [*[("a", "yes")] * 6, *[("b", "no")] * 3, ("c", "red")]
    kept = {"a": "yes", "b": "", "c": ""}
    kinds = {f"{number}?": kind for number, (kind, _) in enumerate(said)}

    def rule(query: Query) -> str:
        return "base" if "-" not in _address(query) else "base" if kept[kinds[query.text]] else "other"

    assert _values(_bias_groups(said), rule)["question_bias"] == pytest.approx(15 / 18)


def test_the_chance_level_does_not_depend_on_how_many_questions_are_drawn() -> None:
    """Twelve kinds, some of them with a single question: a random model is at one in three on 60 as on 600."""
    for many in (60, 600):
        said = [(f"kind {number % 12 if number % 7 else number}", "") for number in range(many)]
        found = _values(_bias_groups(said), lambda query: str(seeded_rng(query.text).randrange(3)))
        assert found["question_chance"] == pytest.approx(1 / 3, abs=0.12 if many == 60 else 0.04)


def test_a_chance_level_that_few_questions_tell_is_not_told() -> None:
    said = [("a", "") for _ in range(8)]
    table = _bias_groups(said)
    rule = Behaving(lambda query: str(seeded_rng(query.text).randrange(3)))
    rows = AnswerRows("behaving")
    asked = unique_queries(table)
    ids = asked["query"].to_pylist()
    rows.extend((ids[place], 0, answer, "", 0.0) for place, answer in _placed(rule, read_queries(asked)))
    found = {row["metric"]: row for row in score_table(table, rows.drain(), metrics=BIAS).to_pylist()}
    assert found["question_chance"]["value"] is None
    assert "standard error is above 4 points" in found["question_chance"]["reason"]
    assert found["question_bias"]["version"] == 2
    assert "question_chance" in _scores(rule, _bias_groups([("a", "")] * 200), metrics=BIAS)


def _sampled(model: Model, trials: Sequence[int]) -> dict[str, dict[str, Any]]:
    """The measures of uncertainty on two questions of which one has a variant."""
    asked = [Query(Picture(f"x:{n}.png"), f"Is it {n}?", choices=("yes", "no", "red", "blue")) for n in range(20)]
    groups = [Group(Relation.SAME, (one, one.with_text("Is it?")), (Gold.of("yes"),) * 2) for one in asked]
    table = groups_table((("test", group) for group in groups), "suite")
    log = MemoryLog()
    run(unique_queries(table), model, log, read=read_queries, trials=trials, check=0)
    rows = AnswerRows("m")
    rows.extend((query, trial, answer, "", 0.0) for (query, trial), answer in log.says.items())
    scores = score_table(table, rows.drain(), metrics=UNCERTAINTY)
    return {row["metric"]: row for row in scores.to_pylist()}


def test_guesses_are_as_uncertain_as_their_number_allows() -> None:
    found = _sampled(RandomModel(), trial_numbers(15))
    assert found["uncertainty"]["value"] == pytest.approx(0.75)
    assert found["mean_entropy"]["value"] == pytest.approx(1)
    assert {row["n"] for row in found.values()} == {20}  # of bases alone
    assert 1 / 4 < found["sampling_agreement"]["value"] < 0.7
    assert 0.3 < found["answer_entropy"]["value"] < log(4) / log(15)
    assert all(row["low"] <= row["value"] <= row["high"] for row in found.values())


def test_a_model_that_only_speaks_has_the_agreement_of_its_passes_and_a_reason_for_the_rest() -> None:
    found = _sampled(Echo(), trial_numbers(4))  # which says something else in every trial
    assert found["sampling_agreement"]["value"] == 1 / 4
    assert found["answer_entropy"]["value"] == pytest.approx(1)
    assert found["uncertainty"]["value"] is None
    assert found["uncertainty"]["reason"] == NO_MEAN


def test_without_passes_nothing_is_said_of_uncertainty_but_why() -> None:
    found = _sampled(ConstantModel(), trial_numbers(15))
    assert {name: row["value"] for name, row in found.items()} == dict.fromkeys(found)
    assert {found[name]["reason"] for name in ("sampling_agreement", "answer_entropy")} == {NO_PASSES}


@given(st.lists(st.lists(st.sampled_from(["yes", "no", "red"]), min_size=2, max_size=6), min_size=1, max_size=4))
def test_agreement_and_entropy_are_those_of_the_values_of_the_passes(told: list[list[str]]) -> None:
    groups = [Group(Relation.GOLD, (Query(None, f"{n}?"),), (Gold.of("yes"),)) for n in range(len(told))]
    table = groups_table((("test", group) for group in groups), "suite")
    rows = AnswerRows("m")
    for one, words in zip(groups, told, strict=True):
        for trial, word in enumerate(["yes", *words]):
            rows.extend([(one.base.id, trial, Answer.of(word), "", 0.0)])
        few, many = (Answer.of("a", top=(("a", share),)) for share in (0.9, 0.25))
        rows.extend([(one.base.id, MEAN_TRIAL + 9, many, "", 0.0), (one.base.id, MEAN_TRIAL + 2, few, "", 0.0)])
    found = {row["metric"]: row["value"] for row in score_table(table, rows.drain(), metrics=UNCERTAINTY).to_pylist()}
    counts = [Counter(words) for words in told]
    agreement = [max(count.values()) / count.total() for count in counts]
    entropy = [_entropy(count) / log(count.total()) for count in counts]
    assert found["sampling_agreement"] == pytest.approx(np.mean(agreement))
    assert found["answer_entropy"] == pytest.approx(np.mean(entropy))
    assert found["uncertainty"] == pytest.approx(0.75)  # the mean of most passes stands


def _entropy(counts: Mapping[str, int]) -> float:
    total = sum(counts.values())
    return -sum(n / total * log(n / total) for n in counts.values())

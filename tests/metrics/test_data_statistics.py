"""Counts of a data set are what naive counting gives, and overlaps of answer spaces keep their bounds."""

from collections import Counter
from itertools import pairwise
from math import isnan, log2, sqrt
from statistics import fmean, median_low

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.groups import Gold
from counterpoint.core.items import Caption, Dialogue, Frame, Question, Role, Turn
from counterpoint.core.pictures import Picture
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.metrics.data_statistics import (
    ANSWER_KINDS,
    ANSWERS,
    AccuracyCeiling,
    AnswerSpace,
    ItemTally,
    NumberHistogram,
    WordFrequencies,
    best_answer,
    compare_spaces,
    gold_answers,
    jensen_shannon_distance,
)
from counterpoint.world.source import World

WORDS = st.dictionaries(st.text(max_size=3), st.integers(1, 50), max_size=12)
NUMBERS = st.lists(st.integers(0, 400), min_size=1, max_size=60)


def _tallied(kind: str, items: list[object], rules: str = "exact") -> ItemTally:
    tally = ItemTally(kind, rule_set(rules).normalize)
    for item in items:
        tally.count(item)
    return tally


@given(WORDS)
def test_a_ranking_counts_and_orders_as_a_loop_would(counts: dict[str, int]) -> None:
    ranking, total = WordFrequencies.of(counts), sum(counts.values())
    assert (ranking.total, ranking.distinct) == (total, len(counts))
    assert ranking.entropy == pytest.approx(sum(n / total * log2(total / n) for n in counts.values()))
    assert ranking.effective <= len(counts) + 1e-9
    top = ranking.top()
    assert [(one.word, one.count) for one in top] == sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    assert ranking.top(3) == top[:3]
    assert sum(one.share for one in top) == pytest.approx(1.0 if counts else 0.0)


@given(NUMBERS, st.integers(1, 30))
def test_a_spread_is_what_the_numbers_are(numbers: list[int], most: int) -> None:
    spread = NumberHistogram.of(Counter(numbers))
    assert spread.mean == pytest.approx(fmean(numbers))
    assert spread.median == median_low(numbers)
    assert (spread.least, spread.most, spread.total) == (min(numbers), max(numbers), len(numbers))
    bins = spread.bins(most)
    assert len(bins) <= max(most, 1)
    assert [one.count for one in bins] == [sum(one.low <= n <= one.high for n in numbers) for one in bins]
    assert sum(one.count for one in bins) == len(numbers)
    assert len({one.high - one.low for one in bins}) == 1
    assert all(before.high + 1 == after.low for before, after in pairwise(bins))


def test_nothing_counted_is_nothing_and_no_error() -> None:
    assert (WordFrequencies({}).entropy, WordFrequencies({}).effective, WordFrequencies({}).top()) == (0.0, 0.0, ())
    assert (
        NumberHistogram({}).mean,
        NumberHistogram({}).median,
        NumberHistogram({}).least,
        NumberHistogram({}).bins(),
    ) == (0.0, 0, 0, ())
    assert ItemTally("questions").spreads == {}


def test_scenes_of_the_world_are_counted_as_a_loop_would() -> None:
    scenes = list(World("test", 12).scenes())
    found = _tallied("scenes", list(scenes))
    assert (found.items, len(found.pictures)) == (12, 12)
    objects = [one for scene in scenes for one in scene.objects]
    assert found.rankings["objects"].counts == Counter(one.name for one in objects)
    assert found.rankings["attributes"].counts == Counter(word for one in objects for word in one.attributes)
    assert found.rankings["relations"].counts == Counter(link.name for scene in scenes for link in scene.relations)
    assert found.spreads["objects per scene"].counts == Counter(len(scene.objects) for scene in scenes)
    assert found.spreads["attributes per object"].total == len(objects)


def test_questions_are_counted_by_their_best_answers_as_they_are_compared() -> None:
    picture = Picture("coco:1.jpg")
    asked = [
        Question("1", picture, "How many dogs?", Gold((("Two", 1.0), ("3", 0.3))), kind="how many", votes=("Two", "2")),
        Question("2", picture, "Is it  a dog?", Gold((("maybe", 0.3), ("yes", 0.9)))),
        Question("3", Picture("coco:2.jpg"), "What is it?", Gold(()), choices=("dog", "cat")),
    ]
    found = _tallied("questions", list(asked), "vqa")
    assert found.rankings[ANSWERS].counts == {"2": 1, "yes": 1}
    assert found.rankings[ANSWER_KINDS].counts == {"number": 1, "yes/no": 1}
    assert found.rankings["question types"].counts == {"(none)": 2, "how many": 1}
    assert found.spreads["words per question"].counts == {3: 2, 4: 1}
    assert found.spreads["different answers per question"].counts == {1: 1}
    assert found.spreads["choices per question"].counts == {2: 1}
    assert found.spreads["questions per picture"].counts == {1: 1, 2: 1}
    assert [best_answer(one) for one in asked] == ["Two", "yes", None]


def test_captions_dialogues_and_frames_are_counted_too() -> None:
    picture = Picture("coco:1.jpg")
    captions = [Caption("1", picture, "a dog runs", "a cat runs", "dog", "cat"), Caption("2", picture, "a dog")]
    found = _tallied("captions", list(captions))
    assert found.spreads["words per caption"].counts == {2: 1, 3: 1}
    assert found.spreads["captions per picture"].counts == {2: 1}
    assert found.rankings["foils"].counts == {"dog → cat": 1}
    talk = Dialogue("1", picture, "a dog", (Turn("is it big", "no"), Turn("what now", "")))
    spoken = _tallied("dialogues", [talk])
    assert spoken.spreads["turns per dialogue"].counts == {2: 1}
    assert spoken.rankings[ANSWERS].counts == {"no": 1}
    assert list(gold_answers("dialogues", talk)) == [(("no", 1.0),)]
    frame = Frame("1", picture, "kicking", (Role("agent", "boy"), Role("item", "ball")))
    acted = _tallied("frames", [frame])
    assert (acted.rankings["verbs"].counts, acted.spreads["roles per frame"].counts) == ({"kicking": 1}, {2: 1})


@given(WORDS, WORDS)
def test_an_overlap_keeps_its_bounds_and_is_the_same_from_both_sides(one: dict[str, int], two: dict[str, int]) -> None:
    here, there = AnswerSpace("one", one), AnswerSpace("two", two)
    found, back = compare_spaces(here, there), compare_spaces(there, here)
    assert found.jaccard == back.jaccard
    assert found.shared == back.shared == len(set(one) & set(two))
    assert (found.covered, found.covers) == (back.covers, back.covered)
    assert 0 <= found.jaccard <= 1
    assert found.covered is None or 0 <= found.covered <= 1
    if one:
        assert found.covered == pytest.approx(sum(n for word, n in one.items() if word in two) / sum(one.values()))
        assert (compare_spaces(here, here).jaccard, compare_spaces(here, here).covered) == (1, 1)
    assert all(word in one and word not in two for word, _ in found.absent)


@given(
    st.lists(st.dictionaries(st.sampled_from("abcd"), st.floats(0, 1), min_size=1), min_size=1),
    st.sets(st.sampled_from("abcd")),
)
def test_the_ceiling_is_the_mean_of_the_best_that_can_be_said(golds_: list[dict[str, float]], said: set[str]) -> None:
    ceiling = AccuracyCeiling(AnswerSpace.listed("few", said, str), str)
    for gold in golds_:
        ceiling.add(tuple(gold.items()))
    assert ceiling.value == pytest.approx(
        fmean(max([gold[a] for a in gold if a in said], default=0.0) for gold in golds_)
    )


def test_a_bare_list_has_answers_and_no_questions() -> None:
    space = AnswerSpace.listed("list", ["The  Dog", "dog", "2", "two"], rule_set("vqa").normalize)
    assert (tuple(space.counts), space.questions) == (("2", "dog"), 0)
    found = compare_spaces(AnswerSpace("ours", {"dog": 3, "cat": 1}), space)
    assert (found.covered, found.covers, found.absent) == (0.75, None, (("cat", 1),))
    assert AccuracyCeiling(space, str).value is None


COUNTS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 50), min_size=1)


def _entropy(shares: list[float]) -> float:
    return -sum(share * log2(share) for share in shares if share > 0)


@given(COUNTS, COUNTS)
def test_it_is_the_root_of_what_the_entropy_of_the_mixture_exceeds_the_mean_entropy_by(
    one: dict[str, int], other: dict[str, int]
) -> None:
    left, right = ([side.get(word, 0) / sum(side.values()) for word in "abcdefgh"] for side in (one, other))
    mixed = [(a + b) / 2 for a, b in zip(left, right, strict=True)]
    naive = _entropy(mixed) - (_entropy(left) + _entropy(right)) / 2
    assert jensen_shannon_distance(one, other) == pytest.approx(sqrt(max(naive, 0)), abs=1e-6)


@given(COUNTS, COUNTS, st.integers(2, 9))
def test_it_is_the_same_both_ways_and_for_as_many_times_the_words(
    one: dict[str, int], other: dict[str, int], times: int
) -> None:
    found = jensen_shannon_distance(one, other)
    assert 0 <= found <= 1
    assert jensen_shannon_distance(other, one) == pytest.approx(found, abs=1e-7)
    assert jensen_shannon_distance({word: times * n for word, n in one.items()}, other) == pytest.approx(
        found, abs=1e-7
    )


def test_no_word_in_common_is_one_and_no_words_are_no_number() -> None:
    assert jensen_shannon_distance({"four": 3, "five": 1}, {"two": 3}) == 1.0
    assert isnan(jensen_shannon_distance({}, {"two": 3}))
    assert isnan(jensen_shannon_distance({}, {}))

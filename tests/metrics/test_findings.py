"""Findings: planted weaknesses are found, nothing is found where nothing is, and features never depend on answers."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
from answer_tables import Made, Member, Said, tables

from benchmarks import findings as simulated
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.pictures import Edit, Picture
from counterpoint.lab.finding_words import change_sentence, finding_sentence
from counterpoint.metrics.findings.choice import find_changes, find_weak_slices
from counterpoint.metrics.findings.features import SearchSpace, SliceFeature, find_features, prepare_groups
from counterpoint.metrics.findings.patterns import find_patterns
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.units import Flags
from counterpoint.store.groups import groups_table

FEATURES = 30


def make_space(rng: np.random.Generator, groups: int = 900, pictures: int = 300) -> SearchSpace:
    picture = np.unique(np.sort(rng.integers(0, pictures, groups)), return_inverse=True)[1].astype(np.int32)
    flags = rng.random((groups, FEATURES)) < rng.uniform(0.06, 0.4, FEATURES)
    names = tuple(SliceFeature("word", f"w{number}") for number in range(FEATURES))
    return SearchSpace(names, flags, picture, np.arange(groups))


def outcomes(space: SearchSpace, rng: np.random.Generator, weak: Flags | None = None, gap: float = 0.0) -> Flags:
    difficulty = rng.normal(size=space.picture[-1] + 1)[space.picture]
    chance = 1 / (1 + np.exp(1 - difficulty))
    return np.asarray(rng.random(len(chance)) < chance + (gap * weak if weak is not None else 0.0))


def jaccard(one: Flags, other: Flags) -> float:
    return float((one & other).sum() / (one | other).sum())


@pytest.mark.parametrize("places", [(3,), (1, 5)])
def test_a_planted_weakness_is_found_and_nothing_else(places: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(places))
    space = make_space(rng)
    space.flags[:, 1], space.flags[:, 5] = rng.random((2, len(space.picture))) < 0.35
    weak = space.inside(places)
    (found,) = find_weak_slices(space, outcomes(space, rng, weak, 0.5))
    assert found.is_significant
    assert jaccard(found.inside, weak) == 1
    assert found.share < found.elsewhere
    assert found.n == weak.sum()


def test_two_facts_are_two_findings_and_the_one_that_explains_more_is_first() -> None:
    rng = np.random.default_rng(5)
    space = make_space(rng)
    few, many = space.inside((2,)), space.inside((7,))
    if few.sum() > many.sum():
        few, many = many, few
    space.flags[:, 9] = few ^ (rng.random(len(few)) < 0.03)  # nearly the same fact under another name
    found = find_weak_slices(space, outcomes(space, rng, few | many, 0.45))
    assert [own.is_significant for own in found] == [True, True]
    assert jaccard(found[0].inside, many) > 0.9
    assert jaccard(found[1].inside, few) > 0.9


@pytest.mark.parametrize(("places", "words"), [((2,), "elsewhere"), ((2, 7), "outside all findings")])
def test_a_sentence_says_what_its_second_share_is_of(places: tuple[int, ...], words: str) -> None:
    rng = np.random.default_rng(5)
    space = make_space(rng)
    fails = outcomes(space, rng, np.logical_or.reduce([space.inside((place,)) for place in places]), 0.7)
    found = find_weak_slices(space, fails)
    assert len(found) == len(places)
    outside = ~np.logical_or.reduce([own.inside for own in found])
    for own in found:
        assert own.elsewhere == pytest.approx(1 - fails[outside].mean())
        assert f"against {100 * own.elsewhere:.0f} % {words};" in finding_sentence(own, "of a kind")
        assert change_sentence(own, "of a kind").partition("; ")[2].startswith(words)


def test_slices_that_overlap_and_always_fail_are_told_once_each() -> None:
    rng = np.random.default_rng(0)
    flags = rng.random((900, 6)) < 0.3
    flags[:, 0], flags[:, 1] = np.arange(900) % 3 == 0, rng.random(900) < 0.45
    flags[:, 2] = rng.random(900) < 0.2
    names = tuple(SliceFeature("word", f"w{number}") for number in range(6))
    space = SearchSpace(names, flags, (np.arange(900) // 3).astype(np.int32), np.arange(900))
    found = find_weak_slices(space, flags[:, :3].any(axis=1) | (rng.random(900) < 0.4))
    assert [own.features for own in found] == [names[1:2], names[:1]]


def test_without_a_weakness_the_largest_gaps_are_not_significant() -> None:
    rng = np.random.default_rng(8)
    space = make_space(rng)
    found = find_weak_slices(space, outcomes(space, rng))
    assert 0 < len(found) <= 3
    assert not any(own.is_significant for own in found)


def test_a_gap_is_told_once_where_there_are_few_features() -> None:
    place = np.arange(60)
    space = SearchSpace((SliceFeature("kind", "what"),), place[:, None] < 30, place.astype(np.int32), place)
    (found,) = find_weak_slices(space, place % 30 < np.where(place < 30, 17, 13))
    assert found.n == 30
    assert not found.is_significant


def test_a_difficult_picture_is_no_finding() -> None:
    rng = np.random.default_rng(9)
    space = make_space(rng, groups=600, pictures=40)
    space.flags[:, 0] = space.picture < 12  # a feature of whole pictures
    difficult = np.isin(space.picture, [1, 4, 5, 8])
    assert not any(own.is_significant for own in find_weak_slices(space, difficult | (rng.random(600) < 0.2)))


def test_halves_confirm_what_is_there() -> None:
    rng = np.random.default_rng(3)
    space = make_space(rng)
    weak = space.inside((4,))
    found = find_weak_slices(space, outcomes(space, rng, weak, 0.5), confirm="split")
    assert [jaccard(own.inside, weak) for own in found if own.is_significant] == [1]


def test_changes_are_told_in_both_directions_apart_from_the_change_everywhere() -> None:
    rng = np.random.default_rng(4)
    space = make_space(rng)
    worse, better = space.inside((4,)), space.inside((11,)) & ~space.inside((4,))
    before = rng.random(len(worse)) < 0.5
    after = before & (rng.random(len(worse)) < 0.9)
    after = np.where(worse, rng.random(len(worse)) < 0.9, np.where(better, rng.random(len(worse)) < 0.1, after))
    found = [own for own in find_changes(space, after, before) if own.is_significant]
    assert jaccard(found[0].inside, worse) > 0.9
    assert found[0].share < 0 < found[1].share
    assert jaccard(found[1].inside, space.inside((11,))) > 0.6


def test_a_model_that_only_got_worse_is_said_to_be_worse() -> None:
    space = make_space(np.random.default_rng(3), groups=400)
    worse = space.inside((10,))
    found = find_changes(space, worse, np.zeros(len(worse), np.bool_))
    assert (found[0].share, found[0].elsewhere) == (-1.0, 0.0)


def test_a_model_that_is_always_right_or_always_wrong_has_no_finding() -> None:
    space = make_space(np.random.default_rng(0), groups=100)
    assert find_weak_slices(space, np.zeros(100, np.bool_)) == find_weak_slices(space, np.ones(100, np.bool_)) == ()


def _groups() -> pa.Table:
    groups = []
    for number in range(120):
        noun, picture = ("dog", "cat", "bus")[number % 3], Picture(f"photos:{number // 2}.png")
        noisy = Picture(picture.address, (Edit("blur", ("1",)),))
        texts = (f"Is there a {noun}?", f"Is there no {noun}?" if number % 2 else f"Is a {noun} visible?")
        queries = tuple(Query(own, text) for own, text in zip((picture, noisy), texts, strict=True))
        relation = Relation.DIFFERS if number % 2 else Relation.SAME
        gold = (Gold.of("yes"), Gold.of("no" if number % 2 else "yes"))
        tags = ((("weather", "rain"),), (("weather", "snow"),)) if number < 40 else ()
        groups.append(("presence", Group(relation, queries, gold, tags=tags)))
    exchanged = Group(Relation.SWAP, groups[0][1].queries, groups[0][1].gold)
    return groups_table([*groups, ("exchange", exchanged)], "presence")


def test_features_are_words_tags_gold_and_edits_and_those_of_the_same_groups_are_one() -> None:
    table = prepare_groups(_groups())
    space = find_features(table)
    sizes = dict(zip(space.features, space.flags.sum(axis=0).tolist(), strict=True))
    assert len(space.picture) == 120
    assert sizes[SliceFeature("word", "dog")] == 40
    assert sizes[SliceFeature("tag:weather", "rain")] == 40
    assert SliceFeature("tag:weather", "snow") not in sizes  # the base has another weather
    assert sizes[SliceFeature("relation", "differs")] == 60
    assert SliceFeature("new word", "no") not in sizes  # the groups whose answers differ
    assert not {"edit", "gold", "test"} & {own.column for own in sizes}  # all groups have these
    assert (np.diff(space.picture) >= 0).all()


@pytest.mark.prove
def test_weaknesses_planted_in_a_simulated_lab_are_found_first_or_second() -> None:
    space, rng = simulated.make_space(0), np.random.default_rng(0)
    planted = [simulated.plant(space, columns, 60, rng) for columns in (("object",), ("relation", "tag"))]
    planted += [simulated.hide(own, rng) for own in planted[:1] if own]
    assert all(own and simulated.is_found(space, own, 0.45, seed) for seed, own in enumerate(planted))
    assert not any(simulated.has_finding(seed) for seed in (0, simulated.SPACES))


@pytest.mark.prove
def test_findings_hold_what_they_promise() -> None:
    labs = range(simulated.FIRST, simulated.FIRST + 1000)
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(simulated.try_lab, labs[:6]))
        null = sum(pool.map(simulated.has_finding, labs, chunksize=10))
    for setting in simulated.SETTINGS[:2]:
        own = [hit for lab in found for (_, *key), hits in lab.items() if tuple(key) == setting for hit in hits]
        assert np.mean(own) >= 0.95
    assert null <= 63


@pytest.mark.parametrize(
    ("gold", "said", "text", "name", "detail"),
    [
        ("no", "yes", "Is it?", "yes", "yes"),
        ("2", "3", "How many?", "more", "1"),
        ("wood", "metal", "Is it of metal or wood?", "first", ""),
        ("red", "blue", "What color is it?", "color", ""),
        ("left", "up", "Where is it?", "one", "up"),
    ],
)
def test_wrong_answers_that_are_alike_have_a_pattern(gold: str, said: str, text: str, name: str, detail: str) -> None:
    pictures = [f"world:{number}.png" for number in range(10)]
    wrong = [Made((Member({gold: 1.0}, Said(value=said)),), picture=picture) for picture in pictures]
    right = [Made((Member({"blue": 1.0}, Said(value="blue")),), picture=picture) for picture in pictures]
    groups, answers, _ = tables([*wrong, *right])
    judged = judge(groups, answers)
    texts = pa.chunked_array([[text] * groups.num_rows])
    found = {own.name: own for own in find_patterns(judged, texts, np.arange(groups.num_rows), ["red", "blue"])}
    assert (found[name].count, found[name].of, found[name].detail) == (10, 10, detail)


def test_an_answer_that_is_no_color_has_no_pattern_of_colors() -> None:
    wrong = [Made((Member({"red": 1.0}, Said(value="yes")),), picture=f"world:{number}.png") for number in range(10)]
    right = [Made((Member({"yes": 1.0}, Said(value="yes")),), picture=own.picture) for own in wrong]
    groups, answers, _ = tables([*wrong, *right])
    texts = pa.chunked_array([["What color is it?"] * groups.num_rows])
    found = find_patterns(judge(groups, answers), texts, np.arange(groups.num_rows), ["red", "blue"])
    assert [own.name for own in found] == ["one"]

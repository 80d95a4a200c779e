"""The trained text-only probe: planted cues are found, noise is clean or too little, mirrored pairs stay together."""

from collections.abc import Callable, Iterator, Sequence
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proving import scaled

from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.store.groups import groups_table
from counterpoint.studies.blind_probe import (
    FOLDS,
    ProbeFinding,
    TellingWord,
    Verdict,
    assign_folds,
    connected_components,
    most_telling,
    probe,
)
from counterpoint.studies.logistic_regression import (
    Floats,
    Loss,
    SparseCounts,
    fit,
    minimize,
    ngrams,
    pair_loss,
    softmax_loss,
)

WORDS = [f"word{n}" for n in range(40)]
TextPair = tuple[str, str]


def _pairs(pairs: Sequence[TextPair], pictures: Callable[[int], int] = lambda n: n) -> pa.Table:
    groups = [
        (
            "pairs",
            Group(
                Relation.RANKS,
                tuple(Query(Picture(f"toy:{pictures(number)}.png"), text, Mode.SCORE) for text in texts),
                (None, None),
            ),
        )
        for number, texts in enumerate(pairs)
    ]
    return groups_table(groups, "toy")


def _noise(many: int, rng: Random) -> Iterator[TextPair]:
    """A caption of random words, and a foil with another word in the place of one of them."""
    for _ in range(many):
        caption = rng.choices(WORDS, k=6)
        foil = [*caption]
        foil[rng.randrange(6)] = rng.choice(WORDS)
        yield " ".join(caption), " ".join(foil)


def _questions(texts: Sequence[tuple[str, str]], kind: str = "color", choices: tuple[str, ...] = ()) -> pa.Table:
    groups = [
        (
            "plain",
            Group(
                Relation.GOLD,
                (Query(Picture(f"toy:{number}.png"), text, choices=choices),),
                (Gold.of(answer),),
                kind=kind,
            ),
        )
        for number, (text, answer) in enumerate(texts)
    ]
    return groups_table(groups, "toy")


def test_a_word_planted_in_foils_makes_a_test_answerable_and_comes_first() -> None:
    rng = Random(1)
    planted = []
    for caption, foil in _noise(150, rng):
        words = foil.split()
        words.insert(rng.randrange(7), "obviously")
        planted.append((caption, " ".join(words)))
    (finding,) = probe(_pairs(planted))
    assert (finding.unit, finding.n, finding.components, finding.chance) == ("pairs", 150, 150, 0.5)
    assert finding.verdict is Verdict.ANSWERABLE
    assert finding.value > 0.95
    assert finding.words[0] == TellingWord("obviously", "foil", 150, 1.0)


def test_a_cue_in_one_pair_of_five_is_found_among_many() -> None:
    rng = Random(2)
    pairs = [(f"{caption} today" if rng.random() < 0.2 else caption, foil) for caption, foil in _noise(1500, rng)]
    (finding,) = probe(_pairs(pairs))
    assert finding.verdict is Verdict.ANSWERABLE
    assert finding.value == pytest.approx(0.6, abs=0.04)
    assert (finding.words[0].word, finding.words[0].answer) == ("today", "caption")


def test_fresh_groups_are_judged_by_what_the_others_teach_and_teach_nothing() -> None:
    rng = Random(4)
    plain = list(_noise(300, rng))
    planted, denied = ([(caption, f"{foil} today") for caption, foil in _noise(300, rng)] for _ in range(2))
    denied = [(f"{caption} today", foil.removesuffix(" today")) for caption, foil in denied]
    assert [probe(_pairs(planted), fresh=_pairs(some))[0].value for some in (planted, denied)] == [1.0, 0.0]
    (finding,) = probe(_pairs(plain), fresh=_pairs(planted[:200]))
    assert (finding.value, finding.n, finding.components) == (0.5, 200, 200)
    texts = [(f"is it {word}", "yes" if word < "word2" else "no") for word in rng.choices(WORDS, k=400)]
    (finding,) = probe(_questions(texts[:300]), fresh=_questions(texts[300:]))
    assert finding.value > 0.95
    assert finding.n == 100
    assert finding.chance == sum(answer == "no" for _, answer in texts[300:]) / 100


@pytest.mark.parametrize(("many", "verdict"), [(60, Verdict.CANNOT_TELL), (1200, Verdict.CLEAN)])
def test_noise_is_clean_at_size_and_cannot_be_told_of_when_small(many: int, verdict: Verdict) -> None:
    (finding,) = probe(_pairs(list(_noise(many, Random(3)))))
    assert finding.verdict is verdict
    assert finding.low <= 0.5 <= finding.high


def test_mirrored_pairs_are_at_half_and_not_below() -> None:
    rng = Random(4)
    once = list(_noise(200, rng))
    mirrored = [*once, *((foil, caption) for caption, foil in once)]
    rng.shuffle(mirrored)
    (finding,) = probe(_pairs(mirrored))
    assert finding.components <= 200
    assert finding.value == pytest.approx(0.5, abs=0.02)
    assert finding.verdict is not Verdict.ANSWERABLE


def test_pairs_that_exchange_their_words_are_in_one_component() -> None:
    groups = [
        (
            "pairs",
            Group(
                Relation.RANKS,
                tuple(Query(Picture(f"toy:{n}.png"), f"{n} {word}", Mode.SCORE) for word in ("cat", "dog")),
                (None, None),
                tags=((("twin", f"pairs {n // 2}"),), ()),
            ),
        )
        for n in range(8)
    ]
    (finding,) = probe(groups_table(groups, "toy"))
    assert (finding.n, finding.components) == (8, 4)


def test_a_suite_whose_words_are_balanced_in_other_contexts_is_not_below_half() -> None:
    """Every word is a caption's as often as a foil's, so that what is left out has more of what is not."""
    rng, pairs = Random(5), []
    for _ in range(150):
        first, second = rng.sample(("two", "three", "four"), 2)
        for one, other in ((first, second), (second, first)):
            context = " ".join(rng.choices(WORDS, k=3))
            pairs.append((f"{context} {one} cats", f"{context} {other} cats"))
    (finding,) = probe(_pairs(pairs))
    assert finding.value == pytest.approx(0.5, abs=0.03)
    assert finding.verdict is not Verdict.ANSWERABLE


def test_the_interval_covers_one_half_where_nothing_is_to_be_found() -> None:
    many = scaled(200, least=12)
    found = [probe(_pairs(list(_noise(100, Random(f"null {n}"))), lambda n: n // 2))[0] for n in range(many)]
    assert sum(one.low <= 0.5 <= one.high for one in found) >= 0.9 * many
    assert sum(one.verdict is Verdict.ANSWERABLE for one in found) <= 0.07 * many + 1


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=40),
    st.integers(0, 3),
)
def test_folds_share_no_picture_and_no_text(numbers: list[tuple[int, int]], seed: int) -> None:
    keys = [(f"picture {picture}", f"text {text}") for picture, text in numbers]
    component = connected_components(keys)
    fold = assign_folds(component, keys, seed)
    for place in range(2):
        for key in {own[place] for own in keys}:
            assert len({fold[case] for case, own in enumerate(keys) if own[place] == key}) == 1
    assert set(fold.tolist()) <= set(range(FOLDS))
    for number in range(component.max() + 1):
        members = [keys[case] for case in np.flatnonzero(component == number)]
        reached = {*members[0]}
        for _ in members:
            reached.update(key for own in members if reached & {*own} for key in own)
        assert all(reached & {*own} for own in members), "a component is connected"


def test_a_seed_gives_the_same_finding_again_and_names_other_folds() -> None:
    pairs = _pairs(list(_noise(60, Random(6))))
    assert probe(pairs, 1) == probe(pairs, 1)
    keys = [(f"picture {n}",) for n in range(60)]
    folds = [assign_folds(connected_components(keys), keys, seed).tolist() for seed in (0, 1)]
    assert folds[0] != folds[1]
    assert all(np.bincount(fold).tolist() == [12] * FOLDS for fold in folds)


def test_questions_that_their_words_answer_are_answerable_and_name_word_and_answer() -> None:
    rng = Random(7)
    colors = {"banana": "yellow", "tomato": "red", "sky": "blue", "car": ""}
    texts = []
    for _ in range(240):
        thing = rng.choice([*colors])
        texts.append((f"What color is the {thing} {rng.choice(WORDS)}?", colors[thing] or rng.choice(("red", "blue"))))
    known = sum("car" not in text for text, _ in texts)
    (finding,) = probe(_questions(texts))
    assert (finding.unit, finding.verdict) == ("questions", Verdict.ANSWERABLE)
    assert known <= 240 * finding.value <= 240
    assert finding.chance == pytest.approx(max(sum(a == c for _, a in texts) for c in ("red", "blue")) / 240)
    assert {(word.word, word.answer) for word in finding.words[:3]} == {
        ("banana", "yellow"),
        ("tomato", "red"),
        ("sky", "blue"),
    }


def test_questions_whose_words_say_nothing_are_at_the_majority_of_their_kind() -> None:
    rng = Random(8)
    texts = [(f"Is {rng.choice(WORDS)} {rng.choice(WORDS)}?", rng.choice(("yes", "yes", "no"))) for _ in range(900)]
    (finding,) = probe(_questions(texts))
    assert finding.chance == pytest.approx(sum(answer == "yes" for _, answer in texts) / 900)
    assert finding.verdict is Verdict.CLEAN
    assert finding.words == ()


def test_of_choices_that_vary_a_guess_is_one_of_them() -> None:
    rng, groups = Random(9), []
    for number in range(150):
        offered = tuple(rng.sample(WORDS, 4))
        text = f"Is it {', '.join(offered)}?"
        queries = (Query(Picture(f"toy:{number}.png"), text, choices=offered),)
        groups.append(("plain", Group(Relation.GOLD, queries, (Gold.of(rng.choice(offered)),), kind="which")))
    (finding,) = probe(groups_table(groups, "toy"))
    assert finding.chance == pytest.approx(0.25)
    assert finding.low <= 0.25 <= finding.high


def test_exchanged_inputs_and_questions_without_gold_are_not_probed() -> None:
    query = Query(Picture("toy:1.png"), "Is it?")
    swapped = Group(Relation.SWAP, (query, Query(None, "Is it?")), (Gold.of("yes"),) * 2)
    assert probe(groups_table([("swap", swapped), ("bare", Group(Relation.SAME, (query,), (None,)))], "toy")) == []


@pytest.mark.parametrize(
    ("value", "low", "high", "verdict"),
    [
        (0.56, 0.51, 0.61, Verdict.ANSWERABLE),
        (0.44, 0.39, 0.49, Verdict.ANSWERABLE),
        (0.55, 0.51, 0.59, Verdict.CLEAN),
        (0.56, 0.49, 0.60, Verdict.CLEAN),
        (0.50, 0.40, 0.60, Verdict.CLEAN),
        (0.50, 0.39, 0.60, Verdict.CANNOT_TELL),
        (0.60, 0.49, 0.71, Verdict.CANNOT_TELL),
    ],
)
def test_the_verdict_is_one_of_three(value: float, low: float, high: float, verdict: Verdict) -> None:
    assert ProbeFinding("s", "t", "pairs", value, low, high, 100, 100, 0.5).verdict is verdict


def test_of_ngrams_that_contain_each_other_the_strongest_is_named() -> None:
    words = [(3.0, "on"), (3.0, "sits on"), (2.0, "under"), (4.0, "a mat"), (0.0, "cat")]
    found = most_telling((weight, TellingWord(word, "foil", 1, 1.0)) for weight, word in words)
    assert [word.word for word in found] == ["a mat", "on", "under"]


def _objective(counts: SparseCounts, loss: Loss, shape: tuple[int, int], penalty: float) -> Callable[[Floats], float]:
    def objective(flat: Floats) -> float:
        weights = flat.reshape(shape)
        return float(loss(counts.scores(weights))[0].sum() + penalty / 2 * (weights[:, 1:] ** 2).sum())

    return objective


@pytest.mark.parametrize("classes", [1, 3])
def test_weights_are_those_of_scipy(classes: int) -> None:
    import scipy.optimize

    rng = Random(10)
    texts = [" ".join(rng.choices(WORDS[:6], k=3)) for _ in range(80)]
    counts = SparseCounts.of((dict.fromkeys(ngrams(text), 1.0) for text in texts), constant=float(classes > 1))
    loss = pair_loss if classes == 1 else softmax_loss(np.array([hash_ % classes for hash_ in range(80)]))
    shape = (classes, len(counts.names))
    ours = fit(counts, loss, np.ones(80), 2.0, np.zeros(shape))
    objective = _objective(counts, loss, shape, 2.0)
    theirs = scipy.optimize.minimize(objective, np.zeros(ours.size), method="L-BFGS-B", options={"maxfun": 10**6})
    assert objective(ours.ravel()) <= theirs.fun + 0.02
    np.testing.assert_allclose(counts.scores(ours), counts.scores(theirs.x.reshape(shape)), atol=0.1)


def test_lbfgs_finds_the_minimum_of_an_ill_conditioned_function() -> None:
    scale = np.logspace(0, 1.5, 30)
    found = minimize(lambda x: (float(scale @ (x - 1) ** 2), 2 * scale * (x - 1)), np.zeros(30), 1e-4)
    np.testing.assert_allclose(found, 1, atol=1e-3)


def test_counts_keep_what_occurs_in_two_cases_and_the_constant() -> None:
    counts = SparseCounts.of([{"a": 1.0, "b": -2.0}, {"b": 1.0}, {}], constant=0.5)
    assert set(counts.names) == {"", "b"}
    np.testing.assert_array_equal(counts.scores(np.array([[10.0, 1.0]])), [[3.0], [6.0], [5.0]])
    np.testing.assert_array_equal(counts.summed(np.array([[1.0], [2.0], [4.0]])), [[3.5, 0.0]])

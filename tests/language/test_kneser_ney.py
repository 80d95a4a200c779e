"""The language model: what it counts is what a plain loop counts, and what it says are probabilities."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.ids import seeded_rng
from counterpoint.language import kneser_ney as ngrams
from counterpoint.language.kneser_ney import KneserNeyModel, tokenize, train_model

SENTENCES = st.lists(st.lists(st.sampled_from("abcdef"), max_size=7).map(" ".join), min_size=1, max_size=12)
BEGIN, END, UNKNOWN = "<s>", "</s>", "<?>"
CAPTIONS = ["A cat sits on a mat.", "A dog sits on a rug.", "The cat is on the rug.", "Two dogs run in a field."]


class Plain:
    """The same model by dictionaries and loops, one run of words at a time."""

    def __init__(self, texts: Sequence[str], order: int) -> None:
        raw: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(order + 1)]
        before: list[dict[tuple[str, ...], set[str]]] = [defaultdict(set) for _ in range(order + 1)]
        for text in texts:
            said = [BEGIN, *tokenize(text), END]
            for place in range(1, len(said)):
                for length in range(1, min(order, place + 1) + 1):
                    run = tuple(said[place - length + 1 : place + 1])
                    raw[length][run] += 1
                    if place >= length:
                        before[length][run].add(said[place - length])
        self.order = order
        self.words = {run[0] for run in raw[1]} | {UNKNOWN}
        self.counts: list[dict[tuple[str, ...], int]] = [{}]
        for length in range(1, order + 1):
            whole = length == order
            own = {run: n if whole or run[0] == BEGIN else len(before[length][run]) for run, n in raw[length].items()}
            self.counts.append(own)
        self.discounts = [(), *(self._discounts(list(own.values())) for own in self.counts[1:])]

    @staticmethod
    def _discounts(counts: list[int]) -> tuple[float, ...]:
        n1, n2, n3, n4 = (counts.count(k) for k in (1, 2, 3, 4))
        if not (n1 and n2 and n3 and n4):
            return 0, 0.5, 1, 1.5
        y = n1 / (n1 + 2 * n2)
        found = (0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3)
        return found if all(0 < found[k] < k for k in (1, 2, 3)) else (0, 0.5, 1, 1.5)

    def chance(self, history: tuple[str, ...], word: str) -> float:
        own, taken = self.counts[len(history) + 1], self.discounts[len(history) + 1]
        follow = {run[-1]: n for run, n in own.items() if run[:-1] == history}
        lower = self.chance(history[1:], word) if history else 1 / len(self.words)
        if not follow:
            return lower
        left = sum(taken[min(n, 3)] for n in follow.values())
        count = follow.get(word, 0)
        return (count - taken[min(count, 3)] + left * lower) / sum(follow.values())

    def score(self, text: str) -> float:
        said = [BEGIN, *(word if word in self.words else UNKNOWN for word in tokenize(text)), END]
        chances = [
            self.chance(tuple(said[max(place - self.order + 1, 0) : place]), said[place])
            for place in range(1, len(said))
        ]
        return sum(map(math.log, chances)) / len(chances)


@given(SENTENCES, SENTENCES, st.integers(1, 4))
def test_scores_are_those_of_a_plain_loop(told: list[str], asked: list[str], order: int) -> None:
    plain = Plain(told, order)
    asked = [*asked, f"{asked[0]} never z said"]
    np.testing.assert_allclose(train_model(told, order).scores(asked), [plain.score(text) for text in asked], rtol=1e-9)


def test_discounts_follow_the_counts_where_there_are_enough() -> None:
    luck = seeded_rng("sentences")
    texts = [" ".join("abcdefghijkl"[int(12 * luck.random() ** 3)] for _ in range(6)) for _ in range(60)]
    plain, model = Plain(texts, 3), train_model(texts, 3)
    assert plain.discounts[3] != (0, 0.5, 1, 1.5)
    np.testing.assert_allclose(model.scores(texts), [plain.score(text) for text in texts], rtol=1e-9)


def chances(model: KneserNeyModel, history: str) -> list[float]:
    """Of every word that was told, of one that was not, and of the end."""
    words = [word for word in model.words if word != ngrams.SENTENCE_BREAK]
    known = [math.exp(log_probabilities(model, f"{history} {word}")[-2]) for word in [*words, "unheard"]]
    return [*known, math.exp(log_probabilities(model, history)[-1])]


def log_probabilities(model: KneserNeyModel, text: str) -> Sequence[float]:
    """Of each word of a sentence, and of its end."""
    return list(model._log_probabilities(ngrams._encode([text], model.words)))


@given(SENTENCES, st.lists(st.sampled_from("abcxyz"), max_size=5).map(" ".join), st.integers(1, 4))
def test_after_any_words_the_chances_of_all_words_make_one(told: list[str], history: str, order: int) -> None:
    assert sum(chances(train_model(told, order), history)) == pytest.approx(1)


@given(SENTENCES)
def test_a_score_depends_neither_on_its_company_nor_on_the_order_of_what_was_told(told: list[str]) -> None:
    shuffled = sorted(told, key=lambda text: (len(text), text))
    model, other = train_model(told), train_model(shuffled)
    whole = model.scores([*told, "never told"])
    assert whole.tolist() == [float(model.scores([text])[0]) for text in [*told, "never told"]]
    np.testing.assert_allclose(whole, other.scores([*told, "never told"]), rtol=1e-12)


def test_what_was_told_is_more_usual_than_the_same_words_in_another_order() -> None:
    model = train_model(CAPTIONS)
    usual, unusual, unheard = model.scores(["A dog sits on a mat.", "Mat a on sits dog a.", "Zebras graze quietly."])
    assert usual > unusual > unheard


def test_letters_signs_and_breaks_make_no_difference() -> None:
    model = train_model(CAPTIONS)
    same = model.scores(["A cat sits on a mat.", "a CAT\nsits  on a mat!", "“A cat”: sits on a mat"])
    assert len(set(same.tolist())) == 1
    assert tokenize("It’s a T-shirt, no_2.") == ["it's", "a", "t", "shirt", "no", "2"]


def test_nothing_asked_is_nothing_scored_and_nothing_said_has_the_score_of_an_end() -> None:
    model = train_model(CAPTIONS)
    assert model.scores([]).shape == (0,)
    assert model.scores([""])[0] == log_probabilities(model, "")[0] == model.scores(["?!"])[0]


def test_told_nothing_it_finds_everything_equally_usual() -> None:
    model = train_model([])
    one, other = model.scores(["a cat", "the dog barks"])
    assert one == other == pytest.approx(math.log(1 / 2)), "a word, or the end"

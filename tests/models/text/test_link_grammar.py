"""The grammar checker of the machine, where it is installed; where it is not, one sentence says so."""

from ctypes.util import find_library

import numpy as np
import pytest

from counterpoint.core.errors import ModelError, UnknownName
from counterpoint.models.text import judges
from counterpoint.models.text.judges import Grammar, entailment_model, grammar_scorer

GOOD = (
    "A man riding a horse in a field.",
    "Some people are riding surfboards on exactly one wave",
    "The cat sits on the table.",
    "Two dogs are lying on a bed next to a window.",
    "A baby elephant is walking under a larger elephant.",
    "A cat plays with a pocket knife on a table. Is it gray? Yes.",
)
BAD = (
    "A man a horse riding field in.",
    "Two dogs is lie on the the bed.",
    "A cat are sits table on.",
    "The the cat sits on the table.",
    "A dog very a chair.",
    "Of man the.",
)
installed = pytest.mark.skipif(find_library(judges.NAME) is None, reason="link-grammar is not installed")


@pytest.fixture(scope="module")
def graded() -> Grammar:
    return grammar_scorer(judges.NAME)


@installed
def test_good_sentences_reach_the_threshold_of_the_paper_and_broken_ones_do_not(graded: Grammar) -> None:
    good, bad = graded(GOOD), graded(BAD)
    assert good.min() >= 0.8
    assert bad.max() < 0.8
    assert ((bad >= 0) & (good <= 1)).all()


@installed
def test_a_quantifier_costs_as_little_at_the_beginning_of_a_caption_as_an_article(graded: Grammar) -> None:
    rest = "elephant in a grassy area with trees around."
    scores = graded([f"{first} {rest}" for first in ("An", "A single", "Exactly one", "One", "No")])
    assert scores.min() >= 0.9


@installed
def test_a_sentence_scores_the_same_alone_and_after_others(graded: Grammar) -> None:
    together = graded([*BAD, *GOOD])
    assert np.array_equal(together, np.concatenate([graded([text]) for text in (*BAD, *GOOD)]))


@installed
def test_a_text_scores_as_its_worst_sentence_and_nothing_scores_nothing(graded: Grammar) -> None:
    worst = graded([BAD[0]])
    assert graded([f"{GOOD[2]} {BAD[0]}"]) == worst
    assert graded(["", " . "]).tolist() == [0, 0]


@installed
def test_the_library_prints_nothing(graded: Grammar, capfd: pytest.CaptureFixture[str]) -> None:
    grammar_scorer(judges.NAME)(["Qwrt zxcv \N{SNOWMAN} it."])
    assert capfd.readouterr() == ("", "")


def test_where_the_library_is_missing_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    judges._library.cache_clear()
    monkeypatch.setattr(judges, "find_library", lambda name: None)
    with pytest.raises(ModelError, match="is not on this machine") as problem:
        grammar_scorer(judges.NAME)
    assert "apt install liblink-grammar5" in problem.value.hint


@pytest.mark.parametrize("name", ["link-gramar", "hf/", "cola"])
def test_a_grader_that_there_is_none_of_is_answered_with_those_there_are(name: str) -> None:
    with pytest.raises(UnknownName, match="scorer of grammar"):
        grammar_scorer(name)
    with pytest.raises(UnknownName, match="model of inference"):
        entailment_model(name)

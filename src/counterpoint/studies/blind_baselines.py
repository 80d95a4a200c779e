"""What can be told apart without looking: captions and foils ranked by how usual their words are.

A suite whose captions are more usual than its foils can be solved by a model that never sees the picture. How often
that works is the suite's plausibility bias (VALSE, section 4.2), and 50 % is none.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Mode, Relation
from counterpoint.core.ids import content_id
from counterpoint.core.quantities import counted
from counterpoint.language.kneser_ney import ORDER, tokenize, train_model
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.ranking import acc_r, ties
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.models.text.ngram import CrossFittedNGrams, TrainingCaption, picture_key, texts_digest

FOLDS = 5
"""In how many parts pictures are put, each of them judged by a model that was told the captions of the others."""
CUE_WORDS = 10
"""How many words are shown."""
HALF = 0.5


@dataclass(frozen=True, slots=True)
class NGramTraining:
    """What a model is made from: captions of the tested pictures, others, and how."""

    own: Sequence[TrainingCaption]
    others: Sequence[TrainingCaption] = ()
    order: int = ORDER
    folds: int = FOLDS  # one fold is judged by a model that was told its captions

    @property
    def fingerprint(self) -> str:
        """Another one whenever a score could differ."""
        told = texts_digest(f"{one.picture}\n{one.text}" for one in (*self.own, *self.others))
        return f"ngram {self.order} in {self.folds} folds {told}"


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """A caption and a foil, and whether the caption scored higher."""

    suite: str
    test: str
    caption: str
    foil: str
    right: bool


@dataclass(frozen=True, slots=True)
class CueWord:
    """A word that stands on one side only in some pairs: how often on which, and how many of these were ranked right.

    What it brings is how many more than half of these pairs were ranked right, or fewer, where it is below zero.
    """

    word: str
    in_caption: int
    in_foil: int
    right: int

    @property
    def brings(self) -> float:
        """Pairs above one half."""
        return self.right - (self.in_caption + self.in_foil) / 2


@dataclass(frozen=True, slots=True)
class BlindFinding:
    """How often captions are ranked above foils in one test without looking, and by which words, where that is bias."""

    suite: str
    test: str
    value: float | None  # acc_r, from 0 to 1; nothing where nothing was scored
    low: float | None
    high: float | None
    n: int
    ties: float | None
    words: tuple[CueWord, ...] = ()

    @property
    def biased(self) -> bool:
        """The interval lies clear of one half."""
        return self.low is not None and self.high is not None and not self.low <= HALF <= self.high


def ranked_rows(table: Any) -> Any:
    """The rows of a table of groups in which a caption is to be scored above foils."""
    wanted = [
        relation == Relation.RANKS and mode == Mode.SCORE
        for relation, mode in zip(table["relation"].to_pylist(), table["mode"].to_pylist(), strict=True)
    ]
    return table.filter(wanted)


def captions_of(groups: Any) -> list[TrainingCaption]:
    """The captions of some ranked groups, each once for a picture."""
    columns = (groups[name].to_pylist() for name in ("role", "picture", "text"))
    return list(
        dict.fromkeys(
            TrainingCaption(picture_key(picture), text)
            for role, picture, text in zip(*columns, strict=True)
            if not role
        )
    )


def folds_of(pictures: Sequence[str], folds: int = FOLDS) -> dict[str, int]:
    """The fold of each picture: of equal size, by luck that follows from the pictures alone.

    >>> sorted(folds_of(["a", "b", "c", "d"], 2).values())
    [0, 0, 1, 1]
    """
    order = sorted(set(pictures), key=lambda picture: (content_id(["fold", picture]), picture))
    return {picture: place % folds for place, picture in enumerate(order)}


def fit_cross_validated(learning: NGramTraining) -> CrossFittedNGrams:
    """Models for the captions of each fold, told those of the other folds, and captions of no tested picture.

    A caption without a picture is left out where it says what a tested one does, in whichever letters and signs.
    """
    folds = folds_of([caption.picture for caption in learning.own], learning.folds)
    if learning.folds > 1 and len(folds) < learning.folds:
        fact = f"captions of {counted(len(folds), 'picture')} cannot be put in {counted(learning.folds, 'fold')}"
        raise StoreError(fact, hint="make a larger suite, or ask for fewer folds: --folds")
    tested = {tuple(tokenize(caption.text)) for caption in learning.own}
    alone = [
        caption.text
        for caption in learning.others
        if not caption.picture and tuple(tokenize(caption.text)) not in tested
    ]
    pictured = list(dict.fromkeys([*learning.own, *(caption for caption in learning.others if caption.picture)]))
    models = [
        train_model(
            [
                *(caption.text for caption in pictured if learning.folds == 1 or folds.get(caption.picture) != fold),
                *alone,
            ],
            learning.order,
        )
        for fold in range(learning.folds)
    ]
    return CrossFittedNGrams(models, folds, learning.fingerprint)


def blind_findings(groups: Any, answers: Any) -> list[BlindFinding]:
    """How a model that has scored ranked groups fares in each test; with words where the interval is clear of half."""
    rows = score_outcomes(judge(groups, answers), ScoreRequest(("test",), metrics=(acc_r, ties))).to_pylist()
    tied = {(row["suite"], row["test"]): row["value"] for row in rows if row["metric"] == ties.name}
    pairs: dict[tuple[str, str], list[ScoredPair]] = {}
    for pair in pairs_of(groups, answers):
        pairs.setdefault((pair.suite, pair.test), []).append(pair)
    findings = []
    for row in rows:
        if row["metric"] == acc_r.name:
            place = row["suite"], row["test"]
            finding = BlindFinding(*place, row["value"], row["low"], row["high"], row["n"], tied[place])
            if finding.biased:
                words = cue_words(pairs[place], above=(finding.value or 0) > HALF)
                finding = replace(finding, words=tuple(words))
            findings.append(finding)
    return findings


def pairs_of(groups: Any, answers: Any) -> Iterator[ScoredPair]:
    """Every caption with each of its foils, where both have a score."""
    columns = (answers[name].to_pylist() for name in ("query", "trial", "score"))
    scores: Mapping[int, float] = {
        query: score for query, trial, score in zip(*columns, strict=True) if score is not None and not trial
    }
    base: tuple[str, float | None] = "", None
    wanted = (groups[name].to_pylist() for name in ("suite", "test", "role", "text", "query"))
    for suite, test, role, text, query in zip(*wanted, strict=True):
        score = scores.get(query)
        if not role:
            base = text, score
        elif score is not None and base[1] is not None:
            yield ScoredPair(suite, test, base[0], text, base[1] > score)


def cue_words(pairs: Sequence[ScoredPair], *, above: bool = True, most: int = CUE_WORDS) -> list[CueWord]:
    """The words that bring most: the most pairs above one half, or else below it.

    A word tells in a pair where it stands in the caption and not in the foil, or in the foil and not in the caption.

    >>> pair = ScoredPair("s", "t", "A cat on a mat.", "A cat under a mat.", right=True)
    >>> [(word.word, word.in_caption, word.in_foil, word.brings) for word in cue_words([pair, pair])]
    [('on', 2, 0, 1.0), ('under', 0, 2, 1.0)]
    """
    captions, foils, right = Counter[str](), Counter[str](), Counter[str]()
    for pair in pairs:
        caption, foil = set(tokenize(pair.caption)), set(tokenize(pair.foil))
        captions.update(caption - foil)
        foils.update(foil - caption)
        if pair.right:
            right.update(caption ^ foil)
    words = (CueWord(word, captions[word], foils[word], right[word]) for word in captions | foils)
    sign = 1 if above else -1
    brought = sorted((one for one in words if sign * one.brings > 0), key=lambda one: (-sign * one.brings, one.word))
    return brought[:most]

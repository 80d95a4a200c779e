"""Changed pictures: camera noise, light, blur, turn, mirror and crop keep the answer where the question allows them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from counterpoint.core.groups import Group, Relation
from counterpoint.core.items import Question
from counterpoint.core.pictures import Edit
from counterpoint.language.lexicon.attributes import classes_of
from counterpoint.language.lexicon.word_lists import split_list, word_table
from counterpoint.pictures.noise import PAPER_SEVERITY, SEVERITIES, STRENGTHS, noise_edit
from counterpoint.pictures.transforms import TRANSFORMS
from counterpoint.suites.question_groups import Tags, edited_variants, question_group
from counterpoint.suites.robustness.caption_changes import CAPTION_KIND, caption_suite
from counterpoint.suites.suite import Rejection, Suite

DEFAULT_SEVERITY = 3
"""The severity that is asked where only one is."""
KINDS = tuple(STRENGTHS)
"""The kinds of noise of Beyond Accuracy."""
TRIALS = 3
"""How often each kind is drawn for a question, as in the authors' code: twelve pictures for four kinds."""

_LONGEST = 4  # words in a phrase of a list
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """What a question gives away about what it is about: its words and those of its answers, and its program."""

    asked: frozenset[str]  # words and phrases of its text
    said: frozenset[str]  # these, and those of its choices and right answers
    classes: frozenset[str]  # of what is said
    steps: str
    reads: bool  # whether words that were read in the picture come with it

    @classmethod
    def by(cls, question: Question) -> "QuestionTerms":
        """What one question tells."""
        answers = (answer for answer, _ in question.gold.answers)
        in_text = text_phrases(question.text)
        in_text_or_answers = in_text.union(*map(text_phrases, (*question.choices, *answers, question.full_answer)))
        named = frozenset(name for phrase in in_text_or_answers for name in classes_of(phrase))
        steps = " ".join(f"{step.operation} {step.argument}" for step in question.program)
        return cls(in_text, in_text_or_answers, named, steps, bool(question.context))


@dataclass(frozen=True, slots=True)
class ChangeRule:
    """What a change would make wrong: words, classes of words, steps of a program, and what needs to be read."""

    because: str
    words: frozenset[str]
    classes: frozenset[str] = frozenset()
    operations: tuple[str, ...] = ()
    reading: bool = False
    only: frozenset[str] = frozenset()
    only_operations: tuple[str, ...] = ()

    def spares(self, terms: QuestionTerms) -> bool:
        """Whether a question has the same answer after the change, as far as its words and its program tell."""
        if not (self.words.isdisjoint(terms.said) and self.classes.isdisjoint(terms.classes)):
            return False
        if (self.reading and terms.reads) or _names(terms.steps, self.operations):
            return False
        return not self.only or not self.only.isdisjoint(terms.asked) or _names(terms.steps, self.only_operations)


@cache
def change_rules() -> Mapping[str, ChangeRule]:
    """The rule of every change, by its name."""
    rows = dict(word_table("picture_changes", Path(__file__).parent / "data"))
    written = split_list(rows.pop("reading"))
    return {name: _rule(rows[row.get("same_as", name)], written) for name, row in rows.items()}


def text_phrases(text: str) -> frozenset[str]:
    """All words of a text in small letters, and all phrases of up to four of them.

    >>> sorted(text_phrases("Is it red?"))
    ['is', 'is it', 'is it red', 'it', 'it red', 'red']
    """
    words = _WORD.findall(text.lower())
    spans = ((start, size) for start in range(len(words)) for size in range(1, _LONGEST + 1))
    return frozenset(" ".join(words[start : start + size]) for start, size in spans if start + size <= len(words))


def propose_changes(
    question: Question, statistics: None, rng: Random, *, severities: Sequence[int] = (DEFAULT_SEVERITY,)
) -> Iterator[Group | Rejection]:
    """The question about the picture as it is, then after each change that cannot have changed its answer."""
    variants, terms = list[tuple[Edit, Tags]](), QuestionTerms.by(question)
    for name, rule in change_rules().items():
        edits = _variants(name, severities, rng)
        if rule.spares(terms):
            variants += edits
        else:
            yield Rejection(question.kind, f"{name}: {rule.because}", len(edits))
    if variants:
        proof = "nothing that the question is about is changed"
        yield question_group(question, edited_variants(question, variants), relation=Relation.SAME, proof=proof)


def _caption_changes(
    texts: Sequence[str], rng: Random, *, severities: Sequence[int]
) -> Iterator[tuple[Edit, Tags] | Rejection]:
    """Every change of a picture that cannot have changed which of two texts is true of it."""
    words = frozenset[str]().union(*map(text_phrases, texts))
    classes = frozenset(name for phrase in words for name in classes_of(phrase))
    terms = QuestionTerms(words, words, classes, "", False)
    for name, rule in change_rules().items():
        edits = _variants(name, severities, rng)
        if rule.spares(terms) and not rule.only:
            yield from edits
        else:
            yield Rejection(CAPTION_KIND, f"{name}: {rule.because}", len(edits))


def _variants(name: str, severities: Sequence[int], rng: Random) -> list[tuple[Edit, Tags]]:
    """A change at each severity; to which side a picture is turned is drawn."""
    edits, side = TRANSFORMS[name], rng.choice((-1, 1))
    if len(edits) == 1:
        return [(edits[0], (("edit", name),))]
    chosen = [(severity, edits[severity - 1]) for severity in severities]
    if name == "rotation":
        chosen = [(degree, replace(edit, arguments=(side * int(edit.arguments[0]),))) for degree, edit in chosen]
    return [(edit, (("edit", name), ("severity", str(severity)))) for severity, edit in chosen]


def _names(steps: str, operations: Sequence[str]) -> bool:
    return any(operation in steps for operation in operations)


def _rule(row: Mapping[str, str | bool], written: Sequence[str]) -> ChangeRule:
    def listed(key: str) -> tuple[str, ...]:
        return split_list(str(row.get(key, "")))

    reading = bool(row.get("reading", False))
    return ChangeRule(
        str(row["because"]),
        frozenset((*listed("words"), *(written if reading else ()))),
        frozenset(listed("classes")),
        listed("operations"),
        reading,
        frozenset(listed("only")),
        listed("only_operations"),
    )


def _suite(name: str, severities: Sequence[int]) -> Suite[Question, None]:
    return Suite(
        name,
        tests="a change of the picture that the question does not ask about does not change the answer",
        propose=partial(propose_changes, severities=tuple(severities)),
        takes="questions",
        of_captions=caption_suite(
            name,
            tests="a caption ranks above its foil after a change of the picture that neither is about",
            edits=partial(_caption_changes, severities=tuple(severities)),
        ),
    )


suite = _suite("pictures-changed", (DEFAULT_SEVERITY,))
with_severities = _suite("pictures-changed-severities", range(1, 6))


def propose_picture_noise(
    question: Question, statistics: None, rng: Random, *, kinds: Sequence[str], severities: Sequence[int], trials: int
) -> Iterator[Group]:
    """The question about the picture as it is, then with each kind of noise at each severity, drawn anew each time."""
    variants = _noise_edits((question.text,), rng, kinds=kinds, severities=severities, trials=trials)
    proof = "noise of a camera changes no answer"
    yield question_group(question, edited_variants(question, variants), relation=Relation.SAME, proof=proof)


def _noise_edits(
    texts: Sequence[str], rng: Random, *, kinds: Sequence[str], severities: Sequence[int], trials: int
) -> Iterator[tuple[Edit, Tags]]:
    """Each kind of noise at each severity, drawn anew each time, with its tags; it suits all texts."""
    for kind, severity, trial in product(kinds, map(str, severities), map(str, range(1, trials + 1))):
        tags = (("edit", kind), ("severity", severity), ("trial", trial))
        yield noise_edit(kind, int(severity), rng.getrandbits(32)), tags


def noise_suite(
    name: str, *, kinds: Sequence[str] = KINDS, severities: Sequence[int] = (PAPER_SEVERITY,), trials: int = TRIALS
) -> Suite[Question, None]:
    """A suite with these kinds of noise, at these severities from 1 to 5, so many draws of each."""
    drawn: dict[str, Any] = {"kinds": tuple(kinds), "severities": tuple(severities), "trials": trials}
    return Suite(
        name,
        tests="pixel noise does not change the answer",
        propose=partial(propose_picture_noise, **drawn),
        takes="questions",
        of_captions=caption_suite(
            name,
            tests="a caption ranks above its foil in a picture with pixel noise",
            edits=partial(_noise_edits, **drawn),
        ),
    )


noise = noise_suite("noise")
noise_severities = noise_suite("noise-severities", severities=range(1, SEVERITIES + 1), trials=1)

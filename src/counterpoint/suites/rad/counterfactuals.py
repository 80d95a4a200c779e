"""Counterfactual questions: what was asked openly is asked for yes or no (RAD, Table 1)."""

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.items import Question
from counterpoint.suites.rad.augmentation import Augmentation, InterpretedQuestion, interpret_question, match_style
from counterpoint.suites.rad.color_questions import color
from counterpoint.suites.rad.count_questions import how_many
from counterpoint.suites.rad.kind_questions import what_kind
from counterpoint.suites.suite import Rejection, Suite

AUGMENTATIONS: tuple[Augmentation, ...] = (color, how_many, what_kind)
"""From what yes/no questions are made, in the order of the paper's Table 1."""
MAX_DRAWS = 32
NO_OTHER = "no other value is surely wrong"


@dataclass(frozen=True, slots=True)
class AnswerSampler:
    """The values that were answers, each as often as it was one."""

    values: tuple[str, ...]
    ends: tuple[int, ...]  # running sums of how often each was said

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> "AnswerSampler":
        """A pool in the order of the alphabet, so that one seed draws one value."""
        values = tuple(sorted(counts))
        return cls(values, tuple(accumulate(counts[value] for value in values)))

    def drawn(self, rng: Random, fits: Callable[[str], bool]) -> str | None:
        """A value by its frequency among those that fit; nothing if none does."""
        for _ in range(MAX_DRAWS if self.values else 0):
            value = self.values[bisect(self.ends, rng.randrange(self.ends[-1]))]
            if fits(value):
                return value
        counts = (end - start for start, end in zip((0, *self.ends), self.ends, strict=False))
        left = {value: count for value, count in zip(self.values, counts, strict=True) if fits(value)}
        return rng.choices(list(left), list(left.values()))[0] if left else None


@dataclass(frozen=True, slots=True)
class AnswerSamplers:
    """A pool for each augmentation, and one for each subject of it."""

    whole: Mapping[str, AnswerSampler]
    by_subject: Mapping[tuple[str, str], AnswerSampler]

    def other(self, one: Augmentation, found: InterpretedQuestion, rng: Random) -> str | None:
        """A value that nobody said: by its frequency among all, or, where it matters, among those of one subject."""
        nothing = AnswerSampler((), ())

        def fits(value: str) -> bool:
            return bool(one.words(found.asked, value)) and all(
                one.apart(found.asked, value, answer) for answer in found.said
            )

        whole, belongs = self.whole.get(one.name, nothing), one.belongs
        if belongs is None:
            return whole.drawn(rng, fits)
        own = self.by_subject.get((one.name, found.asked.subject), nothing).drawn(rng, fits)
        return own or whole.drawn(rng, lambda value: belongs(found.asked, value) and fits(value))


def build_samplers(found: Iterable[tuple[Augmentation, InterpretedQuestion]]) -> AnswerSamplers:
    """Pools from everything that was understood."""
    whole, by_subject = dict[str, Counter[str]](), dict[tuple[str, str], Counter[str]]()
    for one, what in found:
        whole.setdefault(one.name, Counter())[what.value] += 1
        if one.belongs:
            by_subject.setdefault((one.name, what.asked.subject), Counter())[what.value] += 1
    return AnswerSamplers(
        {name: AnswerSampler.of(counts) for name, counts in whole.items()},
        {key: AnswerSampler.of(counts) for key, counts in by_subject.items()},
    )


def survey(questions: Iterable[Question]) -> AnswerSamplers:
    """How often each value is the answer."""
    return build_samplers(
        (one, found)
        for question in questions
        if (one := augmentation_of(question.text))
        and isinstance(found := interpret_question(one, question), InterpretedQuestion)
    )


def augmentation_of(text: str) -> Augmentation | None:
    """The augmentation for questions of this sort, whether or not this one is understood."""
    begins = text[:16].lower()
    return next((one for one in AUGMENTATIONS if begins.startswith(_SORTS[one.name])), None)


_SORTS = {"color": "what color", "how-many": "how many", "what-kind": "what kind of"}


def propose_counterfactual(question: Question, pools: AnswerSamplers, rng: Random) -> Iterator[Group | Rejection]:
    """The question, and whether it has the answer that most people gave, or else one that nobody did."""
    one = augmentation_of(question.text)
    if one is None:
        return
    found = interpret_question(one, question)
    if isinstance(found, str):
        yield Rejection(one.name, found)
        return
    made = draw_answer(one, found, pools, rng)
    if made is None:
        yield Rejection(one.name, NO_OTHER)
        return
    answer, value = made
    base = Query(question.picture, question.text, choices=question.choices, context=question.context)
    yield Group(
        Relation.GOLD,
        (base, Query(question.picture, yes_no_text(one, found, value, question.text), context=question.context)),
        (question.gold, Gold.of(answer)),
        proof=answer_proof(found, value),
        kind=one.name,
        tags=(
            (("question", question.id), *question.tags, ("augmentation", one.name)),
            (("augmentation", one.name), ("answer", answer), ("value", value)),
        ),
    )


def draw_answer(
    one: Augmentation, found: InterpretedQuestion, pools: AnswerSamplers, rng: Random
) -> tuple[str, str] | None:
    """Yes with the right value or no with another, at even odds; nothing where a "no" could not be had."""
    other = pools.other(one, found, rng)
    if other is None:
        return None  # whichever way the coin falls, so that the odds stay even
    return ("yes", found.value) if rng.random() < 0.5 else ("no", other)


def yes_no_text(one: Augmentation, found: InterpretedQuestion, value: str, base: str) -> str:
    """The yes/no question about a value, written as its base is."""
    return match_style(base, one.words(found.asked, value))


def answer_proof(found: InterpretedQuestion, value: str) -> str:
    """From what the answer follows."""
    told = f"{found.agreeing} of {len(found.said)} answers say {found.value}"
    return told if value == found.value else f"{told}, none {value}"


suite = Suite(
    "rad-counterfactuals",
    tests="who answers an open question rightly also tells whether that is the answer",
    propose=propose_counterfactual,
    survey=survey,
    takes="questions",
)

"""Counterfactuals: an open question is turned into a yes/no question (RAD, Table 1)."""

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.items import Question
from counterpoint.language.answers.rule_sets import normalize_vqa
from counterpoint.scenes.cooccurrence import WeightedWords
from counterpoint.suites.question_groups import Tags, base_query, base_tags, disagreement
from counterpoint.suites.rad.augmentation import Augmentation, InterpretedQuestion, interpret_question, match_style
from counterpoint.suites.rad.color_questions import color, shows_picture
from counterpoint.suites.rad.count_questions import how_many
from counterpoint.suites.rad.kind_questions import what_kind
from counterpoint.suites.suite import Rejection, Suite

AUGMENTATIONS: tuple[Augmentation, ...] = (color, how_many, what_kind)
"""The augmentations, in the order of Table 1 of the paper."""
MAX_DRAWS = 32
NO_OTHER = "no other value is surely wrong"
PICTURE_ITSELF = "asks for the color of the picture itself"


def draw_fitting(values: WeightedWords, rng: Random, fits: Callable[[str], bool]) -> str | None:
    """A value sampled by frequency among those that fit, or None."""
    for _ in range(MAX_DRAWS if values.words else 0):
        value = values.words[bisect(values.bounds, rng.randrange(values.bounds[-1]))]
        if fits(value):
            return value
    counts = (end - start for start, end in zip((0, *values.bounds), values.bounds, strict=False))
    left = {value: count for value, count in zip(values.words, counts, strict=True) if fits(value)}
    return rng.choices(list(left), list(left.values()))[0] if left else None


@dataclass(frozen=True, slots=True)
class AnswerSamplers:
    """The values of all answers by frequency, for each augmentation and for each subject of it."""

    whole: Mapping[str, WeightedWords]
    by_subject: Mapping[tuple[str, str], WeightedWords]

    def other(self, augmentation: Augmentation, interpreted: InterpretedQuestion, rng: Random) -> str | None:
        """A value that nobody gave, sampled by frequency among all, or first among those of the same subject."""
        nothing = WeightedWords((), ())

        def fits(value: str) -> bool:
            return bool(augmentation.words(interpreted.subject, value)) and all(
                augmentation.apart(interpreted.subject, value, answer) for answer in interpreted.said
            )

        whole, belongs = self.whole.get(augmentation.name, nothing), augmentation.belongs
        if alike := augmentation.alike:
            formed = draw_fitting(whole, rng, lambda value: alike(value, interpreted.value) and fits(value))
            return formed or draw_fitting(whole, rng, fits)
        if belongs is None:
            return draw_fitting(whole, rng, fits)
        of_subject = self.by_subject.get((augmentation.name, interpreted.subject.noun), nothing)
        return draw_fitting(of_subject, rng, fits) or draw_fitting(
            whole, rng, lambda value: belongs(interpreted.subject, value) and fits(value)
        )


def build_samplers(interpreted: Iterable[tuple[Augmentation, InterpretedQuestion]]) -> AnswerSamplers:
    """Samplers from all parsed questions."""
    whole, by_subject = dict[str, Counter[str]](), dict[tuple[str, str], Counter[str]]()
    for augmentation, question in interpreted:
        whole.setdefault(augmentation.name, Counter())[question.value] += 1
        if augmentation.belongs:
            by_subject.setdefault((augmentation.name, question.subject.noun), Counter())[question.value] += 1
    return AnswerSamplers(
        {name: WeightedWords.of(counts) for name, counts in whole.items()},
        {key: WeightedWords.of(counts) for key, counts in by_subject.items()},
    )


def survey(questions: Iterable[Question]) -> AnswerSamplers:
    """How often each value is the answer."""
    return build_samplers(
        (augmentation, interpreted)
        for question in questions
        if (augmentation := augmentation_of(question.text))
        and isinstance(interpreted := interpret_question(augmentation, question), InterpretedQuestion)
    )


def augmentation_of(text: str) -> Augmentation | None:
    """The augmentation for questions with this prefix, whether or not this one can be parsed."""
    prefixes = {"what color": color, "how many": how_many, "what kind of": what_kind}
    return next((sort for prefix, sort in prefixes.items() if text[: len(prefix)].lower() == prefix), None)


def propose_counterfactual(question: Question, samplers: AnswerSamplers, rng: Random) -> Iterator[Group | Rejection]:
    """The question, and the yes/no question about its majority answer or about an answer that nobody gave."""
    augmentation = augmentation_of(question.text)
    if augmentation is None:
        return
    interpreted = interpret_question(augmentation, question)
    if isinstance(interpreted, InterpretedQuestion) and augmentation is color and shows_picture(interpreted.subject):
        interpreted = PICTURE_ITSELF
    if augmentation is how_many and isinstance(interpreted, InterpretedQuestion):
        interpreted = disagreement(question) or interpreted
    if isinstance(interpreted, str):
        yield Rejection(augmentation.name, interpreted)
        return
    drawn_answer = draw_answer(augmentation, interpreted, samplers, rng)
    if drawn_answer is None:
        yield Rejection(augmentation.name, NO_OTHER)
        return
    gold = joint_gold(augmentation, interpreted, question.gold), Gold.of(drawn_answer[0])
    yield counterfactual_group(
        augmentation, interpreted, *drawn_answer, base_query(question), gold, base_tags(question)
    )


def joint_gold(augmentation: Augmentation, interpreted: InterpretedQuestion, gold: Gold) -> Gold:
    """Gold in which the majority value and all of its spellings earn their credit together.

    Spellings that normalize alike have joint credit already. Two people who say "red & white" and two who say "white
    and red" make four for "red and white", as the yes/no question counts them.
    """
    spellings = [
        (answer, credit)
        for answer, credit in gold.answers
        if augmentation.value(interpreted.subject, answer) == interpreted.value
    ]
    by_form = {normalize_vqa(answer): credit for answer, credit in spellings}
    if not by_form or by_form.keys() == {normalize_vqa(interpreted.value)}:
        return gold
    named = [] if normalize_vqa(interpreted.value) in by_form else [(interpreted.value, 0.0)]
    together = min(sum(by_form.values()), 1.0)
    joint = {answer: together for answer, _ in (*spellings, *named)}
    answers = [(answer, joint.get(answer, credit)) for answer, credit in (*gold.answers, *named)]
    return Gold(tuple(sorted(answers, key=lambda pair: -pair[1])))


def draw_answer(
    augmentation: Augmentation, interpreted: InterpretedQuestion, samplers: AnswerSamplers, rng: Random
) -> tuple[str, str] | None:
    """Yes with the correct value or no with another, at even odds; None where there is no wrong value."""
    other = samplers.other(augmentation, interpreted, rng)
    if other is None:
        return None  # before the coin flip, so that the odds stay even
    return ("yes", interpreted.value) if rng.random() < 0.5 else ("no", other)


def counterfactual_group(
    augmentation: Augmentation,
    interpreted: InterpretedQuestion,
    answer: str,
    value: str,
    base: Query,
    gold: tuple[Gold, Gold],
    tags: Tags,
    *,
    choices: tuple[str, ...] = (),
) -> Group:
    """The open question and the yes/no question about a value, in the style of its base; the votes are the proof."""
    text = match_style(base.text, augmentation.words(interpreted.subject, value))
    proof = f"{interpreted.agreeing} of {len(interpreted.said)} answers say {interpreted.value}"
    named = ("augmentation", augmentation.name)
    return Group(
        Relation.GOLD,
        (base, replace(base, text=text, choices=choices)),
        gold,
        proof=proof if value == interpreted.value else f"{proof}, none {value}",
        kind=augmentation.name,
        tags=((*tags, named), (named, ("answer", answer), ("value", value))),
    )


suite = Suite(
    "rad-counterfactuals",
    tests="a model that answers an open question correctly also answers the yes/no question about it",
    propose=propose_counterfactual,
    survey=survey,
    takes="questions",
)

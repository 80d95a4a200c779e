"""Modality bias: a model that looks and reads does not say the same when the picture, or the question, is exchanged.

Question bias keeps the question and exchanges the picture, so that a model that never looks answers as before every
time; picture bias keeps the picture and exchanges the question. The other picture is one whose own questions, answers,
captions and annotation name nothing that the question is about; the other question shares no subject and no object with
it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from counterpoint.core.groups import Group, Query, Relation
from counterpoint.core.items import Caption, GroundedQuestion, Question
from counterpoint.core.pictures import Picture
from counterpoint.suites.bias.disjoint_sampling import DisjointSampler
from counterpoint.suites.bias.topics import item_nouns, question_nouns, text_nouns
from counterpoint.suites.question_groups import Tags, question_group
from counterpoint.suites.suite import ContextReader, Rejection, Suite

VARIANTS = 15
"""How often an input is exchanged, at most."""

NO_SUBJECT = "nothing is known of what it asks about"
FEW_PICTURES = "exchanges: too few pictures name nothing of the question"
FEW_QUESTIONS = "exchanges: too few questions share no noun with it"

Item = Question | GroundedQuestion


@dataclass(frozen=True, slots=True)
class SwapPicture:
    """A picture, and what a model is told of it before any question."""

    picture: Picture
    context: str = ""


@dataclass(frozen=True, slots=True)
class SwapQuestion:
    """A question by its words and the answers it offers, under the first of the ids that it has."""

    text: str
    choices: tuple[str, ...]
    id: str


@dataclass(frozen=True, slots=True)
class SwapSurvey:
    """All pictures and all questions of a source, each once, with what they name."""

    pictures: DisjointSampler[SwapPicture]
    questions: DisjointSampler[SwapQuestion]
    captions: int = 0  # that were read for what they name in the pictures


def survey(items: Iterable[Item]) -> SwapSurvey:
    """One pass over the questions; what is drawn from it later does not depend on their order."""
    shown, named = dict[Picture, SwapPicture](), dict[Picture, set[str]]()
    asked = dict[tuple[str, tuple[str, ...]], SwapQuestion]()
    for item in items:
        question = _question(item)
        there = SwapPicture(question.picture, question.context)
        shown[question.picture] = min(shown.get(question.picture, there), there, key=lambda one: one.context)
        named.setdefault(question.picture, set()).update(item_nouns(item))
        key, one = (question.text, question.choices), SwapQuestion(question.text, question.choices, question.id)
        asked[key] = min(asked.get(key, one), one, key=lambda other: other.id)
    pictures = sorted(named, key=lambda picture: (picture.address, str(picture.edits)))
    texts = {asked[key]: nouns for key in sorted(asked) if (nouns := text_nouns(key[0]))}
    return SwapSurvey(DisjointSampler({shown[one]: named[one] for one in pictures}), DisjointSampler(texts))


def extend_survey(others: SwapSurvey, tell: ContextReader) -> SwapSurvey:
    """The same, where captions and questions that were not drawn tell more of what the pictures name."""
    places = {picture.picture: picture for picture in others.pictures.things}
    named, captions = {picture: set[str]() for picture in others.pictures.things}, 0
    for item in tell(places.keys()):
        if item.picture in places:
            named[places[item.picture]].update(text_nouns(item.text) if isinstance(item, Caption) else item_nouns(item))
            captions += isinstance(item, Caption)
    return SwapSurvey(others.pictures.with_names(named), others.questions, captions)


def manifest_entries(others: SwapSurvey) -> Mapping[str, int]:
    """How many captions were read, as a manifest has it."""
    return {"captions": others.captions}


def swap_pictures(
    item: Item, others: SwapSurvey, rng: Random, *, variants: int = VARIANTS
) -> Iterator[Group | Rejection]:
    """The question as it is, then of pictures that name nothing of it."""
    question = _question(item)
    pictures = others.pictures.sample(question_nouns(item), variants, rng) if question_nouns(item) else []
    queries = [
        Query(other.picture, question.text, choices=question.choices, context=other.context) for other in pictures
    ]
    proof = "these pictures name nothing of the question, so that nothing makes its answer theirs"
    yield from _swap_group(item, [(query, ()) for query in queries], variants, proof, FEW_PICTURES)


def swap_questions(
    item: Item, others: SwapSurvey, rng: Random, *, variants: int = VARIANTS
) -> Iterator[Group | Rejection]:
    """The question as it is, then others about the same picture that share no subject and no object with it."""
    question = _question(item)
    questions = others.questions.sample(question_nouns(item), variants, rng) if question_nouns(item) else []
    swaps = [
        (Query(question.picture, other.text, choices=other.choices, context=question.context), (("other", other.id),))
        for other in questions
    ]
    proof = "these questions share no noun with it, so that nothing makes its answer theirs"
    yield from _swap_group(item, swaps, variants, proof, FEW_QUESTIONS)


def _swap_group(
    item: Item, variants: Sequence[tuple[Query, Tags]], most: int, proof: str, few: str
) -> Iterator[Group | Rejection]:
    question = _question(item)
    if not question_nouns(item):
        yield Rejection(question.kind, NO_SUBJECT)
        return
    if len(variants) < most:
        yield Rejection(question.kind, few, most - len(variants))
    if variants:
        yield question_group(question, variants, relation=Relation.SWAP, proof=proof, keeps_gold=False)


def _question(item: Item) -> Question:
    return item.question if isinstance(item, GroundedQuestion) else item


def swap_suite(name: str, tests: str, swap: Callable[..., Iterable[Group | Rejection]]) -> Suite[Item, SwapSurvey]:
    """A suite that makes these exchanges, of questions with their scenes where there are some."""
    return Suite(
        name,
        tests,
        swap,
        survey,
        takes="questions",
        prefers="grounded",
        manifest_entries=manifest_entries,
        extend_survey=extend_survey,
        options=("variants",),
    )


question_bias = swap_suite("question-bias", "another picture is not answered as the first one was", swap_pictures)
picture_bias = swap_suite("picture-bias", "another question is not answered as the first one was", swap_questions)

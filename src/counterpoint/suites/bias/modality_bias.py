"""Modality bias: how often an answer stays the same when the picture, or the question, is swapped.

Question bias keeps the question and swaps the picture, so that a text-only model always repeats its answer; picture
bias keeps the picture and swaps the question. The other picture is one whose questions, answers, captions and
annotations name nothing that the question is about; the other question shares no subject and no object with it.

In feature space the same swaps replace the features of the picture or of the question. A model that encodes both
independently has the same bias there; one that attends to the picture by the question need not. Blind controls remove
one input and keep the gold answer, so that the loss of accuracy measures what that input contributes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from counterpoint.core.groups import Group, Query, Relation, exchange_picture, exchange_text
from counterpoint.core.ids import content_id
from counterpoint.core.items import Caption, GroundedQuestion, Question
from counterpoint.core.pictures import Edit, Picture
from counterpoint.pictures.transforms import shuffle_edit
from counterpoint.suites.bias.topics import DisjointSampler, item_nouns, question_nouns, text_nouns
from counterpoint.suites.question_groups import Tags, question_group, source_proof
from counterpoint.suites.suite import ContextReader, Rejection, Suite

VARIANTS = 15
"""The largest number of swaps of one question."""

NO_SUBJECT = "nothing is known of what it asks about"
FEW_PICTURES = "exchanges: too few pictures name nothing of the question"
FEW_QUESTIONS = "exchanges: too few questions share no noun with it"

NO_PICTURE, MEAN_COLOR, OTHER_PICTURE, SHUFFLED = PICTURE = ("no-picture", "mean-color", "other-picture", "shuffled")
"""The controls that remove the picture."""
NO_QUESTION = "no-question"
"""The control that removes the question."""

BiasItem = Question | GroundedQuestion
Swap = Callable[..., Iterable[Group | Rejection]]


@dataclass(frozen=True, slots=True)
class SwapPicture:
    """A picture and its context."""

    picture: Picture
    context: str = ""


@dataclass(frozen=True, slots=True)
class SwapQuestion:
    """A question by its text and choices, with the smallest of its ids."""

    text: str
    choices: tuple[str, ...]
    id: str


@dataclass(frozen=True, slots=True)
class SwapSurvey:
    """All pictures and questions of a source, each once, with the nouns that they name."""

    pictures: DisjointSampler[SwapPicture]
    questions: DisjointSampler[SwapQuestion]
    captions: int = 0  # that were read for what they name in the pictures


def survey(items: Iterable[BiasItem]) -> SwapSurvey:
    """One pass over the questions; the result does not depend on their order."""
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
    """The survey with the nouns of further captions and questions on its pictures."""
    places = {picture.picture: picture for picture in others.pictures.things}
    named, captions = {picture: set[str]() for picture in others.pictures.things}, 0
    for item in tell(places.keys()):
        if item.picture in places:
            named[places[item.picture]].update(text_nouns(item.text) if isinstance(item, Caption) else item_nouns(item))
            captions += isinstance(item, Caption)
    return SwapSurvey(others.pictures.with_names(named), others.questions, captions)


def manifest_entries(others: SwapSurvey) -> Mapping[str, int]:
    """The number of captions that were read, for the manifest."""
    return {"captions": others.captions}


def swap_pictures(
    item: BiasItem, others: SwapSurvey, rng: Random, *, variants: int = VARIANTS
) -> Iterator[Group | Rejection]:
    """The question on its own picture, then on pictures that name nothing of it."""
    question, nouns = _question(item), question_nouns(item)
    pictures = others.pictures.sample(nouns, variants, rng) if nouns else []
    base = Query(question.picture, question.text, choices=question.choices)
    queries = [replace(base, picture=other.picture, context=other.context) for other in pictures]
    proof = "these pictures name nothing of the question, so that nothing makes its answer theirs"
    yield from _swap_group(item, [(query, ()) for query in queries], variants, proof, FEW_PICTURES)


def swap_questions(
    item: BiasItem, others: SwapSurvey, rng: Random, *, variants: int = VARIANTS
) -> Iterator[Group | Rejection]:
    """The question, then others on the same picture that share no subject and no object with it."""
    question, nouns = _question(item), question_nouns(item)
    questions = others.questions.sample(nouns, variants, rng) if nouns else []
    swaps = [
        (Query(question.picture, other.text, choices=other.choices, context=question.context), (("other", other.id),))
        for other in questions
    ]
    proof = "these questions share no noun with it, so that nothing makes its answer theirs"
    yield from _swap_group(item, swaps, variants, proof, FEW_QUESTIONS)


def _swap_group(
    item: BiasItem, variants: Sequence[tuple[Query, Tags]], most: int, proof: str, few: str
) -> Iterator[Group | Rejection]:
    question = _question(item)
    if not question_nouns(item):
        yield Rejection(question.kind, NO_SUBJECT)
        return
    if len(variants) < most:
        yield Rejection(question.kind, few, most - len(variants))
    if variants:
        yield question_group(question, variants, relation=Relation.SWAP, proof=proof, keeps_gold=False)


def _question(item: BiasItem) -> Question:
    return item.question if isinstance(item, GroundedQuestion) else item


def propose_controls(item: BiasItem, others: SwapSurvey, rng: Random) -> Iterator[Group | Rejection]:
    """The question, then with each input removed; the gold answer stays."""
    question = _question(item)
    if not question.gold.answers:
        yield Rejection(question.kind, "no gold is known")
        return
    controls = dict(_controls(question, question_nouns(item), others, rng))
    if OTHER_PICTURE not in controls:
        yield Rejection(question.kind, FEW_PICTURES)
    variants = [(query, (("control", name),)) for name, query in controls.items()]
    yield question_group(question, variants, relation=Relation.SWAP, proof=source_proof(question))


def _controls(
    question: Question, nouns: frozenset[str], others: SwapSurvey, rng: Random
) -> Iterator[tuple[str, Query]]:
    """The query with one input removed, by the name of the control."""

    def shown(picture: Picture | None, context: str = "") -> Query:  # words read in a picture go with it
        return Query(picture, question.text, choices=question.choices, context=context)

    picture = question.picture
    seed = content_id(["patches", picture.content]) % 2**32  # all questions about a picture see the same patches
    yield NO_PICTURE, shown(None)
    yield MEAN_COLOR, shown(picture.edited(Edit("mean-color")))
    for other in others.pictures.sample(nouns, 1, rng) if nouns else []:
        yield OTHER_PICTURE, shown(other.picture, other.context)
    yield SHUFFLED, shown(picture.edited(shuffle_edit(seed=seed)))
    yield NO_QUESTION, Query(picture, "", choices=question.choices, context=question.context)


def swap_features(
    item: BiasItem, others: SwapSurvey, rng: Random, *, exchange: Swap, variants: int = VARIANTS
) -> Iterator[Group | Rejection]:
    """The groups of a swap, with the swap made in feature space."""
    for proposal in exchange(item, others, rng, variants=variants):
        yield proposal if isinstance(proposal, Rejection) else replace(proposal, queries=tuple(_moved(proposal)))


def _moved(group: Group) -> Iterator[Query]:
    """The base, and for each variant the base with the swap as an edit; its choices stay."""
    base = group.base
    yield base
    for variant in group.variants:
        if variant.picture is not None and variant.picture != base.picture:
            yield replace(variant, picture=base.picture, edits=(exchange_picture(variant.picture),))
        else:
            yield replace(variant, text=base.text, edits=(exchange_text(variant.text, variant.context),))


def _suite(name: str, tests: str, propose: Swap, *options: str) -> Suite[BiasItem, SwapSurvey]:
    return Suite(
        name,
        tests,
        propose,
        survey,
        takes="questions",
        prefers="grounded",
        manifest_entries=manifest_entries,
        extend_survey=extend_survey,
        options=options,
    )


question_bias = _suite("question-bias", "the answer changes when the picture is swapped", swap_pictures, "variants")
picture_bias = _suite("picture-bias", "the answer changes when the question is swapped", swap_questions, "variants")
feature_question_bias = _suite(
    "feature-question-bias",
    "the answer changes when the picture features are swapped",
    partial(swap_features, exchange=swap_pictures),
    "variants",
)
feature_picture_bias = _suite(
    "feature-picture-bias",
    "the answer changes when the question features are swapped",
    partial(swap_features, exchange=swap_questions),
    "variants",
)
blind_controls = _suite(
    "blind-controls", "a correct answer depends on the picture and on the question", propose_controls
)

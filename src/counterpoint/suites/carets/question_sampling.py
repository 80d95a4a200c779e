"""Sampling of questions about a scene, each with its answer and the proof.

A maker first samples both a true and a false claim, and asks nothing unless it has both; a coin flip then decides which
one is asked. False claims are sampled from the statistics of the source, so that a text-only model cannot guess.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import chain
from random import Random
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct

from counterpoint.core.groups import Gold, Group, text_query_id
from counterpoint.core.scenes import Scene
from counterpoint.language.english import be, question
from counterpoint.language.lexicon.senses import hypernym_names
from counterpoint.scenes.ambiguity import NOT_LISTED, can_be_listed
from counterpoint.scenes.attributes import attribute_class
from counterpoint.scenes.cooccurrence import SceneStatistics, survey_scenes
from counterpoint.scenes.views import DrawnObject, ObjectClaim, SceneSampler
from counterpoint.suites.balanced_sampling import Candidate, Stratum, stratum_of
from counterpoint.suites.carets.choice_questions import (
    SCENE_WIDE_REASONS,
    action_choice,
    attribute_choice,
    object_choice,
    sample_attribute,
)
from counterpoint.suites.carets.question_kinds import BINARY, KINDS
from counterpoint.suites.carets.relation_questions import relation_question
from counterpoint.suites.carets.templates import (
    QuestionContent,
    Template,
    fill_templates,
    question_about,
)
from counterpoint.suites.question_groups import Tags
from counterpoint.suites.suite import Rejection, Suite

QUESTIONS_PER_KIND = 8
"""The largest number of questions of each kind for one scene."""

YES, NO = Gold.of("yes"), Gold.of("no")
"""The gold of questions with these answers."""

_TRIES = 6
_BOTH_GONE = 0.25  # of the conjunctions that do not hold, the share in which neither part does
_BOTH_THERE = 0.25  # of the disjunctions that hold, the share in which both parts do
_WITH_RELATION = 0.45  # of the questions after one thing, the share that says what it stands in relation to

QuestionMaker: TypeAlias = Callable[[SceneSampler, Random], QuestionContent | str]
"""Samples a question about a scene, or returns the reason why there is none."""


def sample_questions(
    kinds: Iterable[str], scene: Scene, statistics: SceneStatistics, rng: Random
) -> Iterator[QuestionContent | Rejection]:
    """A few different questions of each kind, or the reasons why there are fewer."""
    view = SceneSampler.of(scene, statistics)
    view.start_over()
    for kind in kinds:
        asked_before = set[tuple[str, ...]]()
        for _ in range(QUESTIONS_PER_KIND):
            content = view.obstacle or MAKERS[kind](view, rng)
            if isinstance(content, str):
                yield Rejection(kind, content)
                if content == view.obstacle or content in SCENE_WIDE_REASONS:
                    break
                continue
            key = (content.about, content.where, *sorted(content.options))
            if key not in asked_before:
                asked_before.add(key)
                yield content
                continue
            yield Rejection(kind, "asked before")
            if kind in BINARY:  # what is left would be of the answer that has more to ask about
                break
        yield from (Rejection(kind, f"candidate rejected: {why}", n) for why, n in sorted(view.rejected.items()))
        view.rejected.clear()


def _object_question(view: SceneSampler, rng: Random) -> QuestionContent | str:
    if rng.random() < _WITH_RELATION:
        content = relation_question(view, rng)
        if isinstance(content, QuestionContent):
            return content
    here, gone = view.present(rng), view.absent(rng)
    if here is None or gone is None:
        return "nothing is surely there" if here is None else "nothing plausible is surely absent"
    truth = rng.random() < 0.5
    return verification_question("object verification", (view.claim(here if truth else gone),), truth)


def _conjunction_question(view: SceneSampler, rng: Random) -> QuestionContent | str:
    here, gone = _distinct_pair(view.present, rng), _distinct_pair(view.absent, rng)
    if len(here) < 2 or len(gone) < 2:
        return "no two things are surely there" if len(here) < 2 else "no two plausible things are surely absent"
    truth = rng.random() < 0.5
    if truth or rng.random() < _BOTH_GONE:
        claims = tuple(map(view.claim, here if truth else gone))
        return verification_question("conjunctive verification", claims, truth)
    return _mixed_question("conjunctive verification", view, here[0], gone[0], False, rng)


def _disjunction_question(view: SceneSampler, rng: Random) -> QuestionContent | str:
    here, gone = _distinct_pair(view.present, rng), _distinct_pair(view.absent, rng)
    if not here or len(gone) < 2:
        return "nothing is surely there" if not here else "no two plausible things are surely absent"
    truth, is_plain = rng.random() < 0.5, len(here) == 2 and rng.random() < _BOTH_THERE
    if is_plain or not truth:  # as many of both answers are asked without "either"
        tags = (("either", "no"),) if is_plain else ()
        claims = tuple(map(view.claim, here if truth else gone))
        return verification_question("disjunctive verification", claims, truth, tags)
    return _mixed_question("disjunctive verification", view, here[0], gone[0], True, rng)


def _mixed_question(
    kind: str, view: SceneSampler, here: DrawnObject, gone: DrawnObject, truth: bool, rng: Random
) -> QuestionContent | str:
    if not can_be_listed(here.name, gone.name):
        return NOT_LISTED
    both = (here, gone) if rng.random() < 0.5 else (gone, here)
    return verification_question(kind, tuple(map(view.claim, both)), truth)


def _distinct_pair(draw: Callable[[Random], DrawnObject | None], rng: Random) -> tuple[DrawnObject, ...]:
    """Two objects that people name side by side, or as many as there are."""
    first = draw(rng)
    if first is None:
        return ()
    for _ in range(_TRIES):
        second = draw(rng)
        if second and can_be_listed(first.name, second.name):
            return first, second
    return (first,)


def verification_question(
    kind: str, claims: tuple[ObjectClaim, ...], truth: bool, more_tags: Tags = ()
) -> QuestionContent:
    """The question whether these objects are present."""
    phrases, proofs, objects = tuple([claim.phrase for claim in claims]), claims[0].proof, claims[0].objects
    general, there, has_value = _general_name(claims[0].name), int(claims[0].is_there), bool(claims[0].value)
    for claim in claims[1:]:
        proofs, objects = f"{proofs}; {claim.proof}", objects + claim.objects
        general = f"{general} + {_general_name(claim.name)}"
        there, has_value = there + claim.is_there, has_value or bool(claim.value)
    tags = (*_claim_tags(general, there, len(claims) - there, has_value), *more_tags)
    return QuestionContent(kind, phrases, YES if truth else NO, proofs, objects, tags=tags)


@cache
def _claim_tags(general: str, there: int, gone: int, has_value: bool) -> Tags:
    counts = ("there", str(there)), ("gone", str(gone))
    return ("hypernym", general), *counts, ("attribute", "yes" if has_value else "no")


@cache
def _general_name(name: str) -> str:
    return next(iter(hypernym_names(name)), "none")


def _attribute_question(view: SceneSampler, rng: Random) -> QuestionContent | str:
    sampled = sample_attribute("attribute verification", view, rng)
    if isinstance(sampled, str):
        return sampled
    expression, value, wrong = sampled
    truth, name = rng.random() < 0.5, expression.thing.name
    fact = f"{name} {expression.thing.id} {be(name)} annotated as {value}"
    proof, gold = fact if truth else f"{fact}, which excludes {wrong}", YES if truth else NO
    tags = (("class", attribute_class(value)), ("hypernym", next(iter(hypernym_names(name)), "none")))
    options = (value if truth else wrong,)
    return question_about(expression, "attribute verification", options, gold, proof, attribute_class(value), tags)


def _with_retries(maker: QuestionMaker) -> QuestionMaker:
    """The same maker until it makes a question, or has tried everything."""

    def make(view: SceneSampler, rng: Random) -> QuestionContent | str:
        while True:
            content = maker(view, rng)
            if not isinstance(content, str) or content in SCENE_WIDE_REASONS:
                return content

    return make


MAKERS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        "object verification": _object_question,
        "conjunctive verification": _conjunction_question,
        "disjunctive verification": _disjunction_question,
        "attribute verification": _with_retries(_attribute_question),
        "object choice": _with_retries(object_choice),
        "attribute choice": _with_retries(attribute_choice),
        "action choice": _with_retries(action_choice),
    }
)
"""The maker of each kind of question."""


RNG_KEY = "originals"
"""The rng key of the suites that share their originals."""


class Original(Struct, frozen=True):
    """A question, its template, the resulting base query, and the stratum that it is sampled in."""

    content: QuestionContent
    template: Template
    number: int  # the id of the base query
    stratum: Stratum

    def candidate(self, make: Callable[[], Group]) -> Candidate:
        """A candidate with this base; `make` builds the group if it is kept."""
        stratum = self.stratum
        return Candidate(stratum[0], self.number, stratum[3], self.content.tags, make, stratum=stratum)


_Pool: TypeAlias = Mapping[str, list[Original | Rejection]]
"""The originals and rejections of a scene by kind."""
_last: list[tuple[Scene, SceneStatistics, int, _Pool]] = []
# suites generated together ask for the same pool in turn, so the last one is kept


def original_suite(
    name: str,
    *,
    tests: str,
    kinds: Collection[str],
    make: Callable[[Scene, Original, float], Group],
    doubt: Callable[[Scene, Original], str] = lambda scene, original: "",
) -> Suite[Scene, SceneStatistics]:
    """A suite with one group for each original of these kinds; `make` gets a random number from 0 to 1.

    `doubt` gives the reason why an original cannot be changed so, or nothing.
    """

    def propose(scene: Scene, statistics: SceneStatistics, rng: Random) -> Iterator[Candidate | Rejection]:
        for original in originals(kinds, scene, statistics, rng):
            if isinstance(original, Rejection):
                yield original
            elif reason := doubt(scene, original):
                yield Rejection(original.content.kind, reason)
            else:
                yield original.candidate(partial(make, scene, original, rng.random()))

    return Suite(name, tests=tests, propose=propose, survey=survey_scenes, merges=True, rng_key=RNG_KEY)


def originals(
    kinds: Collection[str], scene: Scene, statistics: SceneStatistics, rng: Random
) -> Iterator[Original | Rejection]:
    """The originals of these kinds from the pool of a scene, the same for every rng in the same state."""
    pool = _pool(scene, statistics, rng.getrandbits(64))
    return chain.from_iterable(pool[kind] for kind in KINDS if kind in kinds)


def _pool(scene: Scene, statistics: SceneStatistics, seed: int) -> _Pool:
    for last_scene, last_statistics, last_seed, pool in _last:
        if last_scene is scene and last_statistics is statistics and last_seed == seed:
            return pool
    rng, pool = Random(seed), {kind: list[Original | Rejection]() for kind in KINDS}
    rejections = Counter[tuple[str, str]]()  # added up, since every suite counts them
    for content in sample_questions(KINDS, scene, statistics, rng):
        if isinstance(content, Rejection):
            rejections[content.kind, content.reason] += content.count
        else:
            pool[content.kind].append(_first(scene, content, rng))
    for (kind, reason), count in rejections.items():
        pool[kind].append(Rejection(kind, reason, count))
    _last[:] = [(scene, statistics, seed, pool)]
    return pool


def _first(scene: Scene, content: QuestionContent, rng: Random) -> Original:
    fitting, slots = fill_templates(content)
    template = fitting[int(rng.random() * len(fitting))]
    number = text_query_id(scene.picture, question(template.ask.format_map(slots)))
    return Original(content, template, number, stratum_of(content.kind, content.gold.best, content.tags))

"""Actions: the verb of a caption is replaced, or the participants are swapped (VALSE, A.5)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from random import Random
from typing import TypeAlias

from counterpoint.core.groups import Group
from counterpoint.core.items import Frame
from counterpoint.core.scenes import SceneObject
from counterpoint.language.english import a, be, is_plural, sentence, third_person
from counterpoint.language.lexicon.senses import is_a
from counterpoint.language.lexicon.wordnet import lexicon
from counterpoint.scenes.names import is_known
from counterpoint.suites.question_groups import ranking_group
from counterpoint.suites.suite import GAP, MASKED_LM, Fillers, FoilProposals, Gap, Rejection, Suite
from counterpoint.suites.valse.agreement import infinitive
from counterpoint.suites.valse.caption_foils import listed_words, read_lists
from counterpoint.suites.valse.paired_foils import PAIR_TAG, PairSampler, pair_cases, pair_name

_USUAL = 3  # senses of a verb that people mean by it


@dataclass(frozen=True, slots=True)
class ActionSentence:
    """An action with two participants; `preposition` stands before the second, if there is one.

    The tense is the present progressive, as in captions ("is chasing"), or the simple present, as in VALSE.
    """

    id: str
    agent: str
    verb: str  # as frames have it: "chasing"
    preposition: str
    other: str
    present: bool = False

    @property
    def text(self) -> str:
        """The sentence.

        >>> ActionSentence("7", "people", "unveiling", "", "prize").text
        'Some people are unveiling a prize.'
        >>> ActionSentence("8", "boy", "sitting", "on", "bench", present=True).text
        'A boy sits on a bench.'
        """
        return sentence(f"{a(self.agent)} {self.said} {a(self.other)}")

    @property
    def said(self) -> str:
        """Verb and preposition, in agreement with the agent."""
        verb = infinitive(self.verb) if self.present else f"{be(self.agent)} {self.verb}"
        verb = third_person(verb) if self.present and not is_plural(self.agent) else verb
        return f"{verb} {self.preposition}".rstrip()

    @property
    def gap(self) -> Gap:
        """The sentence with a gap in place of the verb, for a masked language model to fill.

        >>> tuple(ActionSentence("8", "boy", "sitting", "on", "bench").gap)
        ('A boy is [MASK] a bench.', 'sitting on')
        """
        before, verb_phrase = a(self.agent), self.said
        if not self.present:
            before, verb_phrase = f"{before} {be(self.agent)}", verb_phrase.removeprefix(f"{be(self.agent)} ")
        return Gap(sentence(f"{before} {GAP} {a(self.other)}"), verb_phrase)

    @property
    def triple(self) -> tuple[str, str, str]:
        """Agent, verb and other participant."""
        return self.agent, self.verb, self.other

    def swapped(self) -> "ActionSentence":
        """The sentence with the participants swapped.

        >>> ActionSentence("7", "people", "unveiling", "", "prize", present=True).swapped().text
        'A prize unveils some people.'
        """
        return replace(self, agent=self.other, other=self.agent)

    def doing(self, other: "ActionSentence") -> "ActionSentence":
        """The sentence with the verb of another one."""
        return replace(self, verb=other.verb, preposition=other.preposition)


def read_action(frame: Frame, present: bool = False) -> ActionSentence | str:
    """The agent of a frame, its verb, and the first other usable role, or the reason why there is no sentence."""
    agent = frame.role("agent")
    if agent is None:
        return "the frame has no agent"
    for role in frame.roles:
        name = role.name.lower()
        special: str | None = read_lists("actions")["prepositions"].get(f"{frame.verb} {name}")
        preposition = special if special is not None else read_lists("actions")["roles"].get(name)
        if role.name != "agent" and preposition is not None:
            return ActionSentence(frame.id, agent.noun, frame.verb, preposition, role.noun, present)
    return "the frame has nothing that the agent does it to"


@cache
def verbs_exclude(verb: str, other: str) -> bool:
    """Whether two actions exclude each other: no synonyms, no hyponyms, and not usually done together.

    >>> verbs_exclude("kicking", "throwing"), verbs_exclude("eating", "holding"), verbs_exclude("walking", "strolling")
    (True, False, False)
    """
    one, two, book = infinitive(verb), infinitive(other), lexicon()
    if one == two:
        return False
    if two in book.antonyms(one, "v") or one in book.antonyms(two, "v"):
        return True
    is_set_apart = not listed_words("actions", "apart").isdisjoint((f"{verb}-{other}", f"{other}-{verb}"))
    if not is_set_apart and {verb, other} & listed_words("actions", "vague"):
        return False
    first, second = book.senses(one, "v"), book.senses(two, "v")
    pairs = [(x, y) for x in first[:_USUAL] for y in second[:_USUAL]]
    return set(first).isdisjoint(second) and not any(book.is_kind_of(x, y) or book.is_kind_of(y, x) for x, y in pairs)


def are_alike(noun: str, other: str) -> bool:
    """Whether two nouns may name the same thing, so that swapping them may change nothing."""
    return noun == other or (is_known(noun) and is_known(other) and (is_a(noun, other) or is_a(other, noun)))


KIND = "actions"
REPLACEMENT, SWAP = "action-replacement", "actant-swap"


@dataclass(frozen=True, slots=True)
class ActionFoil:
    """An action that is not in the picture, with its instrument and its pair."""

    instrument: str
    act: ActionSentence
    pair: str


class AttestedActions:
    """Who does what, what is done to what, and what each picture shows; acts come with the address of their picture."""

    def __init__(self, acts: Sequence[tuple[str, ActionSentence]]) -> None:
        self._agents = {(act.agent, act.verb) for _, act in acts}
        self._others = {(act.verb, act.other) for _, act in acts}
        self._shown = {(address, act.triple) for address, act in acts}
        self._picture = {act.id: address for address, act in acts}

    def is_shown(self, act: ActionSentence) -> bool:
        """Whether the picture of an act has an action with these participants."""
        return (self._picture[act.id], act.triple) in self._shown

    def is_foil(self, act: ActionSentence) -> bool:
        """Whether an action is attested elsewhere and not in its own picture."""
        is_usual = (act.agent, act.verb) in self._agents and (act.verb, act.other) in self._others
        return is_usual and not self.is_shown(act)


ActionPlan: TypeAlias = Mapping[str, ActionFoil]
"""The foil of each frame, by its id."""


def swap_foil(act: ActionSentence, attested: AttestedActions) -> ActionFoil | str:
    """The foil with the participants swapped, or the reason why that is no foil."""
    if act.verb in listed_words("actions", "mutual"):
        return "what one does to the other, the other does as well"
    if are_alike(act.agent, act.other):
        return "who does it and whom it is done to are called alike"
    swapped = act.swapped()
    if attested.is_shown(swapped):
        return "the picture shows it the other way round too"
    return ActionFoil(SWAP, swapped, pair_name(SWAP, act))


def foil_planner(
    proposals: Fillers | None = None, *, paired: bool = True, present: bool = False
) -> Callable[[Iterable[Frame]], ActionPlan]:
    """The survey that assigns each frame its foil: only those in a pair, or all where they need not be `paired`.

    Where a masked language model proposed verbs, only these are used.
    """

    def planned(frames: Iterable[Frame]) -> ActionPlan:
        readings = [(frame.picture.address, read_action(frame, present)) for frame in frames]
        sentences = [(address, act) for address, act in readings if isinstance(act, ActionSentence)]
        attested, acts = AttestedActions(sentences), [act for _, act in sentences]
        plan = dict(_swaps(acts, attested))
        plan |= _replacements([act for act in acts if act.id not in plan], attested, proposals)
        if not paired:
            rest = (act for act in acts if act.id not in plan)
            plan |= {act.id: foil for act in rest if isinstance(foil := swap_foil(act, attested), ActionFoil)}
        return plan

    return planned


def _swaps(acts: Iterable[ActionSentence], attested: AttestedActions) -> Iterator[tuple[str, ActionFoil]]:
    """Pairs such as a boy who chases a dog, and a dog that chases a boy."""
    able = [act for act in acts if isinstance(swap_foil(act, attested), ActionFoil)]
    keys = (lambda act: (act.verb, act.preposition, *sorted((act.agent, act.other))),)
    for pair in pair_cases(able, side=lambda act: act.agent, keys=keys):
        for act in pair.kept:
            yield act.id, ActionFoil(SWAP, act.swapped(), pair.name(SWAP))


def _replacements(
    acts: Iterable[ActionSentence], attested: AttestedActions, proposals: Fillers | None
) -> Iterator[tuple[str, ActionFoil]]:
    """Pairs such as one who kicks a ball, and one who throws it, with the verbs exchanged."""

    def fits(one: ActionSentence, other: ActionSentence) -> bool:
        return verbs_exclude(one.verb, other.verb) and all(
            attested.is_foil(foil) and (proposals is None or foil.gap.filler in proposals.get(foil.gap.text, ()))
            for foil in (one.doing(other), other.doing(one))
        )

    keys = (lambda act: (act.agent, act.other), lambda act: act.other)
    for pair in pair_cases(acts, side=lambda act: act.verb, keys=keys, fits=fits):
        for act, other in pair.each():
            yield act.id, ActionFoil(REPLACEMENT, act.doing(other), pair.name(REPLACEMENT))


def propose_foils(frame: Frame, plan: ActionPlan, rng: Random, present: bool = False) -> Iterator[Group | Rejection]:
    """A caption of the action and its foil."""
    act, foil = read_action(frame, present), plan.get(frame.id)
    if isinstance(act, str) or foil is None:
        lack = "no other frame does something else, or the reverse, with the same"
        yield Rejection(KIND, act if isinstance(act, str) else lack)
        return
    swaps, sentences = foil.instrument == SWAP, (act, foil.act)
    word, other = (f"{sentence.agent} | {sentence.other}" if swaps else sentence.said for sentence in sentences)
    yield ranking_group(
        frame.picture,
        (sentence.text for sentence in sentences),
        ((("word", word), ("frame", frame.id), ("verb", act.verb), (PAIR_TAG, foil.pair)), (("word", other),)),
        proof=f"frame {frame.id}: {act.agent}, {act.verb}, {act.other}",
        kind=KIND,
        objects=tuple(SceneObject(role.name, role.noun, box=role.box) for role in frame.roles if role.box is not None),
        size=frame.size,
        test=foil.instrument,
    )


def actions_suite(
    name: str, proposals: Fillers | None = None, *, paired: bool = True, present: bool = False
) -> Suite[Frame, ActionPlan]:
    """The suite, with or without proposed verbs, with paired foils alone or with all."""
    return Suite(
        name,
        tests="a caption with the right action and participants ranks above one with another action",
        propose=partial(propose_foils, present=present),
        survey=foil_planner(proposals, paired=paired, present=present),
        choose=PairSampler,
        takes="frames",
        options=(MASKED_LM,),
        proposals=FoilProposals(
            gaps=partial(sentence_gaps, present=present),
            apply=partial(actions_suite, name, paired=paired, present=present),
            top_k=50,
            max_words=2,
        ),
    )


def sentence_gaps(frame: Frame, present: bool = False) -> Iterator[Gap]:
    """The sentence of a frame without its verb."""
    if isinstance(act := read_action(frame, present), ActionSentence):
        yield act.gap


suite = actions_suite(KIND)
unpaired = actions_suite("actions-unpaired", paired=False, present=True)
"""In the simple present and with all swaps, as in VALSE; text-only models can detect these foils."""

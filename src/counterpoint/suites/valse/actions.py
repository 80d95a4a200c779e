"""Actions: the verb of a caption is replaced, or the participants are swapped (VALSE, A.5)."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import TypeAlias

from counterpoint.core.groups import Group
from counterpoint.core.items import Frame
from counterpoint.core.scenes import SceneObject
from counterpoint.suites.question_groups import ranking_group
from counterpoint.suites.suite import MASKED_LM, Fillers, FoilProposals, Gap, Rejection, Suite
from counterpoint.suites.valse.action_sentences import ActionSentence, are_alike, is_mutual, read_action, verbs_exclude
from counterpoint.suites.valse.paired_foils import PAIR_TAG, PairSampler, pair_cases, pair_name

KIND = "actions"
REPLACEMENT, SWAP = "action-replacement", "actant-swap"


@dataclass(frozen=True, slots=True)
class ActionFoil:
    """An action that is not in the picture, with its instrument and its pair."""

    instrument: str
    act: ActionSentence
    pair: str


@dataclass(frozen=True, slots=True)
class AttestedActions:
    """Statistics of frames: agents and verbs, verbs and objects, and all actions of each picture."""

    agents: frozenset[tuple[str, str]] = frozenset()
    others: frozenset[tuple[str, str]] = frozenset()
    happening: Mapping[str, frozenset[tuple[str, str, str]]] = field(default_factory=dict)
    picture: Mapping[str, str] = field(default_factory=dict)  # of each act

    @classmethod
    def of(cls, acts: Iterable[tuple[str, ActionSentence]]) -> "AttestedActions":
        """From acts and the addresses of their pictures."""
        listed = list(acts)
        happening = defaultdict[str, set[tuple[str, str, str]]](set)
        for address, act in listed:
            happening[address].add(act.triple)
        return cls(
            frozenset((act.agent, act.verb) for _, act in listed),
            frozenset((act.verb, act.other) for _, act in listed),
            {address: frozenset(triples) for address, triples in happening.items()},
            {act.id: address for address, act in listed},
        )

    def is_foil(self, act: ActionSentence) -> bool:
        """Whether an action is attested elsewhere and not in its own picture."""
        return (
            (act.agent, act.verb) in self.agents
            and (act.verb, act.other) in self.others
            and act.triple not in self.happening[self.picture[act.id]]
        )


ActionPlan: TypeAlias = Mapping[str, ActionFoil]
"""The foil of each frame, by its id."""


def swap_foil(act: ActionSentence, attested: AttestedActions) -> ActionFoil | str:
    """The foil with the participants swapped, or the reason why that is no foil."""
    if is_mutual(act.verb):
        return "what one does to the other, the other does as well"
    if are_alike(act.agent, act.other):
        return "who does it and whom it is done to are called alike"
    swapped = act.swapped()
    if swapped.triple in attested.happening[attested.picture[act.id]]:
        return "the picture shows it the other way round too"
    return ActionFoil(SWAP, swapped, pair_name(SWAP, act))


def foil_planner(
    proposals: Fillers | None = None, *, paired: bool = True, present: bool = False
) -> Callable[[Iterable[Frame]], ActionPlan]:
    """The survey that assigns each frame its foil: only those in a pair, or all where they need not be `paired`.

    Where a masked language model proposed verbs, only these are used.
    """

    def planned(frames: Iterable[Frame]) -> ActionPlan:
        sentences = [
            (frame.picture.address, replace(act, present=present))
            for frame in frames
            if isinstance(act := read_action(frame), ActionSentence)
        ]
        attested = AttestedActions.of(sentences)
        acts = [act for _, act in sentences]
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
    act = read_action(frame)
    if isinstance(act, str):
        yield Rejection(KIND, act)
        return
    if frame.id not in plan:
        yield Rejection(KIND, "no other frame does something else, or the reverse, with the same")
        return
    foil = plan[frame.id]
    swaps = foil.instrument == SWAP
    sentences = [replace(act, present=present), foil.act]
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
    if isinstance(act := read_action(frame), ActionSentence):
        yield replace(act, present=present).gap


suite = actions_suite(KIND)
unpaired = actions_suite("actions-unpaired", paired=False, present=True)
"""In the simple present and with all swaps, as in VALSE; text-only models can detect these foils."""

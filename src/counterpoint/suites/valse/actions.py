"""Actions: another verb in the place of what somebody does, or the two who take part in it exchanged."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import TypeAlias

from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.items import Frame
from counterpoint.core.scenes import SceneObject
from counterpoint.suites.suite import MASKED_LM, Dropped, Fillers, FoilProposals, Gap, Suite
from counterpoint.suites.valse.action_sentences import Act, act_of, are_alike, excluding, is_mutual
from counterpoint.suites.valse.paired_foils import TAG, Twinned, twin_name, twins

KIND = "actions"
REPLACEMENT, SWAP = "action-replacement", "actant-swap"


@dataclass(frozen=True, slots=True)
class Foil:
    """An act that does not happen, and what it tests."""

    instrument: str
    act: Act
    twin: str


@dataclass(frozen=True, slots=True)
class Attested:
    """What the frames of a source tell: who does what, what is done to what, and all that happens in a picture."""

    agents: frozenset[tuple[str, str]] = frozenset()
    others: frozenset[tuple[str, str]] = frozenset()
    happening: Mapping[str, frozenset[tuple[str, str, str]]] = field(default_factory=dict)
    picture: Mapping[str, str] = field(default_factory=dict)  # of each act

    @classmethod
    def of(cls, acts: Iterable[tuple[str, Act]]) -> "Attested":
        """From acts and the addresses of their pictures."""
        listed = list(acts)
        happening = defaultdict[str, set[tuple[str, str, str]]](set)
        for address, act in listed:
            happening[address].add(act.triple)
        return cls(
            frozenset((act.agent, act.verb) for _, act in listed),
            frozenset((act.verb, act.other) for _, act in listed),
            {address: frozenset(found) for address, found in happening.items()},
            {act.id: address for address, act in listed},
        )

    def is_foil(self, act: Act) -> bool:
        """Whether an act is of a kind that happens elsewhere, and does not happen in its own picture."""
        return (
            (act.agent, act.verb) in self.agents
            and (act.verb, act.other) in self.others
            and act.triple not in self.happening[self.picture[act.id]]
        )


Plan: TypeAlias = Mapping[str, Foil]
"""The foil of each frame, by its id."""


def swap_of(act: Act, known: Attested) -> Foil | str:
    """The two exchanged, or why that would be no foil."""
    if is_mutual(act.verb):
        return "what one does to the other, the other does as well"
    if are_alike(act.agent, act.other):
        return "who does it and whom it is done to are called alike"
    swapped = act.swapped()
    if swapped.triple in known.happening[known.picture[act.id]]:
        return "the picture shows it the other way round too"
    return Foil(SWAP, swapped, twin_name(SWAP, act))


def planner(
    proposals: Fillers | None = None, *, paired: bool = True, present: bool = False
) -> Callable[[Iterable[Frame]], Plan]:
    """The step that gives each frame its foil: only those that have a twin, or all, where they need not be `paired`.

    Where somebody proposed what could be done, nothing else is put for what is done.
    """

    def planned(frames: Iterable[Frame]) -> Plan:
        told = [
            (frame.picture.address, replace(act, present=present))
            for frame in frames
            if isinstance(act := act_of(frame), Act)
        ]
        known = Attested.of(told)
        acts = [act for _, act in told]
        plan = dict(_swaps(acts, known))
        plan |= _replacements([act for act in acts if act.id not in plan], known, proposals)
        if not paired:
            rest = (act for act in acts if act.id not in plan)
            plan |= {act.id: foil for act in rest if isinstance(foil := swap_of(act, known), Foil)}
        return plan

    return planned


def _swaps(acts: Iterable[Act], known: Attested) -> Iterator[tuple[str, Foil]]:
    """A boy who chases a dog beside a dog that chases a boy."""
    able = [act for act in acts if isinstance(swap_of(act, known), Foil)]
    keys = (lambda act: (act.verb, act.preposition, *sorted((act.agent, act.other))),)
    for pair in twins(able, side=lambda act: act.agent, keys=keys):
        for act in pair.kept:
            yield act.id, Foil(SWAP, act.swapped(), pair.name(SWAP))


def _replacements(acts: Iterable[Act], known: Attested, proposals: Fillers | None) -> Iterator[tuple[str, Foil]]:
    """One who kicks a ball beside one who throws it, with the verbs exchanged."""

    def fits(one: Act, other: Act) -> bool:
        return excluding(one.verb, other.verb) and all(
            known.is_foil(foil) and (proposals is None or foil.gap.filler in proposals.get(foil.gap.text, ()))
            for foil in (one.doing(other), other.doing(one))
        )

    keys = (lambda act: (act.agent, act.other), lambda act: act.other)
    for pair in twins(acts, side=lambda act: act.verb, keys=keys, fits=fits):
        for act, other in pair.each():
            yield act.id, Foil(REPLACEMENT, act.doing(other), pair.name(REPLACEMENT))


def misdone(frame: Frame, plan: Plan, rng: Random, present: bool = False) -> Iterator[Group | Dropped]:
    """What happens, and what does not, as captions tell it or in the present tense."""
    act = act_of(frame)
    if isinstance(act, str):
        yield Dropped(KIND, act)
        return
    if frame.id not in plan:
        yield Dropped(KIND, "no other frame does something else, or the reverse, with the same")
        return
    foil = plan[frame.id]
    swaps = foil.instrument == SWAP
    told = [replace(act, present=present), foil.act]
    word, other = (f"{one.agent} | {one.other}" if swaps else one.said for one in told)
    yield Group(
        Relation.RANKS,
        tuple(Query(frame.picture, one.text, Mode.SCORE) for one in told),
        (None, None),
        proof=f"frame {frame.id}: {act.agent}, {act.verb}, {act.other}",
        kind=KIND,
        objects=tuple(SceneObject(role.name, role.noun, box=role.box) for role in frame.roles if role.box is not None),
        size=frame.size,
        tags=((("word", word), ("frame", frame.id), ("verb", act.verb), (TAG, foil.twin)), (("word", other),)),
        test=foil.instrument,
    )


def suite_of(
    name: str, proposals: Fillers | None = None, *, paired: bool = True, present: bool = False
) -> Suite[Frame, Plan]:
    """The suite, with verbs that somebody proposed or without, and with twins alone or with all that there are."""
    return Suite(
        name,
        tests="what is done, and by whom to whom, is told from what is not",
        propose=partial(misdone, present=present),
        survey=planner(proposals, paired=paired, present=present),
        choose=Twinned,
        takes="frames",
        options=(MASKED_LM,),
        proposals=FoilProposals(
            gaps=partial(gaps, present=present),
            apply=partial(suite_of, name, paired=paired, present=present),
            top_k=50,
            max_words=2,
        ),
    )


def gaps(frame: Frame, present: bool = False) -> Iterator[Gap]:
    """The sentence of a frame without its verb."""
    if isinstance(act := act_of(frame), Act):
        yield replace(act, present=present).gap


suite = suite_of(KIND)
unpaired = suite_of("actions-unpaired", paired=False, present=True)
"""In the present tense and with swaps of everybody and everything, as VALSE has them; language models see through."""

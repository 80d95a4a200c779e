"""Suites: a name, the claim that is tested, and up to three pure steps from items to groups."""

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeAlias, TypeVar

from msgspec import Struct

from counterpoint.core.errors import CounterpointError
from counterpoint.core.groups import Group
from counterpoint.core.ids import NO_RNG, seeded_rng
from counterpoint.core.items import Caption, Question
from counterpoint.core.pictures import Picture
from counterpoint.suites.balanced_sampling import BalancedSampler, Candidate, Quota


class Item(Protocol):
    """What a suite is made from: a scene, a question, a caption, a dialogue, a frame, or a group of another suite."""

    @property
    def id(self) -> str | int:
        """Unique among the items of its source."""
        ...


class Rejection(Struct, frozen=True):
    """A rejected candidate: its kind and the reason; `count` of them where they share both."""

    kind: str
    reason: str
    count: int = 1


GroupOfTest: TypeAlias = tuple[str, Group]
"""A group, and the test that it belongs to."""
ContextReader: TypeAlias = Callable[[Collection[Picture]], Iterable[Question | Caption]]
"""Reads further questions and captions of a source on some pictures, beyond the sampled items."""
SURPLUS = "more than asked for, or out of balance"
"""Why a valid candidate is not kept."""
REPETITION = "asked before"
"""Why a group is not kept where another one has its base or its id."""
ItemT = TypeVar("ItemT", bound=Item, contravariant=True)
StatisticsT = TypeVar("StatisticsT")


class Mergeable(Protocol):
    """Statistics that can be made of those of parts of the items."""

    def merge(self, other: Self) -> None:
        """Add those of a later part of the items."""
        ...


class Chooser(Protocol):
    """The last step: a sampler that is offered every candidate once."""

    def add(self, group: Group | Candidate) -> None:
        """Offer one candidate."""
        ...

    def merge(self, other: Self) -> None:
        """Take over what the sampler of a later part of the items was offered, in another process perhaps."""
        ...

    def chosen(self) -> list[Candidate]:
        """The sampled candidates, in an order that does not depend on the order in which they were offered."""
        ...

    def makes(self) -> Mapping[int, Callable[[], Group]]:
        """What builds the groups of candidates with tickets; all that are chosen and were offered here are among them.

        Pickled, a sampler leaves them behind.
        """
        ...


MASKED_LM = "masked_lm"
"""The option that names a masked language model to propose foils."""
GAP = "[MASK]"
"""What stands for the words that are left out of a text."""
Fillers: TypeAlias = Mapping[str, Collection[str]]
"""The fillers that a model proposes for each text with a gap, in lower case."""


class Gap(NamedTuple):
    """A text with a gap, and its original filler; only original fillers of a source are proposed."""

    text: str
    filler: str


@dataclass(frozen=True, slots=True)
class FoilProposals:
    """How a masked language model proposes the foils of a suite: fill `gaps` of every item, then call `apply`."""

    gaps: Callable[[Any], Iterable[Gap]]  # the texts of an item, each with one gap
    apply: Callable[[Fillers], "Suite[Any, Any]"]  # the suite with foils taken from these fillers alone
    top_k: int = 10  # fillers of each length for a gap
    max_words: int = 1  # in a filler


@dataclass(frozen=True, slots=True)
class SuiteOption:
    """A generation option that only some suites take: what it is, and which suites take it."""

    description: str
    takers: str


OPTIONS: Mapping[str, SuiteOption] = {
    "variants": SuiteOption(
        "the number of variants of a question",
        "question-bias, picture-bias, feature-question-bias, feature-picture-bias and feature-noise",
    ),
    "contrasts": SuiteOption("the number of contrasts of a question", "contrast"),
    "means": SuiteOption(
        "the mean color of the training pictures, as R,G,B or measured on a folder of such pictures", "visual"
    ),
    MASKED_LM: SuiteOption(
        "a masked language model that proposes foils", "relations, actions, actions-unpaired and the family valse"
    ),
}
"""The options that suites may list in `Suite.options`, by name."""


def draws_always(item: object) -> bool:
    """A suite draws at random for every item."""
    return True


def draws_never(item: object) -> bool:
    """A suite draws at random for no item."""
    return False


@dataclass(frozen=True, slots=True)
class Suite(Generic[ItemT, StatisticsT]):
    """One phenomenon, as up to three pure steps: all randomness comes from `rng`, and sets are walked in sorted order.

    `options` names the generation options that a suite takes beyond those of all suites (`OPTIONS`). Each is a keyword
    argument of `propose`, except for `masked_lm`, whose value is what a model proposes for the gaps of `proposals`.
    """

    name: str
    tests: str  # the claim that a model satisfies or violates
    propose: Callable[[ItemT, StatisticsT, Random], Iterable[Group | Candidate | Rejection]]
    survey: Callable[[Iterable[ItemT]], StatisticsT] | None = None  # one pass over all items, before any proposal
    merges: bool = False  # the survey gives `Mergeable` statistics, of which those of parts of the items can be made
    choose: Callable[[int | Quota, int], Chooser] = BalancedSampler  # from how many to keep, and a seed
    takes: str = "scenes"  # what it is made from: scenes, questions, captions, dialogues, frames or groups of a source
    prefers: str = ""  # what it is made from where the source has that too: "grounded" or "described"
    reads_whole_source: bool = False  # its items belong together, so a limit on items is ignored
    rules: str = ""  # the rule set by which answers are compared, where the recipe names none
    always_balances: bool = False  # whether it chooses even where no limit is given
    draws: Callable[[ItemT], bool] = draws_always  # whether `propose` draws at random; else no rng is seeded
    rng_key: str = ""  # seeds the rng in place of the name, so that suites with the same key draw the same originals
    manifest_entries: Callable[[StatisticsT], Mapping[str, Any]] | None = None  # of the survey
    extend_survey: Callable[[StatisticsT, ContextReader], StatisticsT] | None = None  # by more on its pictures
    options: tuple[str, ...] = ()  # names of OPTIONS
    required: tuple[str, ...] = ()  # options without which nothing can be made
    proposals: FoilProposals | None = None  # for the option masked_lm
    kinds_of: Callable[[Question], Iterable[str]] | None = None  # what a question is matched by, without its scene
    of_captions: "Suite[Any, Any] | None" = None  # made in its place of a source with captions and no questions

    def check_options(self, names: Iterable[str]) -> None:
        """Raise if the suite does not take an option."""
        for name in names:
            if name not in self.options:
                hint = f"{name} is for {OPTIONS[name].takers}" if name in OPTIONS else ""
                raise CounterpointError(f"the suite {self.name} takes no option {name}", hint=hint)

    def chooser(self, limit: int | Quota | None, seed: int) -> Chooser | None:
        """The sampler for a limit; none where every valid group is kept."""
        if limit is None and not self.always_balances:
            return None
        return self.choose(sys.maxsize if limit is None else limit, seed)

    def configured(self, options: Mapping[str, Any]) -> "Suite[ItemT, StatisticsT]":
        """The suite with these options; None stands for an option that is not given.

        Raises a CounterpointError for an option that the suite does not take, and for a required one that is missing.
        """
        given = {name: value for name, value in options.items() if value is not None}
        self.check_options(given)
        for name in self.required:
            if name not in given:
                fact = f"the suite {self.name} needs the option {name}"
                raise CounterpointError(fact, hint=f"{name} is {OPTIONS[name].description}")
        suite = self
        if MASKED_LM in given:
            assert self.proposals is not None, f"{self.name} lists {MASKED_LM} and has no proposals"
            suite = self.proposals.apply(given.pop(MASKED_LM))
        return replace(suite, propose=partial(suite.propose, **given)) if given else suite


@dataclass(slots=True)
class Tally:
    """Counts of kept groups by kind and answer, and of rejected candidates by kind and reason."""

    kept: Counter[tuple[str, str]] = field(default_factory=Counter)
    dropped: Counter[tuple[str, str]] = field(default_factory=Counter)

    def keep(self, group: Group) -> None:
        """Count a group by the best answer to its base."""
        gold = group.gold[0]
        self.kept[group.kind, gold.best if gold else ""] += 1

    def drop(self, rejection: Rejection) -> None:
        """Count a rejected candidate."""
        self.dropped[rejection.kind, rejection.reason] += rejection.count

    def drop_surplus(self, proposed: Counter[str], kept: Iterable[Candidate]) -> None:
        """Count the valid candidates that are not kept, from the number of those proposed by kind."""
        left = proposed - Counter(draft.kind for draft in kept)
        self.dropped.update({(kind, SURPLUS): count for kind, count in left.items()})

    @property
    def groups(self) -> int:
        """The number of kept groups."""
        return self.kept.total()

    @property
    def answers(self) -> dict[str, dict[str, int]]:
        """Kept groups by kind and answer, the most frequent first."""
        return _nested(self.kept)

    @property
    def reasons(self) -> dict[str, dict[str, int]]:
        """Rejected candidates by kind and reason, the most frequent first."""
        return _nested(self.dropped)


def _nested(counts: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    nested: dict[str, dict[str, int]] = {kind: {} for kind, _ in sorted(counts)}
    for (kind, name), count in sorted(counts.items(), key=lambda row: (-row[1], row[0])):
        nested[kind] |= {name: count} if count else {}
    return nested


def generate_groups(
    suite: Suite[Any, Any],
    items: Iterable[Any],
    seed: int = 0,
    limit: int | Quota | None = None,
    *,
    statistics: object = None,
    tally: Tally | None = None,
) -> Iterator[GroupOfTest]:
    """The groups of a suite, the same for one seed whatever the order of items; `limit` keeps a balanced sample.

    A suite with a survey iterates over the items twice, unless `statistics` are given; with the same statistics, parts
    of a source yield together what the whole source yields.
    """
    if suite.survey is not None and statistics is None:
        assert iter(items) is not items, f"{suite.name} iterates over its items twice: give it a list, not an iterator"
        statistics = suite.survey(items)
    tally = Tally() if tally is None else tally
    chooser = suite.chooser(limit, seed)
    drafts = (draft for item in items for draft in propose_candidates(suite, item, statistics, seed, tally))
    whole = (draft if isinstance(draft, Group) else draft.make() for draft in drafts)
    groups = whole if chooser is None else _chosen(chooser, drafts, tally)
    for test, group in drop_repetitions(((group.test or suite.name, group) for group in groups), tally):
        tally.keep(group)
        yield test, group


def drop_repetitions(groups: Iterable[GroupOfTest], tally: Tally) -> Iterator[GroupOfTest]:
    """Each group of a test once: items of a source that repeat each other yield groups with one id.

    A plain question, without variants, stays: the accuracy of its data set counts every id, as its authors do.
    """
    seen = set[tuple[str, int]]()
    for test, group in groups:
        key = test, group.id
        if key in seen:
            tally.drop(Rejection(group.kind, REPETITION))
            continue
        if len(group.queries) > 1:
            seen.add(key)
        yield test, group


def propose_candidates(
    suite: Suite[Any, Any], item: Any, statistics: object, seed: int, tally: Tally
) -> Iterator[Group | Candidate]:
    """The candidates of a suite for one item, each base once; rejected ones are counted."""
    seen = set[tuple[str, int]]()  # a question can be the base of groups of several kinds
    rng = seeded_rng(seed, suite.rng_key or suite.name, item.id) if suite.draws(item) else NO_RNG
    for proposal in suite.propose(item, statistics, rng):
        if isinstance(proposal, Candidate):
            number = proposal.number
        elif isinstance(proposal, Rejection):
            tally.drop(proposal)
            continue
        else:
            number = proposal.queries[0].id
        if (key := (proposal.kind, number)) in seen:
            tally.drop(Rejection(proposal.kind, REPETITION))
        else:
            seen.add(key)
            yield proposal


def _chosen(chooser: Chooser, drafts: Iterable[Group | Candidate], tally: Tally) -> Iterator[Group]:
    proposed = Counter[str]()
    for draft in drafts:
        proposed[draft.kind] += 1
        chooser.add(draft)
    kept = chooser.chosen()
    tally.drop_surplus(proposed, kept)
    yield from (draft.make() for draft in kept)

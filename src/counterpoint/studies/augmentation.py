"""Questions for training in the manner of the suites: from other pictures than theirs, and in their mix."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from counterpoint.core.errors import CounterpointError
from counterpoint.core.groups import Group, Mode
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.suites.balanced_sampling import BalancedSampler
from counterpoint.suites.suite import Item, Suite, generate_groups


@dataclass(frozen=True, slots=True)
class DisjointSplits:
    """That two sets of pictures share none, with what anybody needs to check it again.

    The digest is that of all addresses to learn from, sorted, a line each, an empty line, and all those to be tested
    on, likewise.
    """

    learned: int
    tested: int
    digest: str


_ANY = (0, 0, 0)  # the color that backgrounds are painted in, which nobody sees here


def prove_disjoint(learned: Iterable[str], tested: Iterable[str]) -> DisjointSplits:
    """The proof that no picture to learn from is one to be tested on; the first that is both is an error.

    >>> prove_disjoint(["world:train/000001.png"], ["world:test/000001.png"]).tested
    1
    """
    ours, theirs = sorted(set(learned)), sorted(set(tested))
    if both := sorted(set(ours) & set(theirs)):
        fact = f"{len(both)} of {len(ours)} training pictures are also test pictures, the first is {both[0]}"
        raise CounterpointError(fact, hint="take another split of the source, or another seed of the world")
    text = "".join(f"{address}\n" for address in (*ours, "", *theirs))
    return DisjointSplits(
        len(ours), len(theirs), blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    )


def training_groups(suite: Suite[Any, Any], items: Sequence[Item], seed: int = 0) -> list[Group]:
    """All groups of a suite on some items, with any mean color, since the edits of pictures are not used."""
    ready = suite.configured(dict.fromkeys(suite.required, _ANY))
    return [group for _, group in generate_groups(ready, items, seed)]


def mix_questions(
    made: Mapping[str, list[Group]],
    *,
    seed: int = 0,
    limit: int | None = None,
    weights: Mapping[str, float] | None = None,
) -> dict[str, list[Question]]:
    """The questions of some suites, from their groups, none twice; at most `limit`, shared out by weight.

    Of each suite they are even over kinds and answers, and with a limit the answers yes and no of all suites together
    differ in number by one at most. What one suite cannot fill is not filled by another, so that the mix stays what it
    is.
    """
    shares = dict.fromkeys(made) if limit is None else _apportion(limit, {n: (weights or {}).get(n, 1.0) for n in made})
    chosen, seen, excess = dict[str, list[Question]](), set[str](), 0
    for name, groups in made.items():
        questions = _questions_of(name, groups, seen, None if shares[name] is None else seed)
        chosen[name] = questions if (share := shares[name]) is None else _balanced(questions, share, excess)
        seen |= {question.id for question in chosen[name]}
        excess += sum(_polarity(question) for question in chosen[name])
    return chosen


def _apportion(limit: int, weights: Mapping[str, float]) -> dict[str, int | None]:
    """A limit shared out by weight, by largest remainders, so that it is never exceeded."""
    total = sum(weights.values())
    exact = {name: limit * weight / total for name, weight in weights.items()}
    shares = {name: int(share) for name, share in exact.items()}
    by_remainder = sorted(exact, key=lambda name: shares[name] - exact[name])
    return {name: shares[name] + (name in by_remainder[: limit - sum(shares.values())]) for name in exact}


def _questions_of(name: str, groups: list[Group], seen: set[str], seed: int | None) -> list[Question]:
    """The questions of a suite that are not seen yet; with a seed, in an order whose first part is a fair sample."""
    if seed is not None:
        balance = BalancedSampler(len(groups), seed)
        for group in groups:
            balance.add(group)
        groups = [draft.make() for draft in balance.chosen()]
    first = dict[str, Question]()
    for question in (candidate for group in groups for candidate in _questions(name, group)):
        first.setdefault(question.id, question)
    return [question for number, question in first.items() if number not in seen]


def _balanced(questions: Sequence[Question], share: int, excess: int) -> list[Question]:
    """At most so many of the first questions, with which yes is at most one ahead of no or behind it.

    `excess` is by how many yes is ahead without them: -1, 0 or 1.
    """
    wanted = sum(_polarity(question) != 0 for question in questions[:share])
    yes, no = ([question.id for question in questions if _polarity(question) == sign] for sign in (1, -1))
    more = min(len(yes), (wanted + (excess <= 0)) // 2)
    less = min(len(no), wanted - more, more + 1 + excess)
    more = min(len(yes), wanted - less, less + 1 - excess)
    open_ended = [question.id for question in questions[:share] if not _polarity(question)]
    chosen = {*yes[:more], *no[:less], *open_ended}
    return [question for question in questions if question.id in chosen]


def _polarity(question: Question) -> int:
    """1 where the answer is yes, -1 where it is no, else 0."""
    return {"yes": 1, "no": -1}.get(question.gold.best, 0)


def _questions(suite: str, group: Group) -> Iterator[Question]:
    """What a group asks, each on the picture as it is: an edited one has no other answer."""
    for query, gold in zip(group.queries, group.gold, strict=True):
        if query.picture is None or query.mode is not Mode.ANSWER or gold is None:
            continue
        plain = Picture(query.picture.address)
        number = content_id(["lesson", plain.address, query.text])
        yield Question(hex_id(number), plain, query.text, gold, kind=group.kind, tags=(("suite", suite),))


def fingerprint(questions: Iterable[Question]) -> str:
    """Sixteen hexadecimal digits that change when any question or answer does."""
    return hex_id(content_id(sorted([one.id, one.text, repr(one.gold.answers)] for one in questions)))

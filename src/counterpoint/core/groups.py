"""Queries with edits of pictures and features, groups of queries whose answers belong together, and answers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from counterpoint.core.costs import Usage
from counterpoint.core.ids import Memo, Plain, canonical_line, content_id, hex_id, line_id
from counterpoint.core.pictures import Edit, Picture, Size, edits_content
from counterpoint.core.scenes import SceneObject

MAX_REFERENCES = 500
"""Queries from which, at most, the standard deviation of a feature is estimated (Beyond Accuracy, 3.2)."""


class State(StrEnum):
    """The state of an answer: answered, unparsed, refused, hedged without settling on a value, or failed."""

    OK = "ok"
    UNPARSED = "unparsed"
    REFUSED = "refused"
    HEDGED = "hedged"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Answer:
    """The raw text, the value extracted from it and the extraction rule; a score where the mode is `score`.

    >>> Answer.of("Yes.", value="yes", rule="yes-no").value
    'yes'
    >>> Answer.failed("time-out after 30 s").state
    <State.FAILED: 'failed'>
    """

    raw: str = ""
    value: str = ""
    rule: str = "exact"
    state: State = State.OK
    score: float | None = None
    top: tuple[tuple[str, float], ...] = ()  # the most probable values with their probabilities, best first
    reason: str = ""  # why a query failed
    usage: Usage | None = None  # None where the tokens are not known
    prompt: str = ""  # what the model was asked, where it is recorded and not the text of the query
    offered: tuple[str, ...] = ()  # the choices as the model saw them, where recorded and not those of the query

    @classmethod
    def of(
        cls, raw: str, *, value: str | None = None, rule: str = "exact", top: tuple[tuple[str, float], ...] = ()
    ) -> "Answer":
        """A text answer; its value is the raw text unless a rule extracted another."""
        return cls(raw=raw, value=raw if value is None else value, rule=rule, top=top)

    @classmethod
    def scored(cls, score: float) -> "Answer":
        """An answer that is a score: how well the text fits the picture."""
        return cls(raw=repr(score), rule="score", score=score)

    @classmethod
    def failed(cls, reason: object) -> "Answer":
        """A failed answer with its reason; the next run asks again."""
        return cls(state=State.FAILED, reason=str(reason) or type(reason).__name__)


class Relation(StrEnum):
    """What the answers in a group must satisfy for a model that understands."""

    SAME = "same"
    DIFFERS = "differs"
    GOLD = "gold"
    RANKS = "ranks"
    SWAP = "swap"


class Mode(StrEnum):
    """Whether a model is asked to answer a question or to score how well a text fits the picture."""

    ANSWER = "answer"
    SCORE = "score"


@dataclass(frozen=True, slots=True)
class Query(Memo[int]):
    """What a model is shown. It holds no gold, so no adapter can peek.

    >>> query = Query(Picture("world:test/000007.png"), "Is the door open?")
    >>> hex_id(query.id)
    'fed63e96f1c1f408'
    """

    picture: Picture | None
    text: str
    mode: Mode = Mode.ANSWER
    choices: tuple[str, ...] = ()
    context: str = ""  # a dialogue so far, OCR tokens
    edits: tuple[Edit, ...] = ()  # of a model's features of picture or text; edits of pixels belong to the picture

    @property
    def id(self) -> int:
        """The content id, the same on every machine; tables carry it as a column."""
        memo = getattr(self, "memo", None)
        return self.memoize(content_id(self.content)) if memo is None else memo

    @property
    def content(self) -> list[Plain]:
        """The content that is hashed into the id."""
        picture: Plain = self.picture.content if self.picture else []
        edits = edits_content(self.edits) if self.edits else []
        return [picture, edits, self.context, self.text, self.mode, self.choices]

    def with_text(self, text: str) -> "Query":
        """The same query with another text."""
        return Query(self.picture, text, self.mode, self.choices, self.context, self.edits)


def text_query_id(picture: Picture, text: str) -> int:
    """The id of a query that is no more than a text about a picture, in a third of the time that making it takes."""
    if picture.edits:
        return Query(picture, text).id
    return line_id(b'%b,[],"",%b,"answer",[]]' % (_line_start(picture.address), canonical_line(text)))


@lru_cache(1 << 8)
def _line_start(address: str) -> bytes:
    return b"[" + canonical_line([address])


@dataclass(frozen=True, slots=True)
class Gold:
    """The right answers to one query, each with the credit it earns, from 0 to 1.

    >>> Gold.of("yes").credit("yes")
    1.0
    >>> Gold.from_votes(["red"] * 9 + ["pink"]).best
    'red'
    """

    answers: tuple[tuple[str, float], ...]

    @classmethod
    def of(cls, *answers: str) -> "Gold":
        """Answers that each earn full credit."""
        return cls(tuple((answer, 1.0) for answer in answers))

    @classmethod
    def from_votes(cls, votes: Iterable[str]) -> "Gold":
        """Credit by agreement, min(n/3, 1), the most frequent answer first (VQA, in its short form)."""
        return cls(tuple((answer, min(n / 3, 1.0)) for answer, n in Counter(votes).most_common()))

    @property
    def best(self) -> str:
        """The first answer."""
        return self.answers[0][0]

    def credit(self, value: str) -> float:
        """The credit of an answer."""
        return dict(self.answers).get(value, 0.0)


@dataclass(frozen=True, slots=True)
class Group(Memo[int]):
    """A base query and its variants, each differing from it in one respect, with the gold answer to each.

    >>> picture = Picture("world:test/000007.png")
    >>> queries = (Query(picture, "Is there a cat?"), Query(picture, "Do you see a cat?"))
    >>> group = Group(Relation.SAME, queries, (Gold.of("yes"),) * 2, proof="object 3 is a cat")
    >>> group.variants == queries[1:]
    True
    """

    relation: Relation
    queries: tuple[Query, ...]  # the base comes first
    gold: tuple[Gold | None, ...]
    proof: str = ""  # from what the gold follows, for the reader of a failure
    kind: str = ""  # question type, piece, instrument
    objects: tuple[SceneObject, ...] = ()  # what the question is about
    size: Size | None = None  # the size that the boxes of the objects refer to
    tags: tuple[tuple[tuple[str, str], ...], ...] = ()  # per query: (slice, value)
    test: str = ""  # what it tests, where its suite has several tests; else its suite

    def __post_init__(self) -> None:
        assert self.queries, "a group has at least a base"
        assert len(self.gold) == len(self.queries), "a group has one gold, or None, for each query"
        assert len(self.tags) in (0, len(self.queries)), "a group has tags for each query or for none"

    @property
    def base(self) -> Query:
        """The query that the variants are compared with."""
        return self.queries[0]

    @property
    def variants(self) -> tuple[Query, ...]:
        """All queries but the base; a plain question has none."""
        return self.queries[1:]

    @property
    def id(self) -> int:
        """The same for the same queries under the same relation, so that votes survive regeneration."""
        memo = getattr(self, "memo", None)
        return self.memoize(group_id(self.relation, [query.id for query in self.queries])) if memo is None else memo


def group_id(relation: str, queries: Iterable[int]) -> int:
    """The id of a group, from the ids of its queries, the base's first."""
    ids = b"".join([b',"%016x"' % query for query in queries])
    return line_id(b'["%b"%b]' % (relation.encode(), ids))  # the canonical line of [relation, *hexadecimal ids]


class Side(StrEnum):
    """Which features are edited: those of the picture, or those of the text."""

    PICTURE = "picture"
    TEXT = "text"

    @property
    def noise(self) -> str:
        """The name of the edit that adds noise."""
        return f"{self}-noise"

    @property
    def exchange(self) -> str:
        """The name of the edit that takes the features of another sample."""
        return f"{self}-exchange"


def noise_edit(side: Side, scale: str, references: str, seed: int) -> Edit:
    """Gaussian noise of `scale` standard deviations of each feature, as measured on the reference queries.

    >>> str(noise_edit(Side.TEXT, "1", "00ff", seed=7))
    'text-noise(1,00ff)#7'
    """
    return Edit(side.noise, (scale, references), seed)


def exchange_picture(picture: Picture) -> Edit:
    """The features of another, unedited picture instead of the query's own."""
    assert not picture.edits, "features are exchanged with an unedited picture"
    return Edit(Side.PICTURE.exchange, (picture.address,))


def exchange_text(text: str, context: str = "") -> Edit:
    """The features of another text instead of the query's own."""
    return Edit(Side.TEXT.exchange, (text, context))


def reference_name(queries: Sequence[Query]) -> str:
    """The content id by which an edit names its reference queries."""
    return hex_id(content_id([hex_id(query.id) for query in queries]))

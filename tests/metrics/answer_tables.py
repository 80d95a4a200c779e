"""Small suites with what a model said, as plain values to loop over and as the tables that metrics take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from counterpoint.core.ids import content_id
from counterpoint.metrics.comparison import compare_outcomes
from counterpoint.metrics.coverage import coverage_of_outcomes
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.scoring import ScoreRequest
from counterpoint.store.tables import ANSWERS, GROUPS

GOLDS = st.sampled_from(
    [None, {"yes": 1.0}, {"no": 1.0}, {"red": 1.0, "pink": 1 / 3}, {"red": 0.6, "blue": 0.3}, {"two": 0.5, "2": 0.5}]
)
WORDS = ("yes", "no", "red", "pink", "blue", "two")


@dataclass(frozen=True)
class Said:
    """One answer of a model."""

    state: str = "ok"
    value: str = "yes"
    raw: str = ""
    score: float | None = None


@dataclass(frozen=True)
class Member:
    """A query of a group: its gold, its tags, and what the models said, if anything."""

    gold: dict[str, float] | None
    said: Said | None
    tags: dict[str, str] = field(default_factory=dict)
    other: Said | None = None  # of a second model


@dataclass(frozen=True)
class Made:
    """A group."""

    members: tuple[Member, ...]
    relation: str = "same"
    test: str = "rephrase"
    picture: str | None = "world:1.png"
    kind: str = "exist"
    suite: str = "carets"
    mode: str = "answer"


@st.composite
def said(draw: st.DrawFn) -> Said:
    state = draw(st.sampled_from(["ok"] * 6 + ["unparsed", "refused", "failed"]))
    raw = draw(st.sampled_from(["Oh, yes.", " oh,  yes", "Well, NO", "well,  no!", ""]))
    score = draw(st.none() | st.sampled_from([0.1, 0.5, 0.9]))
    return Said(state, draw(st.sampled_from(WORDS)), raw, score)


@st.composite
def made(draw: st.DrawFn) -> list[Made]:
    """Suites of a few groups in which everything occurs that can."""
    tags = st.dictionaries(st.sampled_from(["edit", "class"]), st.sampled_from(["a", "b"]), max_size=2)
    member = st.builds(Member, GOLDS, st.none() | said() | said() | said(), tags, st.none() | said() | said())
    group = st.builds(
        Made,
        st.lists(member, min_size=1, max_size=4).map(tuple),
        st.sampled_from(["same", "same", "differs", "gold", "ranks", "swap"]),
        st.sampled_from(["rephrase", "order"]),
        st.none() | st.sampled_from([f"world:{number}.png" for number in range(4)]),
        st.sampled_from(["exist", "color"]),
        st.sampled_from(["carets", "mine"]),
        st.sampled_from(["answer"] * 4 + ["score"]),
    )
    return draw(st.lists(group, max_size=12))


def tables(groups: Sequence[Made], seed: int = 0, *, shuffled: bool = False) -> tuple[pa.Table, pa.Table, pa.Table]:
    """The table of groups and the answers of two models; rows can come in any order and in chunks."""
    rows: list[dict[str, object]] = []
    first: list[dict[str, object]] = []
    second: list[dict[str, object]] = []
    for number, group in enumerate(groups):
        for role, member in enumerate(group.members):
            query = content_id([number, role])
            rows.append(_row(group, number, role, member, query))
            for said, answers in ((member.said, first), (member.other, second)):
                if said:
                    answers.append(_answer(said, query))
    rng = Random(seed)
    for lines in (rows, first, second):
        if shuffled:
            rng.shuffle(lines)
    return _chunked(rows, GROUPS, rng), _chunked(first, ANSWERS, rng), _chunked(second, ANSWERS, rng)


def _row(group: Made, number: int, role: int, member: Member, query: int) -> dict[str, object]:
    gold = member.gold and [{"answer": answer, "credit": credit} for answer, credit in member.gold.items()]
    empty = dict.fromkeys(("edits", "feature_edits", "context", "text", "proof"), "")
    named = {"suite": group.suite, "test": group.test, "relation": group.relation, "kind": group.kind}
    ids = {"group_id": content_id(["group", number]), "role": role, "query": query}
    own = {"picture": group.picture, "mode": group.mode, "gold": gold, "tags": list(member.tags.items())}
    return {**empty, **named, **ids, **own, "choices": [], "objects": []}


def _answer(said: Said, query: int) -> dict[str, object]:
    empty = dict.fromkeys(("model", "rule", "reason", "digest"), "")
    own = {"raw": said.raw, "value": said.value, "state": said.state, "score": said.score}
    return {**empty, **own, "query": query, "trial": 0, "top": [], "seconds": 0.0}


def _chunked(rows: list[dict[str, object]], schema: pa.Schema, rng: Random) -> pa.Table:
    whole = pa.Table.from_pylist(rows, schema)
    cut = rng.randint(0, whole.num_rows)
    return pa.concat_tables([whole.slice(0, cut), whole.slice(cut)])


def compare_table(
    groups: pa.Table, first: pa.Table, second: pa.Table, by: Sequence[str] = ("test",), **request: Any
) -> pa.Table:
    """Compare the answers of two models, a row for each slice and metric; see `ScoreRequest` for the parameters."""
    options = ScoreRequest(by, **request)
    return compare_outcomes(judge(groups, first, options.threshold), judge(groups, second, options.threshold), options)


def coverage_table(
    groups: pa.Table,
    answers: Mapping[str, pa.Table],
    by: Sequence[str] = ("test",),
    *,
    pairs: bool = False,
    **request: Any,
) -> pa.Table:
    """The coverage by `model` of the correct answers of `of`, for every two models; see `coverage_of_outcomes`."""
    options = ScoreRequest(by, **request)
    outcomes = {name: judge(groups, own, options.threshold) for name, own in answers.items()}
    return coverage_of_outcomes(outcomes, options, pairs=pairs)

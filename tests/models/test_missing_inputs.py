"""Queries without a picture, and queries without a question: asked where they can be, else failed with a reason."""

from collections.abc import Callable

import pytest
from blocks import Blocks
from served import Plain, gathered, served

from counterpoint.core.groups import Answer, Mode, Query, State
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pictures
from counterpoint.engine.dispatch import Dispatcher, QueryBatch
from counterpoint.models.builtin.models import (
    BuiltinAnswerer,
    BuiltinScorer,
    cnn_lstm,
    fusion,
    picture_only,
    question_only,
    two_tower,
)
from counterpoint.testing import ChatServer, ReceivedRequest

Make = Callable[[Pictures], BuiltinAnswerer]
PICTURE = Picture("blocks:1")


@pytest.mark.parametrize("make", [fusion, cnn_lstm, picture_only])
def test_a_built_in_model_that_looks_fails_without_a_picture_and_says_why(make: Make) -> None:
    seen, blind = (answer for _, answer in make(Blocks()).answer([Query(PICTURE, "Is it?"), Query(None, "Is it?")]))
    assert seen.state is State.OK
    assert (blind.state, blind.reason) == (State.FAILED, "the query has no picture")


@pytest.mark.parametrize("make", [fusion, two_tower])
def test_a_built_in_model_that_scores_fails_without_a_picture_and_says_why(
    make: Callable[[Pictures], BuiltinScorer],
) -> None:
    model, kept = make(Blocks()), dict[int, Answer]()
    queries = [Query(PICTURE, "It is.", Mode.SCORE), Query(None, "It is.", Mode.SCORE)]
    with Dispatcher(model) as asker:
        asker.ask(QueryBatch(queries, [0, 0]), kept.__setitem__)
    assert (kept[1].state, kept[1].reason) == (State.FAILED, "the query has no picture")
    assert kept[0].score == pytest.approx(model.score(queries)[0], abs=1e-6)


def test_a_model_that_never_looks_needs_no_picture() -> None:
    asked = [Query(PICTURE, "Is it?"), Query(None, "Is it?")]
    seen, blind = (answer for _, answer in question_only(Blocks()).answer(asked))
    assert seen == blind


@pytest.mark.parametrize("make", [fusion, cnn_lstm, picture_only, question_only])
def test_every_built_in_model_answers_without_a_question(make: Make) -> None:
    ((_, answer),) = make(Blocks()).answer([Query(PICTURE, "")])
    assert answer.state is State.OK


def test_an_endpoint_is_shown_what_there_is() -> None:
    seen: list[tuple[str, bool]] = []

    def reply(received: ReceivedRequest) -> str:
        seen.append((received.words, bool(received.picture)))
        return "yes"

    with ChatServer(reply) as server:
        asked = [Query(None, "Is it?"), Query(Picture("p:1.png"), "")]
        answers = gathered(served(server, Plain()).answer(asked))
    assert [answer.state for _, answer in answers] == [State.OK] * 2
    brief = "Answer with a single word or a short phrase."
    assert sorted(seen) == [(brief, True), (f"Is it?\n{brief}", False)]

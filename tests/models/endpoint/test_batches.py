"""Batches: every query is submitted once and answered by its own line, wherever a run stops and the next one begins."""

import json
import logging
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from time import sleep
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from proving import sample
from served import QUICK, Plain, answers, gathered, some

from counterpoint.core.costs import Budget, TokenPrices
from counterpoint.core.errors import BudgetExhausted, ModelError, ModelUnreachable, StoreError
from counterpoint.core.groups import Answer, Mode, Query, State
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Answerer, DeferredModel, Pictures, Pixels, Sampler, Scorer
from counterpoint.models.endpoint.chat import BatchChat, ChatSettings, anthropic, chat
from counterpoint.models.endpoint.completions import Decoding
from counterpoint.models.endpoint.requests import Server
from counterpoint.models.prices import parse_budget
from counterpoint.models.prompts import Prompt
from counterpoint.testing import ChatServer, ReceivedRequest, ServerFault

KEY = "sk-open-sesame-0123456789"


def _batched(
    server: ChatServer,
    journal: dict[str, Mapping[str, Any]] | None = None,
    pictures: Pictures | None = None,
    *,
    lines: int = 50_000,
    key: str = "",
    **settings: Any,
) -> BatchChat:
    made = replace(ChatSettings(Decoding("double"), retries=QUICK, poll=0.001), **settings)
    reached = Server.of(server.base_url, {"OPENAI_API_KEY": key})
    model = BatchChat(made, pictures or Plain(), server=reached, lines=lines)
    model.keep_batches_in({} if journal is None else journal)
    return model


def _words(asked: ReceivedRequest) -> str:
    return asked.words


def _texts(queries: list[Query]) -> list[str]:
    return [Prompt().text(query) for query in queries]


def test_every_query_gets_its_own_reply_from_files_that_come_back_in_any_order() -> None:
    journal: dict[str, Mapping[str, Any]] = {}
    queries = [*some(30), Query(None, "What is it without a picture?")]
    with ChatServer(_words) as server:
        model = _batched(server, journal, lines=7)
        said = answers(model, queries)
        assert set(server.settled.values()) == {1}
        assert [len(batch.lines) for batch in server.desk.batches] == [7, 7, 7, 7, 2]
        assert model.requests == len(queries)
    assert [answer.raw for answer in said] == _texts(queries)
    assert len(journal) == 5
    model.forget_collected()
    assert journal == {}


def test_a_batched_model_has_the_fingerprint_and_abilities_of_the_same_model_asked_directly() -> None:
    plain, batched = chat("m", Plain()), chat("m", Plain(), batch=True)
    assert plain.fingerprint == batched.fingerprint
    assert all(isinstance(batched, port) for port in (Answerer, Scorer, Sampler, DeferredModel))
    assert not isinstance(plain, DeferredModel)
    with pytest.raises(ModelError, match="anthropic/m cannot be asked by batches"):
        anthropic("m", Plain(), batch=True)


def test_scores_and_samples_come_by_batches_too() -> None:
    captions = [Query(Picture(f"p:{n}.png"), f"A cup {n}.", Mode.SCORE) for n in range(4)]
    with ChatServer(
        lambda asked: f"Yes {asked.body.get('seed')}", chances=lambda asked: {"Yes": 0.75, "No": 0.25}
    ) as server:
        model = _batched(server)
        assert model.score(captions) == pytest.approx([0.75] * 4)
        sampled = gathered(model.sample(captions[:2], [1, 2], seed=3))
        assert len(server.desk.batches) == 2
    assert len({answer.raw for _, _, answer in sampled}) == 4


def test_what_the_server_does_not_take_is_learned_before_a_file_is_sent() -> None:
    asked = [*some(3), Query(Picture("p:1.png"), "Is it red?"), Query(Picture("p:2.png"), "Is it blue?")]
    with ChatServer(lambda asked: "Yes.", refuses=("logprobs", "max_tokens")) as server:
        said = answers(_batched(server), asked)
        assert len(server.desk.batches) == 1
        assert server.received[-1].body["max_completion_tokens"] == 256
    assert [answer.state for answer in said[3:]] == [State.OK, State.OK]


@pytest.mark.parametrize(
    ("fault", "state", "reason"),
    [
        (ServerFault.REJECTED, State.FAILED, "the server says 400: trouble: 400"),
        (ServerFault.BROKEN, State.FAILED, "the server says 500: trouble: 500"),
        (ServerFault.BLOCKED, State.REFUSED, "trouble: 400 of a content filter"),
        (ServerFault.HANG, State.FAILED, "the batch has no reply to this query"),
        (ServerFault.REFUSED, State.REFUSED, ""),
        (ServerFault.EMPTY, State.UNPARSED, ""),
    ],
)
def test_a_line_that_fails_fails_alone_with_its_reason(fault: ServerFault, state: State, reason: str) -> None:
    queries = some(6)
    with ChatServer(_words, lambda asked, times: fault if "number 4?" in asked.words else None) as server:
        said = answers(_batched(server), queries)
    assert [answer.raw for answer in said[:4]] == _texts(queries)[:4]
    assert (said[4].state, said[4].reason) == (state, reason)
    assert said[5].raw == _texts(queries)[5]


@pytest.mark.parametrize(
    ("ending", "good", "reason"),
    [
        ("expired", 5, "the batch has no reply to this query: This request could not be executed in time."),
        ("cancelled", 5, "the batch has no reply to this query: This request could not be executed in time."),
        ("failed", 1, "the batch failed: the file is refused"),
    ],
)
def test_a_batch_that_ends_early_gives_what_it_has_and_the_rest_is_submitted_by_the_next_run(
    ending: str, good: int, reason: str
) -> None:
    journal: dict[str, Mapping[str, Any]] = {}
    queries, endings = some(9), [ending, "completed"]
    with ChatServer(_words, batches=lambda batch: endings[int(batch.id[-1])]) as server:
        model = _batched(server, journal)
        said = answers(model, queries)
        model.forget_collected()
        failed = [query for query, answer in zip(queries, said, strict=True) if answer.state is State.FAILED]
        assert len(queries) - len(failed) == good
        assert {answer.reason for answer in said if answer.state is State.FAILED} == {reason}
        again = answers(_batched(server, journal), failed)
        assert set(server.settled.values()) == {1}
    assert [answer.raw for answer in again] == _texts(failed)


def _answered(model: BatchChat, queries: list[Query]) -> dict[int, Answer]:
    """The answers that come before the model gives up."""
    said: dict[int, Answer] = {}

    async def keep() -> AsyncIterator[int]:
        async for place, answer in model.answer(queries):
            said[place] = answer
            yield place

    with pytest.raises(ModelUnreachable) as told:
        gathered(keep())
    assert told.value.hint == "what was submitted is kept; run again to collect it"
    return said


@pytest.mark.parametrize("last", sample(range(14), 7))
def test_a_run_that_dies_after_any_request_leaves_batches_that_the_next_one_collects(last: int) -> None:
    journal: dict[str, Mapping[str, Any]] = {}
    queries, number = some(9), count()
    with ChatServer(_words, drops=lambda method, path: next(number) == last) as server:
        model = _batched(server, journal, lines=4, retries=replace(QUICK, attempts=1))
        said = _answered(model, queries)
        assert len(said) < len(queries)
        missing = [place for place in range(len(queries)) if place not in said]
        resumed = _batched(server, journal, lines=4)
        said |= dict(zip(missing, answers(resumed, [queries[place] for place in missing]), strict=True))
        assert set(server.settled.values()) == {1}
    assert [said[place].raw for place in range(len(queries))] == _texts(queries)
    resumed.forget_collected()
    model.forget_collected()
    assert journal == {}


def test_a_lost_reply_to_a_submission_does_not_submit_it_again() -> None:
    dropped = iter([True])
    with ChatServer(
        _words, drops=lambda method, path: method == "POST" and path.endswith("batches") and next(dropped, False)
    ) as server:
        model = _batched(server)
        said = answers(model, some(5))
        assert len(server.desk.batches) == 1
    assert (model.retries, [answer.raw for answer in said]) == (1, _texts(some(5)))


class _FullJournal(dict[str, Mapping[str, Any]]):
    """A journal on a disk that is full when the id of a batch is to be written."""

    def __setitem__(self, name: str, record: Mapping[str, Any]) -> None:
        if record["batch"]:
            raise StoreError("the disk is full", hint="free some space")
        super().__setitem__(name, record)


def test_a_batch_whose_id_was_not_kept_is_found_by_its_file() -> None:
    journal = _FullJournal()
    with ChatServer(_words) as server:
        with pytest.raises(ModelUnreachable, match="the disk is full"):
            answers(_batched(server, journal), some(5))
        for _ in range(120):  # later batches of others, on more than one page
            server.desk.open(
                {"input_file_id": "file-0000", "endpoint": "/v1/chat/completions", "completion_window": "24h"}
            )
            server.desk.batches[-1].file = "file-other"
        said = answers(_batched(server, dict(journal)), some(5)[1:])
        assert len(server.desk.batches) == 121
        assert set(server.settled.values()) == {1}
    assert [answer.raw for answer in said] == _texts(some(5))[1:]


class _Darker(Plain):
    """Other pictures under the same names."""

    def pixels(self, picture: Picture) -> Pixels:
        return super().pixels(picture) // np.uint8(2) + np.uint8(100)


def test_a_query_whose_picture_has_changed_since_is_submitted_again() -> None:
    journal: dict[str, Mapping[str, Any]] = {}
    statuses = ["in_progress"]
    with ChatServer(
        batches=lambda batch: statuses[-1], drops=lambda method, path: "batch_0000" in path and len(statuses) == 1
    ) as server:
        _answered(_batched(server, journal, retries=replace(QUICK, attempts=1)), some(5))
        statuses.append("completed")
        said = answers(_batched(server, journal, _Darker()), some(5))
        assert len(server.desk.batches) == 2
    with ChatServer() as server:
        direct = answers(_batched(server, {}, _Darker()), some(5))
    assert [answer.raw for answer in said] == [answer.raw for answer in direct]


def test_a_batch_that_the_server_no_longer_knows_fails_and_is_forgotten() -> None:
    journal: dict[str, Mapping[str, Any]] = {}
    with ChatServer(_words, drops=lambda method, path: "batch_" in path) as server:
        _answered(_batched(server, journal, retries=replace(QUICK, attempts=1)), some(5))
    with ChatServer(_words) as other:
        (name,) = journal
        journal[name] = {**journal[name], "address": other.base_url}
        model = _batched(other, journal)
        said = answers(model, some(5)[1:])
        assert {answer.reason for answer in said} == {
            "the batch cannot be read: the server says 404: No batch found with id 'batch_0000'."
        }
        model.forget_collected()
    assert journal == {}


def test_a_server_that_is_down_is_waited_for_while_it_may_be() -> None:
    journal: dict[str, Mapping[str, Any]] = {}
    with ChatServer(_words, drops=lambda method, path: "batch_" in path) as first:
        _answered(_batched(first, journal, retries=replace(QUICK, attempts=1)), some(5))
    impatient = replace(QUICK, attempts=1, max_downtime=0.0)
    assert _answered(_batched(first, journal, retries=impatient), some(5)[1:]) == {}
    model = _batched(first, journal, retries=replace(QUICK, attempts=1, max_downtime=600.0))
    with (
        ChatServer(_words, listening=False, port=urlsplit(first.base_url).port or 0) as second,
        ThreadPoolExecutor(1) as thread,
    ):
        second.desk.files, second.desk.batches = first.desk.files, first.desk.batches
        waiting = thread.submit(answers, model, some(5)[1:])
        while not model.retries:
            sleep(0.001)
        second.listen()
        assert [answer.raw for answer in waiting.result()] == _texts(some(5)[1:])


def test_a_batch_at_another_address_is_left_there(caplog: pytest.LogCaptureFixture) -> None:
    journal: dict[str, Mapping[str, Any]] = {
        "a": {"address": "http://127.0.0.1:1/v1", "requests": [], "file": "f", "batch": "b"}
    }
    with ChatServer(_words) as server, caplog.at_level(logging.WARNING):
        model = _batched(server, journal)
        answers(model, some(3))
        model.forget_collected()
    assert "a batch of this model is open at http://127.0.0.1:1/v1" in caplog.text
    assert list(journal) == ["a"]
    journal["a"] = {"address": "damaged"}
    with pytest.raises(ModelUnreachable, match="a is no record of a batch"):
        answers(_batched(server, journal), some(3))


def test_a_budget_ends_after_what_was_submitted() -> None:
    with ChatServer(_words) as server:
        model = _batched(server, budget=parse_budget("5", None))
        said = dict[int, Answer]()

        async def keep() -> AsyncIterator[int]:
            async for place, answer in model.answer(some(9)):
                said[place] = answer
                yield place

        with pytest.raises(BudgetExhausted, match="5 requests"):
            gathered(keep())
        assert len(server.received) == len(said) == 5


@pytest.mark.parametrize(
    ("budget", "prices"),
    [(Budget(100, "tokens"), None), (Budget(0.0001, "EUR"), TokenPrices(1.0, 1.0, "EUR"))],
)
def test_a_budget_in_tokens_or_money_ends_a_batch_too(budget: Budget, prices: TokenPrices | None) -> None:
    with ChatServer(lambda request: "a red cup") as server:
        model = _batched(server, budget=budget, prices=prices)
        said = dict[int, Answer]()

        async def keep() -> AsyncIterator[int]:
            async for place, answer in model.answer(some(60)):
                said[place] = answer
                yield place

        with pytest.raises(BudgetExhausted, match=r"tokens|EUR"):
            gathered(keep())
    assert 0 < len(said) == len(server.received) < 60


def test_a_server_without_batches_is_told_so() -> None:
    with ChatServer(batches=None) as server, pytest.raises(ModelUnreachable, match="takes no batches") as told:
        answers(_batched(server), some(3))
    assert told.value.hint == "run without --batch"


def test_lines_of_any_shape_cost_no_other_line_and_show_no_key() -> None:
    def spoil(method: str, path: str) -> bool:
        for name in [name for name in server.desk.files if name.endswith("output")]:
            lines = server.desk.files[name].splitlines()
            first, second, third = (json.loads(line)["custom_id"] for line in lines[:3])
            spoiled: list[object] = [
                {"custom_id": first, "response": {"status_code": 200, "body": {"choices": KEY}}, "error": None},
                {"custom_id": second, "response": {"status_code": 418, "body": {"error": {"message": f"no {KEY}"}}}},
                {"custom_id": third, "response": None, "error": {"code": "x", "message": f"not {KEY}"}},
                *(7, [], None, {"custom_id": "unknown"}, {"custom_id": ["a"]}),
            ]
            texts = [json.dumps(line).encode() for line in spoiled]
            server.desk.files[name] = b"\n".join([*texts, b"{", b"", b"\xff", *lines[3:], *lines[3:]])
        return False

    with ChatServer(_words, drops=spoil) as server:
        said = answers(_batched(server, key=KEY), some(9))
    assert KEY not in repr(said)
    assert sorted(answer.reason for answer in said if answer.state is State.FAILED) == [
        "the batch has no reply to this query: not …",
        'the reply is no chat completion: {"choices": "…"}',
        "the server says 418: no …",
    ]
    assert sum(answer.raw in _texts(some(9)) for answer in said) == 6


def test_a_picture_that_cannot_be_read_fails_its_queries_alone() -> None:
    lost = Query(Picture("p:missing.png"), "What is lost?")
    with ChatServer(_words) as server:
        said = answers(_batched(server), [*some(3), lost])
        assert len(server.received) == 3
    assert said[3].reason == "p:missing.png cannot be shown: missing.png does not exist"

"""A model behind a server: every query is answered once, by its own reply, as the protocol has it."""

import json
from base64 import b64decode
from collections.abc import AsyncIterator
from io import BytesIO
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from PIL import Image
from served import Plain, answers, asked_table, gathered, own_reply, run, served, some

from counterpoint.core.groups import Mode, Query, State
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Answerer, BatchingModel, RemoteModel, Sampler, Scorer, StreamingScorer
from counterpoint.models.endpoint.chat import Chat
from counterpoint.models.endpoint.completions import Decoding
from counterpoint.models.endpoint.picture_encoding import PictureEncoding
from counterpoint.models.endpoint.providers import ANTHROPIC, GOOGLE, OPENAI, Provider
from counterpoint.models.prompts import Prompt
from counterpoint.testing import ChatServer, MemoryLog, ReceivedRequest, check_model


def test_every_query_gets_its_own_reply() -> None:
    asked = [*some(40), Query(None, "What is it without a picture?")]
    with ChatServer() as server:
        said = answers(served(server), asked)
        assert [answer.raw for answer in said] == [own_reply(query) for query in asked]
        assert set(server.asked.values()) == {1}
    assert {answer.state for answer in said} <= {State.OK, State.UNPARSED}


def test_a_chat_model_can_do_all_that_the_engine_asks_for() -> None:
    model = served("http://127.0.0.1:1/v1")
    assert all(
        isinstance(model, port) for port in (Answerer, Scorer, StreamingScorer, Sampler, RemoteModel, BatchingModel)
    )


def _by_seed(asked: ReceivedRequest) -> str:
    return f"Yes, by {asked.body.get('seed', 'no luck')}."


def test_a_chat_model_keeps_what_models_promise() -> None:
    with ChatServer(_by_seed, chances=lambda asked: {"Yes": 0.75, "No": 0.25}) as server:
        lost = Query(Picture("p:missing.png"), "Is it lost?")
        kept = check_model(served(server), [Query(Picture(f"p:{n}.png"), f"Is it {n}?") for n in range(3)], broken=lost)
    assert set(kept) == {"fingerprint", "ability", "answers", "batch invariance", "pictures", "scores", "samples"}


def test_the_picture_stands_before_the_words_and_has_the_very_pixels() -> None:
    with ChatServer() as server:
        answers(served(server), [Query(Picture("p:7.png"), "What is it?")])
    shown, said = server.received[0].body["messages"][-1]["content"]
    assert said == {"type": "text", "text": Prompt().text(Query(None, "What is it?"))}
    content = b64decode(shown["image_url"]["url"].removeprefix("data:image/png;base64,"))
    assert np.array_equal(np.asarray(Image.open(BytesIO(content))), Plain().pixels(Picture("p:7.png")))


def test_a_picture_can_be_sent_as_jpeg_and_smaller() -> None:
    kind, content = PictureEncoding("jpeg", side=3).encode(np.zeros((4, 6, 3), np.uint8))
    opened = Image.open(BytesIO(content))
    assert (kind, opened.format, opened.size) == ("jpeg", "JPEG", (3, 2))


def test_the_first_request_on_a_picture_is_answered_before_the_others_on_it_are_sent() -> None:
    pictures, alone = Plain(), dict[str, bool]()

    def says(asked: ReceivedRequest) -> str:
        alone.setdefault(asked.picture, [one.picture for one in server.received].count(asked.picture) == 1)
        return "fine"

    with ChatServer(says, together=3) as server:
        answers(served(server, pictures), some(24, pictures=3))
        assert len({one.picture for one in server.received[:3]}) == 3
    assert list(alone.values()) == [True] * 3
    assert set(pictures.looks.values()) == {1}


def test_pictures_are_finished_in_turn_where_there_is_room_for_one_request() -> None:
    with ChatServer() as server:
        answers(served(server, concurrency=1), some(12, pictures=3))
        order = [one.picture for one in server.received]
    changes = sum(one != other for one, other in pairwise(order))
    assert changes <= 5  # the first of each picture, then the rest of each


def test_a_picture_that_cannot_be_read_fails_its_queries_alone_and_costs_no_request() -> None:
    lost = [Query(Picture("p:missing.png"), f"What is lost {n}?") for n in range(3)]
    with ChatServer() as server:
        said = answers(served(server), [*some(5), *lost])
        assert len(server.received) == 5
    assert [answer.state is State.FAILED for answer in said] == [False] * 5 + [True] * 3
    assert said[-1].reason == "p:missing.png cannot be shown: missing.png does not exist"


def _likely(asked: ReceivedRequest) -> dict[str, float]:
    if "color" in asked.words:
        return {"red": 0.6, " Blu": 0.2, "Yes": 0.1}
    return {"Yes": 0.5, " yes": 0.1, "No": 0.2, "red": 0.15}


@pytest.mark.parametrize(
    ("query", "top"),
    [
        (Query(None, "Is it red?"), (("yes", 0.75), ("no", 0.25))),
        (Query(None, "What color is it?", choices=("blue", "red")), (("red", 0.75), ("blue", 0.25))),
        (Query(None, "What color is it?"), ()),
    ],
)
def test_probabilities_come_with_answers_that_are_chosen(query: Query, top: tuple[tuple[str, float], ...]) -> None:
    with ChatServer(lambda asked: "Yes", chances=_likely) as server:
        (said,) = answers(served(server), [query])
        assert server.received[0].body.get("logprobs", False) == bool(top)
    assert [value for value, _ in said.top] == [value for value, _ in top]
    assert [share for _, share in said.top] == pytest.approx([share for _, share in top])


def test_a_score_is_how_likely_yes_is_against_no() -> None:
    with ChatServer(lambda asked: "Yes", chances=_likely) as server:
        model, asked = served(server), some(6, mode=Mode.SCORE)
        assert model.score(asked) == pytest.approx([0.75] * 6)
        (_, said), *_ = gathered(model.stream_scores(asked))
        outcome = run(asked_table(asked), model, log := MemoryLog())
    assert said.raw == "Yes"
    assert said.score == pytest.approx(0.75)
    assert outcome.failed == 0
    assert [answer.score for answer in log.says.values()] == pytest.approx([0.75] * 6)


def test_a_reply_to_a_score_that_says_neither_yes_nor_no_is_kept_as_unparsed() -> None:
    with ChatServer(lambda asked: "Perhaps") as server:
        (said,) = answers(served(server), some(1, mode=Mode.SCORE))
    assert (said.state, said.raw, said.score) == (State.UNPARSED, "Perhaps", None)


def test_a_server_that_refuses_log_probabilities_is_asked_without_from_then_on() -> None:
    asked = [Query(None, f"Is it number {n}?") for n in range(10)]
    with ChatServer(lambda asked: "Yes.", refuses=("logprobs",)) as server:
        model = served(server, concurrency=1)
        said = answers(model, asked)
        answers(model, [Query(None, "Is it another?")])
    assert {(answer.value, answer.top) for answer in said} == {("yes", ())}
    assert model.requests - 11 == 2  # with twenty alternatives, with five, and then with none
    assert len(server.received) == 11


@pytest.mark.parametrize("offer", [{"refuses": ("logprobs",)}, {"logprobs": False}])
def test_without_log_probabilities_a_score_fails_and_says_why(offer: dict[str, Any]) -> None:
    with ChatServer(lambda asked: "Yes.", **offer) as server:
        model = served(server, concurrency=1)
        said = answers(model, some(20, mode=Mode.SCORE))
        assert model.requests <= 2
        assert np.isnan(model.score(some(3, mode=Mode.SCORE))).all()
    assert {answer.reason for answer in said} == {"the server gives no log-probabilities, of which a score is made"}


def test_a_server_that_knows_only_the_new_name_of_a_field_is_asked_by_it() -> None:
    with ChatServer(refuses=("max_tokens",)) as server:
        model = served(server, concurrency=1)
        assert all(answer.state is not State.FAILED for answer in answers(model, some(5)))
        assert model.requests == 6
        assert server.received[-1].body["max_completion_tokens"] == 256


@pytest.mark.parametrize("provider", [OPENAI, ANTHROPIC, GOOGLE], ids=lambda provider: provider.name)
def test_a_server_that_refuses_the_temperature_is_asked_without_it_from_then_on(
    provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    with ChatServer(provider=provider.name, refuses=("temperature",)) as server:
        model = served(server, provider=provider, concurrency=1)
        assert not model.not_sent
        assert all(answer.state is not State.FAILED for answer in answers(model, some(5)))
        assert all(answer.state is not State.FAILED for _, _, answer in gathered(model.sample(some(2), (1,), 0)))
        assert model.requests == 8
        assert not any("temperature" in json.dumps(one.body) for one in server.received)
    assert model.not_sent == ("temperature",)
    (told,) = caplog.messages
    assert told.startswith("double refuses its temperature, and is asked without one: replies are random")


def test_a_temperature_that_was_chosen_is_not_left_out() -> None:
    with ChatServer(refuses=("temperature",)) as server:
        model = served(server, concurrency=1, decoding=Decoding("double", temperature=0.7))
        (answer,) = answers(model, some(1))
        assert model.requests == 1
    assert answer.state is State.FAILED
    assert "does not support temperature" in answer.reason
    assert not model.not_sent


def test_samples_have_a_seed_of_their_own_that_follows_from_query_trial_and_seed() -> None:
    seeds: list[dict[tuple[str, int], int]] = []
    for seed in (0, 0, 1):
        with ChatServer() as server:
            model = served(server)
            sampled = gathered(model.sample(some(4), (1, 2), seed))
            assert sorted((place, trial) for place, trial, _ in sampled) == [(p, t) for p in range(4) for t in (1, 2)]
            assert {one.body["temperature"] for one in server.received} == {1.0}
            seeds.append({(one.words, one.body["seed"]): 1 for one in server.received})
    assert len(seeds[0]) == 8
    assert seeds[0] == seeds[1]
    assert not seeds[0].keys() & seeds[2].keys()


def test_a_plain_answer_is_asked_for_without_luck() -> None:
    with ChatServer() as server:
        answers(served(server), some(1))
    assert server.received[0].body["temperature"] == 0.0
    assert "seed" not in server.received[0].body


def test_trials_go_through_the_engine() -> None:
    with ChatServer() as server:
        outcome = run(asked_table(some(5)), served(server), log := MemoryLog(), trials=(0, 1, 2))
    assert (outcome.asked, outcome.failed, len(log.says)) == (15, 0, 15)


def test_a_template_with_choices_is_that_of_questions_with_choices() -> None:
    """Before, no setting reached them."""
    open_, closed = Query(None, "What is it?"), Query(None, "What is it?", choices=("a cat", "a dog"))
    told = Prompt().with_question("{text} One of {choices}!")
    assert [told.text(query) for query in (open_, closed)] == [Prompt().text(open_), "What is it? One of a cat, a dog!"]
    other = Prompt().with_question("In one word.")
    assert [other.text(query) for query in (open_, closed)] == ["What is it?\nIn one word.", Prompt().text(closed)]


def test_a_system_prompt_stands_first() -> None:
    with ChatServer() as server:
        answers(served(server, prompt=Prompt(system="Be brief.")), some(1))
    assert server.received[0].body["messages"][0] == {"role": "system", "content": "Be brief."}


def test_whoever_stops_listening_leaves_nothing_behind() -> None:
    async def first(model: Chat) -> int:
        async for place, _ in model.answer(some(20)):
            return place
        raise AssertionError("nobody answered")

    async def one(model: Chat) -> AsyncIterator[int]:
        yield await first(model)

    with ChatServer() as server:
        (place,) = gathered(one(served(server, concurrency=2)))
        assert place in range(20)
        assert len(server.received) < 20

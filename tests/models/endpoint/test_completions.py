"""What is sent to a server and what comes back, in all the shapes that servers give it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.costs import Usage
from counterpoint.core.groups import Query
from counterpoint.models.endpoint.completions import (
    Decoding,
    MalformedReply,
    Reply,
    ServerCapabilities,
    answer_from_reply,
    read_error,
    read_reply,
    request_body,
    word_probabilities,
)

PLAINS = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


def _reply(**message: Any) -> str:
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]})


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ({"content": "Yes."}, Reply("Yes.")),
        ({"content": None}, Reply("")),
        ({"content": "Yes.", "reasoning_content": "I see a dog."}, Reply("Yes.")),
        ({"content": [{"type": "text", "text": "Ye"}, {"type": "text", "text": "s."}]}, Reply("Yes.")),
        ({"content": [{"text": "Ye"}, {}, {"type": "output_text", "text": "s"}, "."]}, Reply("Yes.")),
        ({"content": None, "refusal": "I will not."}, Reply("I will not.", refused=True)),
        ({"content": "<think>A dog?</think>Yes."}, Reply("<think>A dog?</think>Yes.")),
    ],
)
def test_a_reply_is_read_however_it_is_packed(message: dict[str, Any], reply: Reply) -> None:
    assert read_reply(_reply(**message)) == reply


@pytest.mark.parametrize(
    "text", ["", "no", "[]", "{}", '{"choices": []}', '{"choices": [{}]}', '{"error": "x"}', "[" * 9999]
)
def test_what_is_no_completion_is_garbled(text: str) -> None:
    with pytest.raises(MalformedReply):
        read_reply(text)


@given(PLAINS, PLAINS, PLAINS)
def test_a_reply_of_any_shape_is_read_or_garbled(message: Any, logprobs: Any, more: Any) -> None:
    for choice in (
        {"message": message, "logprobs": logprobs},
        {"message": {"content": "x"}, "logprobs": {"content": more}},
    ):
        try:
            assert isinstance(read_reply(json.dumps({"choices": [choice]})), Reply)
        except MalformedReply:
            assert choice["message"] != {"content": "x"}, (
                "a reply that can be read is worth more than its probabilities"
            )


@pytest.mark.parametrize(
    ("stated", "usage"),
    [
        ({"prompt_tokens": 812, "completion_tokens": 3, "total_tokens": 815}, Usage(812, 3)),
        ({"prompt_tokens": 812, "completion_tokens": 0}, Usage(812, 0)),
        ({"total_tokens": 815}, None),
        ({"prompt_tokens": 812, "completion_tokens": None}, None),
        ({"prompt_tokens": "812", "completion_tokens": 3.0}, None),
        ({"prompt_tokens": True, "completion_tokens": 3}, None),
        ({"prompt_tokens": -1, "completion_tokens": 3}, None),
        ({"prompt_tokens": 10**30, "completion_tokens": 3}, None),
        ([812, 3], None),
        (None, None),
    ],
)
def test_the_tokens_are_those_that_the_server_states_and_are_never_guessed(stated: Any, usage: Usage | None) -> None:
    reply = read_reply(json.dumps(json.loads(_reply(content="Yes.")) | {"usage": stated}))
    assert reply == Reply("Yes.", usage=usage)
    assert answer_from_reply(Query(None, "Is it red?"), reply).usage == usage


def _spoken(*tokens: str) -> Reply:
    listed = [
        {"token": token, "logprob": -0.5, "top_logprobs": [{"token": f"{token}!", "logprob": -1.0}]} for token in tokens
    ]
    choice = {"message": {"content": "".join(tokens)}, "logprobs": {"content": listed}}
    return read_reply(json.dumps({"choices": [choice]}))


def test_the_chances_are_those_of_the_first_token_that_says_something() -> None:
    assert set(_spoken("\n", " Yes", ".").first_token or ()) == {" Yes", " Yes!"}
    assert set(_spoken("<think>", "No", "</th", "ink>", "\n", "Yes").first_token or ()) == {"Yes", "Yes!"}
    assert _spoken(" ").first_token == {}
    assert read_reply(_reply(content="Yes.")).first_token is None


def test_a_token_that_could_begin_several_choices_makes_their_probabilities_unknown() -> None:
    assert word_probabilities(["1", "10", "2"], {"1": 0.6, "2": 0.4}) == ()
    assert word_probabilities(["1", "3", "2"], {"1": 0.6, "2": 0.4}) == (("1", 0.6), ("2", 0.4), ("3", 0.0))


def test_an_article_begins_no_choice() -> None:
    assert word_probabilities(["apple", "pear"], {"a": 0.5, "an": 0.2, "pear": 0.3}) == (("pear", 1.0), ("apple", 0.0))


def test_words_that_are_unlikely_together_have_no_probabilities() -> None:
    assert word_probabilities(["yes", "no"], {"The": 0.9, "yes": 0.1}, least=0.5) == ()
    assert word_probabilities(["yes", "no"], {}, least=0.0) == ()


@given(st.dictionaries(st.sampled_from(["yes", "Yes", " no", "NO.", "x", ""]), st.floats(0, 1)))
def test_shares_are_probabilities(chances: dict[str, float]) -> None:
    found = word_probabilities(["yes", "no"], chances, whole=True)
    assert not found or sum(share for _, share in found) == pytest.approx(1)
    assert [share for _, share in found] == sorted((share for _, share in found), reverse=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"error": {"message": "no such model", "code": 404}}', ("no such model", "404")),
        ('{"error": "model not loaded"}', ("model not loaded", "")),
        ('{"detail": "Not Found"}', ("Not Found", "")),
        ('{"object": "error", "message": "too long", "code": null}', ("too long", "")),
        ('{"detail": [{"msg": "x"}]}', ('{"detail": [{"msg": "x"}]}', "")),
        ("<html>Bad gateway</html>", ("<html>Bad gateway</html>", "")),
        ("[1]", ("[1]", "")),
        ("", ("", "")),
    ],
)
def test_an_error_is_read_however_a_server_wraps_it(text: str, said: tuple[str, str]) -> None:
    report = read_error(text)
    assert (report.message, report.code) == said


def test_a_refused_field_is_left_out_or_renamed_and_other_refusals_change_nothing() -> None:
    terms = ServerCapabilities()
    assert terms.without("top_logprobs is too large") == ServerCapabilities(alternatives=5)
    assert terms.without("no logprobs").without("no logprobs") == ServerCapabilities(alternatives=0)
    assert terms.without("use 'max_completion_tokens' instead") == ServerCapabilities(limit="max_completion_tokens")
    assert terms.without("seed is not supported") == ServerCapabilities(seeds=False)
    refusal = (
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."
    )
    assert terms.without(refusal) == ServerCapabilities(temperatures=False)
    assert terms.without("the picture is too large") == terms


def test_what_a_server_does_not_take_is_not_sent() -> None:
    decoding = Decoding("m", tokens=3, temperature=0.5, seed=7)
    whole = request_body(decoding, "Is it?", "", ServerCapabilities(), logprobs=True)
    assert whole.keys() == {"model", "messages", "max_tokens", "temperature", "seed", "logprobs", "top_logprobs"}
    bare = request_body(decoding, "Is it?", "", ServerCapabilities(0, "max_completion_tokens", False), logprobs=True)
    assert bare.keys() == {"model", "messages", "max_completion_tokens", "temperature"}
    assert bare["messages"] == [{"role": "user", "content": "Is it?"}]

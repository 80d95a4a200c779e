"""The chat-completions protocol as pure functions: requests, replies, and answers."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import exp
from typing import Any, TypeAlias

from counterpoint.core.costs import Usage
from counterpoint.core.groups import Answer, Mode, Query, State
from counterpoint.language.answers.extraction import AUTO, extract_answer
from counterpoint.language.question_types import QuestionType, parse_question

Json: TypeAlias = dict[str, Any]
TokenProbabilities: TypeAlias = Mapping[str, float]
"""The tokens with which a reply could have begun, and their probabilities."""

BLANKS = " \t\n▁Ġ"
"""White space, in texts and as tokenizers write it."""
MAX_AMBIGUOUS = 0.01
"""The largest share, of the probability of the words, of tokens that could begin several words."""
END_OF_THOUGHT = "</think>"
"""The end of a model's reasoning, where a server leaves it in the reply."""
_WANTS_STREAM = re.compile(
    r"\b(?:only|must|requires?|enable|set)\b.{0,60}\bstream|\bstream(?:ing)?\b.{0,40}\b(?:only|must|required|true)\b",
    re.I,
)
_MALFORMED = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
YES_NO = ("yes", "no")
MIN_PROBABILITY = 0.5
"""How probable it must be that a reply begins with one of the words, for their probabilities to be kept."""
MAX_TEXT = 500_000
"""Characters of a reply that are kept: more than the longest reasoning, and a second's work for the extraction."""
FILTER_CODES = ("content_filter", "content_policy_violation", "data_inspection_failed")
"""Codes of the errors by which a content filter refuses a request, as those of Azure, OpenAI and DashScope do."""
FILTER_MESSAGES = (
    "content filtering policy",
    "content management policy",
    "flagged as potentially",
    "input was flagged",
)
"""Parts of the messages of such errors where the code does not tell, as of Anthropic and OpenRouter."""
NO_LOGPROBS = "the server gives no log-probabilities, of which a score is made"


class MalformedReply(ValueError):  # noqa: N818 - it reads as what it says
    """The body of a response, which is given, is no chat completion."""


@dataclass(frozen=True, slots=True)
class ServerCapabilities:
    """Which request fields a server takes: all are sent at first, and those that it refuses are left out from then on.

    >>> ServerCapabilities().without("this model does not support logprobs").alternatives
    5
    """

    alternatives: int = 20  # top_logprobs
    limit: str = "max_tokens"  # the name of the field that limits the length of a reply
    seeds: bool = True
    temperatures: bool = True  # also 0, or the default; others are sent in any case
    streams: bool = False  # whether replies come as streams of events alone, and are asked for so

    def without(self, message: str) -> "ServerCapabilities":
        """The capabilities after a refusal; the same if it is about no optional field."""
        if "logprob" in message.lower() and self.alternatives:
            return replace(self, alternatives=5 if self.alternatives > 5 else 0)
        if "max_completion_tokens" in message and self.limit == "max_tokens":
            return replace(self, limit="max_completion_tokens")
        if "temperature" in message.lower() and self.temperatures:
            return replace(self, temperatures=False)
        if not self.streams and _WANTS_STREAM.search(message):
            return replace(self, streams=True)
        return replace(self, seeds=False) if "seed" in message else self


@dataclass(frozen=True, slots=True)
class Decoding:
    """Which model replies, the length limit in tokens, the temperature and the seed."""

    model: str
    tokens: int = 256
    temperature: float = 0.0
    seed: int | None = None


def temperature_field(decoding: Decoding, takes: ServerCapabilities) -> Json:
    """The temperature of a request; none where the server takes its default alone, in place of 0 or of 1, which it is.

    >>> [temperature_field(Decoding("m"), ServerCapabilities(temperatures=takes)) for takes in (True, False)]
    [{'temperature': 0.0}, {}]
    """
    is_left_out = not takes.temperatures and decoding.temperature in (0.0, 1.0)
    return {} if is_left_out else {"temperature": decoding.temperature}


def request_body(
    decoding: Decoding, text: str, picture: str, takes: ServerCapabilities, *, system: str = "", logprobs: bool
) -> Json:
    """The body of a request; the picture comes before the text, so that the server can reuse its prefix cache."""
    content: Any = text
    if picture:
        content = [{"type": "image_url", "image_url": {"url": picture}}, {"type": "text", "text": text}]
    instructions = [{"role": "system", "content": system}] if system else []
    body: Json = {"model": decoding.model, "messages": [*instructions, {"role": "user", "content": content}]}
    body |= {takes.limit: decoding.tokens, **temperature_field(decoding, takes)}
    if decoding.seed is not None and takes.seeds:
        body["seed"] = decoding.seed
    if logprobs and takes.alternatives:
        body |= {"logprobs": True, "top_logprobs": takes.alternatives}
    return body | ({"stream": True, "stream_options": {"include_usage": True}} if takes.streams else {})


def split_data_url(url: str) -> tuple[str, str]:
    """The media type and the base64 text of a data URL.

    >>> split_data_url("data:image/png;base64,iVBORw==")
    ('image/png', 'iVBORw==')
    """
    head, _, data = url.partition(",")
    return head.removeprefix("data:").removesuffix(";base64"), data


@dataclass(frozen=True, slots=True)
class Reply:
    """The text of a reply, whether it is a refusal or was cut off, the alternatives to its first token, its tokens."""

    text: str
    refused: bool = False
    truncated: bool = False
    first_token: TokenProbabilities | None = None  # None where the server gives no log-probabilities
    usage: Usage | None = None  # None where the server does not state its tokens
    reason: str = ""  # of a refusal or of a reply without a text, in the words of the server


def decode_reply(text: str, read: Callable[[Any], Reply]) -> Reply:
    """What `read` makes of the JSON in the body of a response; MalformedReply where it cannot."""
    try:
        reply = read(json.loads(text))
    except _MALFORMED as problem:
        raise MalformedReply(text) from problem
    return replace(reply, text=_limited(reply.text))


def read_reply(text: str) -> Reply:
    """The reply in the body of a response.

    >>> read_reply('{"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}').text
    'Yes.'
    """
    is_stream = text.lstrip().startswith(("data:", "event:", ":"))  # a line with a colon is a comment
    return decode_reply(_joined_events(text) if is_stream else text, _completion)


def _joined_events(text: str) -> str:
    """The events of a stream as the body of one chat completion, or of an error; the text where it breaks off."""
    message, tokens = {"content": "", "refusal": ""}, list[Json]()
    body: Json = {"choices": [{"message": {}, "finish_reason": None}]}
    for line in text.split("\n"):
        data = line.removeprefix("data:").strip()
        if not line.startswith("data:") or data == "[DONE]":
            continue
        try:
            event = json.loads(data)
            if event.get("error"):
                return data
            body["usage"] = event.get("usage") or body.get("usage")
            for choice in (event.get("choices") or [])[:1]:
                delta = choice.get("delta") or {}
                message = {name: part + join_texts(delta.get(name)) for name, part in message.items()}
                tokens += _token_entries(choice.get("logprobs"))
                body["choices"][0]["finish_reason"] = choice.get("finish_reason") or body["choices"][0]["finish_reason"]
        except _MALFORMED:
            return text
    if body["choices"][0]["finish_reason"] is None:
        return text
    body["choices"][0] |= {"message": message, "logprobs": {"content": tokens}}
    return json.dumps(body)


def _completion(body: Json) -> Reply:
    choice = body["choices"][0]
    message, finish_reason = choice["message"], choice.get("finish_reason")
    if finish_reason == "error" or choice.get("error"):  # of a server that asks others, and was let down by one
        raise ValueError("the reply broke off")
    content, refusal = join_texts(message.get("content")), join_texts(message.get("refusal"))
    refused = bool(refusal) or finish_reason == "content_filter"
    first_token = first_alternatives(_token_entries(choice.get("logprobs")))
    usage = stated_usage(body.get("usage"), ["prompt_tokens"], ["completion_tokens"])
    return Reply(content or refusal, refused, finish_reason == "length", first_token, usage)


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """The message in an error response, its code, for how many seconds it asks to wait, and if it is of a filter."""

    message: str
    code: str = ""
    wait: float = 0.0
    is_filtered: bool = False  # what was asked or replied is what a content filter withholds


def read_error(text: str) -> ErrorReport:
    """What the body of an error response says; servers differ in how they wrap it.

    >>> read_error('{"error": {"message": "no such model", "code": "model_not_found"}}')
    ErrorReport(message='no such model', code='model_not_found', wait=0.0, is_filtered=False)
    """
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return ErrorReport(text)
    if isinstance(body, list) and len(body) == 1:  # Google's server for the protocol of OpenAI
        body = body[0]
    error = (body.get("error") or body) if isinstance(body, dict) else text
    if not isinstance(error, dict):
        return ErrorReport(str(error))
    message = error.get("message") or error.get("detail")
    listed = error.get("details")
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    details = {key: value for entry in entries for key, value in entry.items()}
    code = details.get("reason") or error.get("status") or error.get("code") or ""
    shown = message if isinstance(message, str) else text
    is_filtered = error.get("code") in FILTER_CODES or any(phrase in shown for phrase in FILTER_MESSAGES)
    return ErrorReport(shown, str(code), _delay(details.get("retryDelay")), is_filtered)


def _delay(duration: Any) -> float:
    """The seconds of a duration such as "34.5s"; 0 where it is none."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)s", duration) if isinstance(duration, str) else None
    return float(match[1]) if match else 0.0


def word_probabilities(
    words: Sequence[str], tokens: TokenProbabilities, *, whole: bool = False, least: float = 0.0
) -> tuple[tuple[str, float], ...]:
    """The probability of each word among these, by the tokens that begin it, the most probable first.

    With `whole` a token has to be the word, in either case, with or without white space. There are none if the words
    have less than the `least` probability together, or if probable tokens could begin several of them.

    >>> word_probabilities(["yes", "no"], {"Yes": 0.5, " yes": 0.25, "No": 0.25, "Maybe": 0.0})
    (('yes', 0.75), ('no', 0.25))
    """
    sums, ambiguous = dict.fromkeys(words, 0.0), 0.0
    for token, probability in tokens.items():
        begun = _words_begun(token, words, whole)
        if len(begun) == 1:
            sums[begun[0]] += probability
        elif begun:
            ambiguous += probability
    total = sum(sums.values())
    if not total > 0 or total < least or ambiguous > MAX_AMBIGUOUS * total:
        return ()
    return tuple((word, part / total) for word, part in sorted(sums.items(), key=lambda pair: -pair[1]))


def _words_begun(token: str, words: Sequence[str], whole: bool) -> list[str]:
    """The words that a token may begin; an article begins none, since any word may follow it."""
    bare = token.strip(BLANKS + "\"'*.,:;!?()[]").casefold()
    if not bare or (bare in ("a", "an", "the") and bare not in words):
        return []
    return [word for word in words if word.casefold() == bare or (not whole and word.casefold().startswith(bare))]


def join_texts(content: Any) -> str:
    """The text of a message, which may be a string, a list of parts, or absent; a part may be a string or have no type.

    >>> join_texts([{"type": "thinking", "thinking": "Hm."}, {"text": "Yes"}, {"type": "output_text", "text": "."}])
    'Yes.'
    """
    if isinstance(content, str):
        return content
    parts = [{"text": part} if isinstance(part, str) else part for part in content or ()]
    is_text = ("text", "output_text")
    return "".join(part["text"] for part in parts if part.get("type", "text" if "text" in part else "") in is_text)


def stated_usage(stated: Any, tokens_in: Sequence[str], tokens_out: Sequence[str]) -> Usage | None:
    """The tokens that a server states in its reply: sums of fields, of which the first has to be there."""
    if not isinstance(stated, dict):
        return None
    totals = [_total([stated.get(name) for name in names]) for names in (tokens_in, tokens_out)]
    return Usage.of(*totals)


def _total(counts: Sequence[object]) -> object:
    first, *more = counts
    return first + sum(count for count in more if type(count) is int) if type(first) is int else None


def _token_entries(logprobs: Any) -> Iterator[Json]:
    yield from (logprobs or {}).get("content") or ()


def first_alternatives(entries: Iterable[Json]) -> TokenProbabilities | None:
    """The alternatives to the first token that is no white space, after the model's reasoning if there is any."""
    try:
        tokens = [(entry["token"], entry) for entry in entries if isinstance(entry["token"], str)]
        return _alternatives(tokens) if tokens else None
    except _MALFORMED:
        return None


def _alternatives(tokens: Sequence[tuple[str, Json]]) -> TokenProbabilities:
    texts = [text for text, _ in tokens]
    start = 0
    if END_OF_THOUGHT in "".join(texts):
        start = next(end for end, so_far in enumerate(accumulate(texts), 1) if END_OF_THOUGHT in so_far)
    visible = [entry for text, entry in tokens[start:] if text.strip(BLANKS)]
    if not visible:
        return {}
    entries = [visible[0], *(visible[0].get("top_logprobs") or [])]
    return {str(entry["token"]): exp(min(0.0, entry["logprob"])) for entry in entries}


def _limited(text: str) -> str:
    """A text without its middle where it is longer than MAX_TEXT: what is said first or last is read."""
    half = MAX_TEXT // 2
    return text if len(text) <= MAX_TEXT else f"{text[:half]}\n…\n{text[-half:]}"


def shorten(text: str, most: int = 300) -> str:
    """A text as one line that is not too long for a message."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}…"


def offered_words(query: Query) -> tuple[str, ...]:
    """The words among which a query offers a choice, whose probabilities are requested; often none.

    >>> [offered_words(Query(None, text)) for text in ("Is the cup red or blue?", "Is it red?", "Who?")]
    [('red', 'blue'), ('yes', 'no'), ()]
    """
    if query.mode is Mode.SCORE:
        return YES_NO
    question = parse_question(query.text, query.choices)
    return YES_NO if question.type is QuestionType.YES_NO else question.options


def answer_from_reply(query: Query, reply: Reply, *, rule: str = AUTO, tokens: int = 0) -> Answer:
    """The answer in a reply; one that was cut off says so and keeps its text."""
    words = offered_words(query)
    polar = {word.casefold() for word in words} == set(YES_NO)
    least = 0.0 if query.mode is Mode.SCORE else MIN_PROBABILITY
    top = word_probabilities(words, reply.first_token or {}, whole=polar, least=least)
    answer = extract_answer(reply.text, query, rule=rule, top=top)
    if reply.refused:
        answer = replace(answer, value="", state=State.REFUSED, reason=reply.reason)
    elif query.mode is Mode.SCORE:
        answer = _scored(reply, top)
    elif not reply.text:
        answer = replace(answer, reason=reply.reason)
    cut = reply.truncated and answer.state is not State.FAILED
    reason = f"cut off after {tokens} tokens" if cut else answer.reason
    return replace(answer, reason=reason, usage=reply.usage)


def _scored(reply: Reply, top: tuple[tuple[str, float], ...]) -> Answer:
    if top:
        return replace(Answer.scored(dict(top)["yes"]), raw=reply.text, top=top)
    if reply.first_token is None and reply.text:
        return Answer.failed(NO_LOGPROBS)
    return Answer(raw=reply.text, rule="score", state=State.UNPARSED)

"""The chat-completions protocol as pure functions: what is sent, and what comes back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import exp
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
TokenProbabilities: TypeAlias = Mapping[str, float]
"""The tokens with which a reply could have begun, and their probabilities."""

BLANKS = " \t\n▁Ġ"
"""As texts have them, and as tokenizers write them."""
MAX_AMBIGUOUS = 0.01
"""How much, of what the words have, tokens may have that could begin several words."""
END_OF_THOUGHT = "</think>"
"""What ends the thinking aloud of a model, where a server leaves it in the reply."""
_MISSHAPEN = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


class MalformedReply(ValueError):  # noqa: N818 - it reads as what it says
    """What came back is no chat completion."""


@dataclass(frozen=True, slots=True)
class ServerCapabilities:
    """What a server takes, as far as is known: it is offered everything, and what it refuses is left out from then on.

    >>> ServerCapabilities().without("this model does not support logprobs").alternatives
    5
    """

    alternatives: int = 20  # tokens at each place whose probabilities are asked for
    limit: str = "max_tokens"  # what the field is called that says how long a reply may be
    seeds: bool = True

    def without(self, message: str) -> "ServerCapabilities":
        """The terms after a refusal; the same, if it is about nothing that can be left out."""
        if "logprob" in message and self.alternatives:
            return replace(self, alternatives=5 if self.alternatives > 5 else 0)
        if "max_completion_tokens" in message and self.limit == "max_tokens":
            return replace(self, limit="max_completion_tokens")
        return replace(self, seeds=False) if "seed" in message else self


@dataclass(frozen=True, slots=True)
class Decoding:
    """Which model speaks, how long, and with how much luck."""

    model: str
    tokens: int = 256
    temperature: float = 0.0
    seed: int | None = None


def request_body(
    decoding: Decoding, words: str, picture: str, terms: ServerCapabilities, *, system: str = "", chances: bool
) -> Json:
    """What is sent: the picture stands before the words, so that the server can go on from where it has read before."""
    content: Any = words
    if picture:
        content = [{"type": "image_url", "image_url": {"url": picture}}, {"type": "text", "text": words}]
    said = [{"role": "system", "content": system}] if system else []
    body: Json = {"model": decoding.model, "messages": [*said, {"role": "user", "content": content}]}
    body |= {terms.limit: decoding.tokens, "temperature": decoding.temperature}
    if decoding.seed is not None and terms.seeds:
        body["seed"] = decoding.seed
    if chances and terms.alternatives:
        body |= {"logprobs": True, "top_logprobs": terms.alternatives}
    return body


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said, whether it refused, whether it was cut off, and with what else it could have begun."""

    text: str
    refused: bool = False
    cut: bool = False
    chances: TokenProbabilities | None = None  # nothing where the server gives no log-probabilities


def read_reply(text: str) -> Reply:
    """The reply in the body of a response.

    >>> read_reply('{"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}').text
    'Yes.'
    """
    try:
        choice = json.loads(text)["choices"][0]
        message, ended = choice["message"], choice.get("finish_reason")
        said, refusal = _joined(message.get("content")), _joined(message.get("refusal"))
        chances = _chances(choice.get("logprobs"))
    except _MISSHAPEN as problem:
        raise MalformedReply(f"the reply is no chat completion: {_short(text) or 'it is empty'}") from problem
    refused = bool(refusal) or ended == "content_filter"
    return Reply(said or refusal, refused, ended == "length", chances)


def error_message(text: str) -> tuple[str, str]:
    """What a server says in an error, and its code; servers differ in how they wrap it.

    >>> error_message('{"error": {"message": "no such model", "code": "model_not_found"}}')
    ('no such model', 'model_not_found')
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return _short(text), ""
    if isinstance(found, dict):
        inner = found.get("error") or found
        if isinstance(inner, dict):
            said = inner.get("message") or inner.get("detail")
            return _short(said if isinstance(said, str) else text), str(inner.get("code") or "")
        return _short(str(inner)), ""
    return _short(text), ""


def word_probabilities(
    words: Sequence[str], chances: TokenProbabilities, *, whole: bool = False, least: float = 0.0
) -> tuple[tuple[str, float], ...]:
    """The probability of each word among these, by the tokens that begin it, the likeliest first.

    With `whole` a token has to be the word, in small letters or large, with or without a blank. There are none if the
    words have less than the `least` probability together, or if likely tokens could begin several of them.

    >>> word_probabilities(["yes", "no"], {"Yes": 0.5, " yes": 0.25, "No": 0.25, "Maybe": 0.0})
    (('yes', 0.75), ('no', 0.25))
    """
    sums, unclear = dict.fromkeys(words, 0.0), 0.0
    for token, chance in chances.items():
        meant = _meant(token, words, whole)
        if len(meant) == 1:
            sums[meant[0]] += chance
        elif meant:
            unclear += chance
    total = sum(sums.values())
    if not total > 0 or total < least or unclear > MAX_AMBIGUOUS * total:
        return ()
    return tuple((word, chance / total) for word, chance in sorted(sums.items(), key=lambda pair: -pair[1]))


def _meant(token: str, words: Sequence[str], whole: bool) -> list[str]:
    """The words that a token may begin; an article begins nothing, since any word may follow it."""
    bare = token.strip(BLANKS + "\"'*.,:;!?()[]").casefold()
    if not bare or (bare in ("a", "an", "the") and bare not in words):
        return []
    return [word for word in words if word.casefold() == bare or (not whole and word.casefold().startswith(bare))]


def _joined(content: Any) -> str:
    """A text, however it is packed: as it is, in parts, or not at all."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part.get("type") == "text")


def _chances(logprobs: Any) -> TokenProbabilities | None:
    """The alternatives to the first token that says something, after a model's thoughts if it thought aloud."""
    try:
        tokens = [(one["token"], one) for one in (logprobs or {}).get("content") or [] if isinstance(one["token"], str)]
        return _first(tokens) if tokens else None
    except _MISSHAPEN:
        return None


def _first(tokens: Sequence[tuple[str, Json]]) -> TokenProbabilities:
    texts = [text for text, _ in tokens]
    start = 0
    if END_OF_THOUGHT in "".join(texts):
        start = next(end for end, so_far in enumerate(accumulate(texts), 1) if END_OF_THOUGHT in so_far)
    spoken = [token for text, token in tokens[start:] if text.strip(BLANKS)]
    if not spoken:
        return {}
    listed = [spoken[0], *(spoken[0].get("top_logprobs") or [])]
    return {str(one["token"]): exp(min(0.0, one["logprob"])) for one in listed}


def _short(text: str, most: int = 300) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]}…"

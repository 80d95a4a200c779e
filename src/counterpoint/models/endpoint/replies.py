"""From a reply to an answer: its value, its state, and the probabilities of the alternatives."""

from dataclasses import replace

from counterpoint.core.answers import Answer, State
from counterpoint.core.groups import Mode, Query
from counterpoint.language.answers.extraction import AUTO, extract_answer
from counterpoint.language.question_types import QuestionType, parse_question
from counterpoint.models.endpoint.completions import Reply, word_probabilities

YES_NO = ("yes", "no")
MIN_PROBABILITY = 0.5
"""How probable it must be that a reply begins with one of the words, for their probabilities to be kept."""
NO_LOGPROBS = "the server gives no log-probabilities, of which a score is made"


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
        answer = replace(answer, value="", state=State.REFUSED)
    elif query.mode is Mode.SCORE:
        answer = _scored(reply, top)
    cut = reply.truncated and answer.state is not State.FAILED
    return replace(answer, reason=f"cut off after {tokens} tokens") if cut else answer


def _scored(reply: Reply, top: tuple[tuple[str, float], ...]) -> Answer:
    if top:
        return replace(Answer.scored(dict(top)["yes"]), raw=reply.text, top=top)
    if reply.first_token is None and reply.text:
        return Answer.failed(NO_LOGPROBS)
    return Answer(raw=reply.text, rule="score", state=State.UNPARSED)

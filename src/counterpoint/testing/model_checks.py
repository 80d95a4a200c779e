"""`check_model`: whether a model keeps the protocol that its methods declare, for tests of adapters."""

import asyncio
from collections.abc import AsyncIterable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from counterpoint.core.groups import Answer, Mode, Query, State
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Answerer, FeatureModel, Floats, Sampler, Scale, Scorer

CLOSE = 1e-3
"""The tolerance for numbers that should be equal."""
TRIALS, SEED = (1, 2, 3), 7


@dataclass(frozen=True, slots=True)
class ModelCase:
    """A model and its queries; async models keep one event loop, in a thread of its own."""

    model: Any
    queries: Sequence[Query]
    broken: Query
    close: float
    runner: asyncio.Runner
    thread: ThreadPoolExecutor

    def all(self, given: Iterable[Any] | AsyncIterable[Any]) -> list[Any]:
        """Everything that a model yields, plain or async."""
        if not isinstance(given, AsyncIterable):
            return list(given)
        return self.thread.submit(lambda: self.runner.run(_drained(given))).result()

    def answers(self, queries: Sequence[Query]) -> list[Answer]:
        """The answers in the order of the queries, each there once."""
        return _placed(self.all(self.model.answer(queries)), queries)

    def scores(self, queries: Sequence[Query]) -> Floats:
        """The scores of some queries."""
        return np.asarray(self.model.score(queries))

    def samples(self, queries: Sequence[Query], trials: Sequence[int]) -> dict[tuple[Query, int], Answer]:
        """What stochastic passes give, by query and trial."""
        given = self.all(self.model.sample(queries, trials, SEED))
        by_trial: dict[int, list[tuple[int, Answer]]] = {trial: [] for trial in trials}
        for sample in given:
            assert isinstance(sample, tuple), f"a sample is {sample!r}, not a place, a trial and an answer"
            assert len(sample) == 3, f"a sample is {sample!r}, not a place, a trial and an answer"
            place, trial, answer = sample
            assert trial in by_trial, f"trial {trial!r} was sampled, and only {list(trials)} were asked for"
            by_trial[trial].append((place, answer))
        answers = {trial: _placed(placed, queries) for trial, placed in by_trial.items()}
        return {(query, trial): answers[trial][place] for trial in trials for place, query in enumerate(queries)}


def check_model(
    model: object, queries: Sequence[Query], *, broken: Query | None = None, close: float = CLOSE
) -> list[str]:
    """Run the checks that apply to a model and return their names; the first that fails raises AssertionError.

    The queries, two or more, are ones that the model should be able to answer; a scorer gets their texts as well.
    `broken` is a query about a picture that cannot be read; by default one is made up. Numbers may differ by `close`,
    absolutely and relatively.
    """
    asked = list(dict.fromkeys(replace(query, mode=Mode.ANSWER) for query in queries))
    assert len(asked) > 1, "two different queries are needed at least, to tell one answer from another"
    before = getattr(model, "fingerprint", None)
    names = [name for name, (ports, _) in MODEL_CHECKS.items() if all(isinstance(model, port) for port in ports)]
    with ThreadPoolExecutor(1) as thread:
        case = ModelCase(model, asked, broken or _broken(asked), close, asyncio.Runner(), thread)
        try:
            for name in names:
                MODEL_CHECKS[name][1](case)
        except AssertionError as problem:
            raise AssertionError(f"{name}: {problem}") from problem
        finally:
            thread.submit(case.runner.close).result()
    assert case.model.fingerprint == before, "fingerprint: it is another one after the model was asked"
    return names


def fingerprint_is_a_text(case: ModelCase) -> None:
    """The fingerprint is a text, and the same whenever it is read."""
    fingerprint = getattr(case.model, "fingerprint", None)
    assert isinstance(fingerprint, str), f"the fingerprint is {fingerprint!r}, not a text"
    assert fingerprint, "the fingerprint is empty"
    assert case.model.fingerprint == fingerprint, "the fingerprint is another one when it is read again"


def something_can_be_asked(case: ModelCase) -> None:
    """It is an Answerer or a Scorer."""
    assert isinstance(case.model, Answerer | Scorer), "it neither answers, nor scores on a scale"
    assert not hasattr(case.model, "score") or isinstance(case.model, Scorer), "it scores, and has no scale"


def every_query_is_answered_once(case: ModelCase) -> None:
    """Each position comes once, with an Answer, and not all of them have failed."""
    answers = case.answers(case.queries)
    failed = [answer for answer in answers if answer.state is State.FAILED]
    assert len(failed) < len(answers), f"every query failed, the first because {failed[0].reason!r}"
    for query, answer in zip(case.queries, answers, strict=True):
        assert isinstance(answer.value, str), f"the value of {query.text!r} is {answer.value!r}, not a text"
        shares = [share for _, share in answer.top]
        assert shares == sorted(shares, reverse=True), f"the likeliest answers to {query.text!r} are not best first"


def answers_are_batch_invariant(case: ModelCase) -> None:
    """Batch invariance: a query has the same answer in a batch, in another order, and alone."""
    plain = case.answers(case.queries)
    turned = case.answers(case.queries[::-1])[::-1]
    alone = [case.answers([query])[0] for query in case.queries]
    for query, *own in zip(case.queries, plain, turned, alone, strict=True):
        for other, how in zip(own[1:], ("in another order", "alone"), strict=True):
            _same(own[0], other, f"{query.text!r} is answered otherwise {how}", case.close)


def a_broken_picture_fails_alone(case: ModelCase) -> None:
    """A query about an unreadable picture fails, or is answered from its text, and leaves the others alone."""
    plain = case.answers(case.queries)
    mixed = [case.queries[0], replace(case.broken, mode=Mode.ANSWER), *case.queries[1:]]
    try:
        beside = case.answers(mixed)
    except AssertionError:
        raise
    except Exception as problem:
        raise AssertionError(f"a picture that cannot be read raised {type(problem).__name__}: {problem}") from problem
    for query, before, after in zip(case.queries, plain, [beside[0], *beside[2:]], strict=True):
        _same(before, after, f"{query.text!r} is answered otherwise beside a picture that cannot be read", case.close)
    assert beside[1].state is not State.FAILED or beside[1].reason, "the failed query does not say why"


def scores_are_numbers(case: ModelCase) -> None:
    """One finite number per query, on the declared scale, batch-invariant."""
    queries = list(dict.fromkeys(replace(query, mode=Mode.SCORE, choices=()) for query in case.queries))
    scores = case.scores(queries)
    assert scores.shape == (len(queries),), f"{len(queries)} queries have scores of shape {scores.shape}"
    assert np.issubdtype(scores.dtype, np.floating), f"the scores are {scores.dtype}, not numbers with fractions"
    assert np.isfinite(scores).all(), f"{queries[int(np.argmin(np.isfinite(scores)))].text!r} has no finite score"
    assert case.model.scale in list(Scale), f"the scale is {case.model.scale!r}"
    if case.model.scale == Scale.PROBABILITY:
        assert ((scores >= 0) & (scores <= 1)).all(), "the scores are said to be probabilities, and are not"
    others = {
        "in another order": case.scores(queries[::-1])[::-1],
        "alone": np.concatenate([case.scores([query]) for query in queries]),
    }
    for how, other in others.items():
        assert np.allclose(scores, other, rtol=case.close, atol=case.close), f"a text is scored otherwise {how}"


def samples_follow_from_query_trial_and_seed(case: ModelCase) -> None:
    """A stochastic pass is the same in any batch, and in any order of queries and trials."""
    speaks = isinstance(case.model, Answerer)
    queries = [query if speaks else replace(query, mode=Mode.SCORE, choices=()) for query in case.queries]
    whole = case.samples(queries, TRIALS)
    others = {
        "when it is sampled again": case.samples(queries, TRIALS),
        "in another order": case.samples(queries[::-1], TRIALS[::-1]),
        "alone": {key: answer for query in queries for key, answer in case.samples([query], TRIALS[1:2]).items()},
    }
    for how, samples in others.items():
        for (query, trial), answer in samples.items():
            _same(whole[query, trial], answer, f"trial {trial} of {query.text!r} is another one {how}", case.close)


def features_lead_to_the_same_answers(case: ModelCase) -> None:
    """Features have one row per query, and answers from them are the answers."""
    picture, text = case.model.picture_features(case.queries), case.model.text_features(case.queries)
    for name, features in (("picture", picture), ("text", text)):
        rows = np.shape(features)[:1]
        assert rows == (len(case.queries),), f"{len(case.queries)} queries have {name} features of {rows} rows"
        assert np.isfinite(features).all(), f"the {name} features are not all finite"
    from_features = _placed(case.all(case.model.answer_from(picture, text, case.queries)), case.queries)
    for query, plain, after in zip(case.queries, case.answers(case.queries), from_features, strict=True):
        _same(plain, after, f"{query.text!r} is answered otherwise from its features", case.close)


def _placed(given: Iterable[Any], queries: Sequence[Query]) -> list[Answer]:
    """Answers in the order of their queries, if each is there once."""
    answers: dict[int, Answer] = {}
    for item in given:
        assert isinstance(item, tuple), f"it yields {item!r}, not a position and an answer"
        assert len(item) == 2, f"it yields {item!r}, not a position and an answer"
        place, answer = item
        assert isinstance(answer, Answer), f"it gives {answer!r} where an Answer belongs"
        assert isinstance(place, int), f"the position {place!r} is not a whole number"
        assert 0 <= place < len(queries), f"position {place} is answered, of {len(queries)} that there are"
        assert place not in answers, f"position {place} is answered twice"
        answers[place] = answer
    lost = [place for place in range(len(queries)) if place not in answers]
    assert not lost, f"position {lost and lost[0]} is not answered, of {len(queries)} that were asked"
    return [answers[place] for place in range(len(queries))]


def _same(first: Answer, second: Answer, fact: str, close: float) -> None:
    assert first.state == second.state, f"{fact}: {first.state} and {second.state}"
    texts = (first.value, first.raw) == (second.value, second.raw)
    assert texts or first.score is not None, f"{fact}: {first.raw!r} and {second.raw!r}"
    assert (first.score is None) == (second.score is None), f"{fact}: {first.score} and {second.score}"
    before, after = ([*(share for _, share in answer.top), answer.score or 0.0] for answer in (first, second))
    alike = len(before) == len(after) and np.allclose(before, after, rtol=close, atol=close)
    assert alike, f"{fact}: {before} and {after}"


def _broken(queries: Sequence[Query]) -> Query:
    """A query about a picture that is not there, where the others have theirs."""
    namespace = next((query.picture.namespace for query in queries if query.picture), "nowhere")
    return replace(queries[0], picture=Picture(f"{namespace}:there/is/no/such/picture.png"))


async def _drained(given: AsyncIterable[Any]) -> list[Any]:
    return [item async for item in given]


MODEL_CHECKS: Mapping[str, tuple[tuple[type, ...], Callable[[ModelCase], None]]] = MappingProxyType(
    {
        "fingerprint": ((), fingerprint_is_a_text),
        "ability": ((), something_can_be_asked),
        "answers": ((Answerer,), every_query_is_answered_once),
        "batch invariance": ((Answerer,), answers_are_batch_invariant),
        "pictures": ((Answerer,), a_broken_picture_fails_alone),
        "scores": ((Scorer,), scores_are_numbers),
        "samples": ((Sampler,), samples_follow_from_query_trial_and_seed),
        "features": ((FeatureModel, Answerer), features_lead_to_the_same_answers),
    }
)
"""The checks by name, with the protocols of the models that each applies to; one that fails raises AssertionError."""

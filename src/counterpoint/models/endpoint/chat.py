"""Any vision-language model behind a chat-completions endpoint."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import httpx2
import numpy as np

from counterpoint.core.answers import Answer
from counterpoint.core.errors import CounterpointError, ModelError, UnknownName
from counterpoint.core.groups import Mode, Query
from counterpoint.core.ids import Plain, content_id, hex_id
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Pictures, PlacedAnswer, PreprocessingPictures, SampledAnswer, Scale
from counterpoint.language.answers.extraction import AUTO, EXTRACTION_RULES
from counterpoint.models.endpoint.completions import Decoding, ServerCapabilities, request_body
from counterpoint.models.endpoint.data_urls import PictureEncoding
from counterpoint.models.endpoint.rate_limiter import RateLimiter
from counterpoint.models.endpoint.replies import NO_LOGPROBS, answer_from_reply, offered_words
from counterpoint.models.endpoint.requests import Endpoint, RequestRejected
from counterpoint.models.endpoint.scheduler import QueryTask, RequestScheduler, RetryPolicy, ServerState
from counterpoint.models.endpoint.server import Server
from counterpoint.models.prompts import Prompt

BATCH = 1024
"""Queries that are handed over together: so many that the last few of them, which are waited for, cost little."""
Ready: TypeAlias = Callable[[Picture], str]


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """What is said to a model and how; whatever changes an answer is in the fingerprint, the rest is not."""

    decoding: Decoding
    prompt: Prompt = field(default_factory=Prompt)
    encoding: PictureEncoding = field(default_factory=PictureEncoding)
    sampling: float = 1.0  # the temperature of stochastic passes
    rule: str = AUTO
    at_once: int = 32
    seconds: float = 120.0
    budget: int = 0
    patience: RetryPolicy = field(default_factory=RetryPolicy)

    def fingerprint(self, server: Server) -> str:
        """The name of the model, and a digest of its address, prompt, decoding, and picture encoding."""
        said = self.decoding
        luck: list[Plain] = [
            repr(float(said.temperature)),
            repr(float(self.sampling)),
            said.seed or 0 if said.temperature else 0,
        ]
        content: list[Plain] = [server.address, self.prompt.content, said.tokens, luck, self.encoding.content]
        return f"{said.model} {hex_id(content_id([said.model, *content]))}"


def chat(
    name: str,
    pictures: Pictures,
    *,
    base_url: str = "",
    prompt: str = "",
    system: str = "",
    tokens: int = 256,
    temperature: float = 0.0,
    sampling: float = 1.0,
    seed: int = 0,
    rule: str = AUTO,
    at_once: int = 32,
    timeout: float = 120.0,
    attempts: int = 8,
    patience: float = 120.0,
    max_requests: int = 0,
    picture_format: str = "png",
    picture_side: int = 0,
) -> "Chat":
    """The model of this name on a server that speaks as OpenAI's does; its key is read from the environment alone."""
    least = {"tokens": (tokens, 1), "at_once": (at_once, 1), "attempts": (attempts, 1), "timeout": (timeout, 0.001)}
    least |= {"max_requests": (max_requests, 0), "picture_side": (picture_side, 0), "patience": (patience, 0)}
    least |= {"temperature": (temperature, 0), "sampling": (sampling, 0)}
    for setting, (value, lowest) in least.items():
        if not value >= lowest:
            raise ModelError(f"openai/{name}: {setting} is {value}", hint=f"it is {lowest} or more")
    if rule not in EXTRACTION_RULES:
        raise UnknownName("rule", rule, EXTRACTION_RULES)
    settings = ChatSettings(
        decoding=Decoding(name, tokens, temperature, seed),
        prompt=Prompt(system=system).asking(prompt),
        encoding=PictureEncoding(picture_format, picture_side),
        sampling=sampling,
        rule=rule,
        at_once=at_once,
        seconds=timeout,
        budget=max_requests,
        patience=RetryPolicy(attempts=attempts, away=patience),
    )
    return Chat(settings, pictures, server=Server.of(base_url, os.environ))


class Chat:
    """Many requests at once; a query that fails becomes an answer that says so, and costs the others nothing."""

    scale = Scale.PROBABILITY
    batch = BATCH

    def __init__(self, settings: ChatSettings, pictures: Pictures, *, server: Server) -> None:
        self.fingerprint = settings.fingerprint(server)
        self._settings, self._terms = settings, ServerCapabilities()
        self._line = ServerState(RateLimiter.full(settings.at_once), settings.budget)
        self._endpoint = Endpoint(server, self._line, seconds=settings.seconds, at_once=settings.at_once)
        self._ready = _ready(pictures, settings.encoding)

    @property
    def retries(self) -> int:
        """How many requests were sent again so far."""
        return self._line.retries

    @property
    def requests(self) -> int:
        """How many requests were sent so far, those that came to nothing among them."""
        return self._line.sent

    async def answer(self, queries: Sequence[Query]) -> AsyncIterator[PlacedAnswer]:
        """Answers with their positions, in the order in which they arrive."""
        async with aclosing(
            self._settled([QueryTask(place, 0, query) for place, query in enumerate(queries)])
        ) as settled:
            async for job, answer in settled:
                yield job.place, answer

    def rate(self, queries: Sequence[Query]) -> AsyncIterator[PlacedAnswer]:
        """Scores as answers: how likely "yes" is against "no", where the server gives log-probabilities."""
        return self.answer(queries)

    def score(self, queries: Sequence[Query]) -> Floats:
        """The same as numbers, for whoever does not ask by an event loop; not a number where there is none."""
        scores = np.full(len(queries), np.nan, np.float32)

        async def walk() -> None:
            async for place, answer in self.rate(queries):
                scores[place] = np.nan if answer.score is None else answer.score

        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, walk()).result()
        return scores

    async def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> AsyncIterator[SampledAnswer]:
        """Answers by luck, which follows from query, trial and seed where the server keeps to them."""
        jobs = [QueryTask(place, trial, query) for place, query in enumerate(queries) for trial in trials]
        async with aclosing(self._settled(jobs, seed)) as settled:
            async for job, answer in settled:
                yield job.place, job.trial, answer

    async def _settled(
        self, jobs: Sequence[QueryTask], seed: int = 0
    ) -> AsyncGenerator[tuple[QueryTask, Answer], None]:
        shown = _Shown(self._ready, jobs)
        async with self._endpoint.client() as client:
            attempt = partial(self._attempt, client, shown, seed)
            async with aclosing(
                RequestScheduler(jobs, attempt, self._line, self._settings.patience).settled()
            ) as settled:
                async for job, answer in settled:
                    shown.done(job)
                    yield job, answer

    async def _attempt(self, client: httpx2.AsyncClient, shown: "_Shown", seed: int, job: QueryTask) -> Answer:
        scored = job.query.mode is Mode.SCORE
        picture = await shown.get(job.query.picture)
        if isinstance(picture, Answer):
            return picture
        while True:
            terms = self._terms
            if scored and not terms.alternatives:
                return Answer.failed(NO_LOGPROBS)
            try:
                reply = await self._endpoint.post(client, self._request(job, picture, terms, seed))
            except RequestRejected as problem:
                if terms.without(str(problem)) == terms:
                    return Answer.failed(problem)
                if self._terms == terms:
                    self._terms = terms.without(str(problem))
                self._line.retries += 1
                continue
            if scored and reply.chances is None and reply.text and not reply.refused:
                self._terms = replace(self._terms, alternatives=0)
            return answer_from_reply(job.query, reply, rule=self._settings.rule, tokens=self._settings.decoding.tokens)

    def _request(self, job: QueryTask, picture: str, terms: ServerCapabilities, seed: int) -> dict[str, object]:
        settings, decoding = self._settings, self._settings.decoding
        if job.trial:
            decoding = replace(decoding, temperature=settings.sampling)
        luck = content_id([decoding.seed or 0, seed, hex_id(job.query.id), job.trial]) % 2**31
        decoding = replace(decoding, seed=luck if decoding.temperature else None)
        words, chances = settings.prompt.words(job.query), bool(offered_words(job.query))
        return request_body(decoding, words, picture, terms, system=settings.prompt.system, chances=chances)


def _ready(pictures: Pictures, encoding: PictureEncoding) -> Ready:
    """Where encoded pictures come from: from the threads that decode them ahead, if there are any."""
    if isinstance(pictures, PreprocessingPictures):
        return pictures.fitted(encoding)
    return lambda picture: encoding(pictures.pixels(picture))


class _Shown:
    """The pictures of some jobs, each made ready once and kept until the last job on it is done."""

    def __init__(self, ready: Ready, jobs: Iterable[QueryTask]) -> None:
        self._ready = ready
        self._left = Counter(job.query.picture for job in jobs)
        self._made: dict[Picture, str | Answer] = {}

    async def get(self, picture: Picture | None) -> str | Answer:
        """The picture as it is sent; where it cannot be shown, the answer that says so."""
        if picture is None:
            return ""
        if picture not in self._made:  # the first job on a picture goes alone, so that nobody else is at it
            self._made[picture] = await asyncio.to_thread(self._look, picture)
        return self._made[picture]

    def done(self, job: QueryTask) -> None:
        """One job less on its picture."""
        self._left[job.query.picture] -= 1
        if job.query.picture is not None and not self._left[job.query.picture]:
            self._made.pop(job.query.picture, None)

    def _look(self, picture: Picture) -> str | Answer:
        try:
            return self._ready(picture)
        except CounterpointError as problem:
            return Answer.failed(f"{picture.address} cannot be shown: {problem}")
        except Exception as problem:  # whoever decodes pictures may raise anything
            return Answer.failed(f"{picture.address} cannot be shown: {type(problem).__name__}: {problem}")

"""Any vision-language model behind a server of a known protocol."""

import asyncio
import logging
import os
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

from counterpoint.core.costs import Budget, Cost, TokenPrices
from counterpoint.core.errors import CounterpointError, ModelError, UnknownName
from counterpoint.core.groups import Answer, Mode, Query
from counterpoint.core.ids import Plain, content_id, hex_id
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import (
    Floats,
    Pictures,
    PlacedAnswer,
    PreprocessingPictures,
    SampledAnswer,
    Scale,
    score_array,
)
from counterpoint.language.answers.extraction import AUTO, EXTRACTION_RULES
from counterpoint.models.endpoint.batches import MAX_LINES, BatchJournal, BatchQueue, TaskCodec, request_id
from counterpoint.models.endpoint.completions import (
    NO_LOGPROBS,
    Decoding,
    Reply,
    ServerCapabilities,
    answer_from_reply,
    offered_words,
)
from counterpoint.models.endpoint.picture_encoding import DEFAULT_SIDE, ORIGINAL, PictureEncoder, PictureEncoding
from counterpoint.models.endpoint.providers import ANTHROPIC, GOOGLE, OPENAI, Provider
from counterpoint.models.endpoint.requests import ClientPool, Endpoint, RequestFiltered, RequestRejected, Server
from counterpoint.models.endpoint.scheduler import QueryTask, RateLimiter, RequestScheduler, RetryPolicy, ServerState
from counterpoint.models.prices import parse_budget, read_prices
from counterpoint.models.prompts import Prompt

logger = logging.getLogger(__name__)

BATCH, ROUNDS = 1024, 64
"""Queries per call, and those for each concurrent request: so many that waiting for the last few costs little."""
BATCHED_QUERIES = 200_000
"""Queries per call where the server forms batches: all of most runs, since a call ends with its last batch."""
EncodePicture: TypeAlias = Callable[[Picture], str]


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """How a model is prompted and reached; what can change an answer is in the fingerprint, the rest is not."""

    decoding: Decoding
    prompt: Prompt = field(default_factory=Prompt)
    encoding: PictureEncoding = field(default_factory=PictureEncoding)
    sampling: float = 1.0  # the temperature of stochastic passes
    version: str = ""  # tells apart models that one name stands for at different times
    rule: str = AUTO
    concurrency: int = 32
    seconds: float = 120.0
    budget: Budget | None = None
    prices: TokenPrices | None = None
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    poll: float = 30.0  # seconds between two looks at a batch

    def fingerprint(self, provider: Provider) -> str:
        """The name of the model, and a digest of version, prompt, decoding and picture encoding; not of the address.

        The provider is covered too, except for chat completions.
        """
        return self._fingerprint(*provider.marks, *([self.version] if self.version else []))

    def former_fingerprints(self, server: Server) -> tuple[str, ...]:
        """What earlier releases made of these settings: pictures were PNG, and the digest covered the address."""
        if server.provider.name != OPENAI.name:
            return ()
        marks = [self.version] if self.version else []
        former = [self._fingerprint(*marks, encoding=encoding) for encoding in self.encoding.former]
        if not self.version:
            encodings = (self.encoding, *self.encoding.former)
            former += [self._fingerprint(server.address, encoding=encoding) for encoding in encodings]
        return tuple(former)

    def _fingerprint(self, *marks: Plain, encoding: PictureEncoding | None = None) -> str:
        decoding = self.decoding
        randomness: list[Plain] = [
            repr(float(decoding.temperature)),
            repr(float(self.sampling)),
            decoding.seed or 0 if decoding.temperature else 0,
        ]
        content: list[Plain] = [
            *marks,
            self.prompt.content,
            decoding.tokens,
            randomness,
            (encoding or self.encoding).content,
        ]
        return f"{decoding.model} {hex_id(content_id([decoding.model, *content]))}"


def _chat(
    provider: Provider,
    name: str,
    pictures: Pictures,
    /,
    *,
    base_url: str = "",
    version: str = "",
    prompt: str = "",
    system: str = "",
    tokens: int = 256,
    temperature: float = 0.0,
    sampling: float = 1.0,
    seed: int = 0,
    rule: str = AUTO,
    concurrency: int = 32,
    timeout: float = 120.0,
    attempts: int = 8,
    max_downtime: float = 120.0,
    budget: int | str = 0,
    prices: str = "",
    picture_format: str = ORIGINAL,
    picture_side: int = DEFAULT_SIDE,
    batch: bool = False,
    poll: float = 30.0,
    key_variable: str = "",
) -> "Chat":
    """The model of this name on a server; its key is read from the environment alone."""
    if key_variable and not os.environ.get(key_variable, "").strip():
        raise ModelError(f"{provider.name}/{name}: the variable {key_variable} is not set", hint="it has the key")
    provider = replace(provider, key_variables=(key_variable,)) if key_variable else provider
    least: dict[str, tuple[float, float]] = {"timeout": (timeout, 0.001), "max_downtime": (max_downtime, 0)}
    least |= {"tokens": (tokens, 1), "concurrency": (concurrency, 1), "attempts": (attempts, 1)}
    least |= {"temperature": (temperature, 0), "sampling": (sampling, 0), "picture_side": (picture_side, 0)}
    least |= {"poll": (poll, 0.001)}
    for setting, (value, lowest) in least.items():
        if not value >= lowest:
            raise ModelError(f"{provider.name}/{name}: {setting} is {value}", hint=f"it is {lowest} or more")
    if rule not in EXTRACTION_RULES:
        raise UnknownName("rule", rule, EXTRACTION_RULES)
    token_prices = read_prices(prices, name) if prices else None
    settings = ChatSettings(
        decoding=Decoding(name, tokens, temperature, seed),
        prompt=Prompt(system=system).with_question(prompt),
        encoding=PictureEncoding(picture_format, picture_side),
        sampling=sampling,
        version=version,
        rule=rule,
        concurrency=concurrency,
        seconds=timeout,
        budget=parse_budget(str(budget), token_prices),
        prices=token_prices,
        retries=RetryPolicy(attempts=attempts, max_downtime=max_downtime),
        poll=poll,
    )
    if batch and provider.name != OPENAI.name:
        raise ModelError(f"{provider.name}/{name} cannot be asked by batches", hint="openai/ models can")
    scoring = BatchChat if batch else ScoringChat
    make = scoring if provider.takes.alternatives else Chat
    return make(settings, pictures, server=Server.of(base_url, os.environ, provider))


chat = partial(_chat, OPENAI)
"""The model of this name on an OpenAI-compatible server; its key is read from the environment alone."""
anthropic = partial(_chat, ANTHROPIC)
"""The model of this name on a server with Anthropic's Messages protocol; it gives no probabilities."""
google = partial(_chat, GOOGLE)
"""The model of this name on a server with Google's generateContent protocol."""


class Chat:
    """Many concurrent requests; a query that fails becomes a failed answer, and the others go on."""

    def __init__(self, settings: ChatSettings, pictures: Pictures, *, server: Server) -> None:
        self.batch_size = max(BATCH, ROUNDS * settings.concurrency)
        self.fingerprint = settings.fingerprint(server.provider)
        self.former_fingerprints = settings.former_fingerprints(server)
        self._settings, self._write_request = settings, server.provider.write_request
        self._capabilities = server.provider.takes
        self.prices, cost = settings.prices, Cost(prices=settings.prices)
        self._state = ServerState(RateLimiter.full(settings.concurrency), settings.budget, cost)
        self._endpoint = Endpoint(
            server,
            self._state,
            seconds=settings.seconds,
            concurrency=settings.concurrency,
            model=settings.decoding.model,
        )
        # encoded when its turn comes: the threads that read ahead would decode what is sent as it is
        source = pictures.source if isinstance(pictures, PreprocessingPictures) else pictures
        self._encode = PictureEncoder(source, settings.encoding)

    @property
    def retries(self) -> int:
        """How many requests were sent again so far."""
        return self._state.retries

    @property
    def requests(self) -> int:
        """How many requests were sent so far, failed ones included."""
        return self._state.sent

    @property
    def not_sent(self) -> tuple[str, ...]:
        """The settings that the fingerprint covers, and that the server refused."""
        return () if self._capabilities.temperatures else ("temperature",)

    async def answer(self, queries: Sequence[Query]) -> AsyncIterator[PlacedAnswer]:
        """Answers with their positions, in the order in which they arrive."""
        tasks = [QueryTask(place, 0, query) for place, query in enumerate(queries)]
        async with aclosing(self._answers(tasks)) as answers:
            async for task, answer in answers:
                yield task.place, answer

    async def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> AsyncIterator[SampledAnswer]:
        """Sampled answers; the seed of each follows from query, trial and seed, where the server takes seeds."""
        tasks = [QueryTask(place, trial, query) for place, query in enumerate(queries) for trial in trials]
        async with aclosing(self._answers(tasks, seed)) as answers:
            async for task, answer in answers:
                yield task.place, task.trial, answer

    async def _answers(
        self, tasks: Sequence[QueryTask], seed: int = 0
    ) -> AsyncGenerator[tuple[QueryTask, Answer], None]:
        pictures = EncodedPictures(self._encode, tasks)
        # one worker: extraction holds the lock of the interpreter, and several would leave the loop no time
        with ThreadPoolExecutor(1, "extraction") as worker:
            async with self._endpoint.clients() as clients:
                attempt = partial(self._attempt, clients, worker, pictures, seed)
                scheduler = RequestScheduler(tasks, attempt, self._state, self._settings.retries)
                async with aclosing(scheduler.answers()) as answers:
                    async for task, answer in answers:
                        pictures.release(task)
                        yield task, answer

    async def _attempt(
        self, clients: ClientPool, worker: Executor, pictures: "EncodedPictures", seed: int, task: QueryTask
    ) -> Answer:
        interpret = partial(self._interpret, task.query)
        scored = task.query.mode is Mode.SCORE
        picture = await pictures.get(task.query.picture)
        if isinstance(picture, Answer):
            return picture
        while True:
            takes = self._capabilities
            if scored and not takes.alternatives:
                return Answer.failed(NO_LOGPROBS)
            request = self._request(task, picture, takes, seed)
            try:
                with clients.lend() as client:
                    reply, answer = await self._endpoint.post(client, request, interpret, worker)
            except RequestFiltered as problem:
                return interpret(Reply("", refused=True, reason=str(problem)))[1]
            except RequestRejected as problem:
                left = takes.without(str(problem))
                if left == takes or self._request(task, picture, left, seed) == request:
                    return Answer.failed(problem)
                if self._capabilities == takes:
                    self._leave_out(left, str(problem))
                self._state.retries += 1
                continue
            if scored and reply.first_token is None and reply.text and not reply.refused:
                self._capabilities = replace(self._capabilities, alternatives=0)
            return answer

    def _leave_out(self, left: ServerCapabilities, problem: str) -> None:
        """Send what the server takes from now on; of the temperature, which can change every reply, a warning tells."""
        if self._capabilities.temperatures and not left.temperatures:
            what = "asked without one: replies are random, as by its default"
            logger.warning("%s refuses its temperature, and is %s (%s)", self._settings.decoding.model, what, problem)
        self._capabilities = left

    def _interpret(self, query: Query, reply: Reply) -> tuple[Reply, Answer]:
        settings = self._settings
        return reply, answer_from_reply(query, reply, rule=settings.rule, tokens=settings.decoding.tokens)

    def _decoding(self, task: QueryTask, seed: int) -> Decoding:
        """The decoding of one request, with a seed of its own where it is random."""
        decoding = self._settings.decoding
        if task.trial:
            decoding = replace(decoding, temperature=self._settings.sampling)
        drawn = content_id([decoding.seed or 0, seed, hex_id(task.query.id), task.trial]) % 2**31
        return replace(decoding, seed=drawn if decoding.temperature else None)

    def _request(self, task: QueryTask, picture: str, takes: ServerCapabilities, seed: int) -> dict[str, object]:
        settings, decoding = self._settings, self._decoding(task, seed)
        text, logprobs = settings.prompt.text(task.query), bool(offered_words(task.query))
        return self._write_request(decoding, text, picture, takes, system=settings.prompt.system, logprobs=logprobs)


class ScoringChat(Chat):
    """A chat model whose server may give log-probabilities, of which scores are made."""

    scale = Scale.PROBABILITY

    def stream_scores(self, queries: Sequence[Query]) -> AsyncIterator[PlacedAnswer]:
        """Scores as answers: the probability of "yes" against "no", where the server gives log-probabilities."""
        return self.answer(queries)

    def score(self, queries: Sequence[Query]) -> Floats:
        """The same as an array, for callers without an event loop; NaN where there is no score."""

        async def collect() -> list[PlacedAnswer]:
            return [placed async for placed in self.stream_scores(queries)]

        with ThreadPoolExecutor(1) as thread:
            return score_array(thread.submit(asyncio.run, collect()).result(), len(queries))


class BatchChat(ScoringChat):
    """A chat model that is asked by batches, which outlive a run: files of requests, and files of replies."""

    def __init__(self, settings: ChatSettings, pictures: Pictures, *, server: Server, lines: int = MAX_LINES) -> None:
        super().__init__(settings, pictures, server=server)
        self.batch_size = BATCHED_QUERIES
        self._queue = BatchQueue(self._endpoint, self._state, settings.retries, poll=settings.poll, lines=lines)

    def keep_batches_in(self, journal: BatchJournal) -> None:
        """Keep the records of batches here."""
        self._queue.journal = journal

    def forget_collected(self) -> None:
        """Delete the records of batches whose answers are stored."""
        self._queue.forget_collected()

    async def _answers(
        self, tasks: Sequence[QueryTask], seed: int = 0
    ) -> AsyncGenerator[tuple[QueryTask, Answer], None]:
        pictures = EncodedPictures(self._encode, tasks)
        ask = partial(super()._answers, seed=seed)
        codec = TaskCodec(partial(self._prepare, pictures, seed), pictures.release, self._read_line, ask)
        async with aclosing(self._queue.answers(tasks, codec)) as answers:
            async for task, answer in answers:
                yield task, answer

    async def _prepare(
        self, pictures: "EncodedPictures", seed: int, task: QueryTask
    ) -> tuple[str, dict[str, object]] | Answer:
        picture, takes = await pictures.get(task.query.picture), self._capabilities
        if isinstance(picture, Answer):
            return picture
        if task.query.mode is Mode.SCORE and not takes.alternatives:
            return Answer.failed(NO_LOGPROBS)
        request = request_id(task, self._decoding(task, seed).seed or 0, picture)
        return request, self._request(task, picture, takes, seed)

    def _read_line(self, task: QueryTask, body: bytes) -> Answer:
        return self._endpoint.read(body, partial(self._interpret, task.query))[1]


class EncodedPictures:
    """The pictures of some tasks, each encoded once and kept until its last task is done."""

    def __init__(self, encode: EncodePicture, tasks: Iterable[QueryTask]) -> None:
        self._encode = encode
        self._open_tasks = Counter(task.query.picture for task in tasks)
        self._encoded: dict[Picture, str | Answer] = {}

    async def get(self, picture: Picture | None) -> str | Answer:
        """The picture as a data URL; a failed answer where it cannot be read."""
        if picture is None:
            return ""
        if picture not in self._encoded:  # the first task on a picture goes alone, so that it is encoded once
            self._encoded[picture] = await asyncio.to_thread(self._read, picture)
        return self._encoded[picture]

    def release(self, task: QueryTask) -> None:
        """Count a task as done, and drop its picture with the last one."""
        self._open_tasks[task.query.picture] -= 1
        if task.query.picture is not None and not self._open_tasks[task.query.picture]:
            self._encoded.pop(task.query.picture, None)

    def _read(self, picture: Picture) -> str | Answer:
        try:
            return self._encode(picture)
        except CounterpointError as problem:
            return Answer.failed(f"{picture.address} cannot be shown: {problem}")
        except Exception as problem:  # a decoder may raise anything
            return Answer.failed(f"{picture.address} cannot be shown: {type(problem).__name__}: {problem}")

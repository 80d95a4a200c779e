"""Batches in OpenAI's manner: a file of requests is sent, the server takes up to a day, and a file of replies is read.

The record of a batch is in a journal from before it is submitted until its answers are stored, so that a run after a
kill collects what was submitted, and submits nothing twice.
"""

import asyncio
import json
import logging
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from contextlib import aclosing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from secrets import token_hex
from time import monotonic
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote

import httpx2

from counterpoint.core.errors import BudgetExhausted, ModelUnreachable, StoreError
from counterpoint.core.groups import Answer, State
from counterpoint.core.ids import content_id, hex_id, seeded_rng
from counterpoint.models.endpoint.completions import Json, MalformedReply, offered_words, read_error
from counterpoint.models.endpoint.requests import Endpoint, RequestRejected, ResourceMissing
from counterpoint.models.endpoint.scheduler import (
    MAX_POLL_SECONDS,
    QueryTask,
    RetryableError,
    RetryPolicy,
    ServerState,
    backoff_delay,
)

T = TypeVar("T")
TaskAnswers: TypeAlias = AsyncGenerator[tuple[QueryTask, Answer], None]
BatchJournal: TypeAlias = MutableMapping[str, Mapping[str, Any]]
"""Records of batches by name."""
MAX_LINES = 50_000
"""Requests in a file, by OpenAI's limit."""
MAX_FILE_BYTES = 100 * 10**6
"""Bytes of a file: half of OpenAI's limit."""
MAX_PAGES = 10
"""Pages of a hundred batches that are searched for one whose id was not kept."""
URL = "/v1/chat/completions"
"""The URL in each line of a file, whatever the address of the server."""
ENDINGS = {
    "completed": "the batch has no reply to this query",
    "failed": "the batch failed",
    "expired": "the batch expired before its turn",
    "cancelled": "the batch was cancelled before its turn",
}
"""The statuses in which a batch ends, and why a query of it may have no reply."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """A batch: the server's address, the ids of its requests, of its file, and its own; empty until there is one."""

    address: str
    requests: Sequence[str]
    file: str = ""
    batch: str = ""

    @classmethod
    def parse(cls, name: str, content: Mapping[str, Any]) -> "BatchRecord":
        """The record of this name in a journal."""
        match content:
            case {"address": str(address), "requests": [*requests], "file": str(file), "batch": str(batch)}:
                return cls(address, [str(request) for request in requests], file, batch)
        hint = "delete it from the folder batches of the lab; its queries are then submitted again"
        raise ModelUnreachable(f"{name} is no record of a batch", hint=hint)


@dataclass(frozen=True, slots=True)
class TaskCodec:
    """How a model writes requests and reads replies."""

    prepare: Callable[[QueryTask], Awaitable[tuple[str, Json] | Answer]]  # id and body of a request, or it has failed
    release: Callable[[QueryTask], None]  # drops the picture of a prepared request
    read: Callable[[QueryTask, bytes], Answer]  # the answer in the body of a reply
    ask: Callable[[Sequence[QueryTask]], TaskAnswers]  # by requests of their own


def request_id(task: QueryTask, seed: int, picture: str) -> str:
    """The id of a request, which changes with picture and seed; what else counts is in the fingerprint."""
    return f"{task_prefix(task)}-{hex_id(content_id([seed, picture]))}"


def task_prefix(task: QueryTask) -> str:
    """The beginning of the id of a request: query and trial."""
    return f"{hex_id(task.query.id)}-{task.trial}"


@dataclass(slots=True)
class RequestFile:
    """Requests that make a batch, and the answers to tasks that need no request."""

    content: bytearray = field(default_factory=bytearray)
    tasks: dict[str, QueryTask] = field(default_factory=dict)
    answers: list[tuple[QueryTask, Answer]] = field(default_factory=list)


@dataclass(slots=True)
class OpenBatch:
    """A batch that is not collected, and those of its tasks that are to be answered."""

    name: str
    record: BatchRecord
    tasks: dict[str, QueryTask] = field(default_factory=dict)
    in_flight: int = 0  # requests of this run
    is_done: bool = False


class BatchQueue:
    """Submits tasks in files, and collects the answers of this run's batches and of those in the journal."""

    def __init__(
        self, endpoint: Endpoint, state: ServerState, policy: RetryPolicy, *, poll: float, lines: int = MAX_LINES
    ) -> None:
        self.journal: BatchJournal = {}
        self._endpoint, self._state, self._policy, self._poll, self._lines = endpoint, state, policy, poll, lines
        self._collected: list[str] = []
        self._exhausted: BudgetExhausted | None = None

    def forget_collected(self) -> None:
        """Delete the records of batches whose answers are stored."""
        while self._collected:
            self.journal.pop(self._collected.pop(), None)

    async def answers(self, tasks: Sequence[QueryTask], codec: TaskCodec) -> TaskAnswers:
        """Tasks with their answers, batch by batch; an exhausted budget is raised after those that were submitted."""
        async with self._endpoint.client() as http:
            client = BatchClient(self._endpoint, http, self._policy, self._state)
            batches, fresh = await self._resume(tasks, codec)
            async with aclosing(self._submit(client, batches, fresh, codec)) as early:
                async for task, answer in early:
                    yield task, answer
            while batches := [batch for batch in batches if not batch.is_done]:
                for batch in batches:
                    async with aclosing(self._collect(client, batch, codec)) as answers:
                        async for task, answer in answers:
                            yield task, answer
                if not all(batch.is_done for batch in batches):
                    await asyncio.sleep(self._poll)
        if self._exhausted is not None:
            raise self._exhausted

    async def _resume(self, tasks: Sequence[QueryTask], codec: TaskCodec) -> tuple[list[OpenBatch], list[QueryTask]]:
        """The batches in the journal that hold some of the tasks, and the other tasks."""
        known = self._known_batches()
        owners = {request: batch for batch in known for request in batch.record.requests}
        begun, fresh = {request.rpartition("-")[0] for request in owners}, list[QueryTask]()
        for task in tasks:
            prepared = await codec.prepare(task) if task_prefix(task) in begun else None
            request = prepared[0] if isinstance(prepared, tuple) else ""
            if batch := owners.get(request):
                batch.tasks[request] = task
                codec.release(task)
            else:
                fresh.append(task)
        return [batch for batch in known if batch.tasks], fresh

    def _known_batches(self) -> list[OpenBatch]:
        """The batches in the journal that were submitted to this server."""
        known = list[OpenBatch]()
        with _fatal_store_errors():
            records = {name: BatchRecord.parse(name, content) for name, content in self.journal.items()}
        for name, record in records.items():
            if record.address != self._endpoint.address:
                logger.warning("a batch of this model is open at %s, and is not collected from here", record.address)
            elif record.file:
                known.append(OpenBatch(name, record))
            else:  # nothing was submitted
                self._collected.append(name)
        return known

    async def _submit(
        self, client: "BatchClient", batches: list[OpenBatch], fresh: list[QueryTask], codec: TaskCodec
    ) -> TaskAnswers:
        """Submit tasks in files, which are added to the batches; yields the answers to tasks that are in none."""
        for batch in batches:
            async for task, answer in self._start(client, batch):
                yield task, answer
        if fresh:  # alone and first: what the server does not take is then known before a file is sent
            probe = next((task for task in fresh if offered_words(task.query)), fresh[0])
            fresh.remove(probe)
            codec.release(probe)
            async with aclosing(codec.ask([probe])) as answers:
                async for task, answer in answers:
                    yield task, answer
        async for file in self._files(fresh, codec):
            for task, answer in file.answers:
                yield task, answer
            if file.tasks:
                record = BatchRecord(self._endpoint.address, list(file.tasks))
                batches.append(OpenBatch(token_hex(8), record, file.tasks, len(file.tasks)))
                async for task, answer in self._start(client, batches[-1], bytes(file.content)):
                    yield task, answer

    async def _files(self, tasks: Sequence[QueryTask], codec: TaskCodec) -> AsyncIterator[RequestFile]:
        """The requests of tasks in files, as far as the budget goes."""
        file = RequestFile()
        for task in tasks:
            prepared = await codec.prepare(task)
            codec.release(task)
            if isinstance(prepared, Answer):
                file.answers.append((task, prepared))
                continue
            try:
                self._state.count_request()
            except BudgetExhausted as problem:
                self._exhausted = problem
                break
            request, body = prepared
            line = json.dumps({"custom_id": request, "method": "POST", "url": URL, "body": body}).encode("ascii")
            if len(file.tasks) >= self._lines or len(file.content) + len(line) >= MAX_FILE_BYTES:
                yield file
                file = RequestFile()
            file.tasks[request] = task
            file.content += line + b"\n"
        yield file

    async def _start(self, client: "BatchClient", batch: OpenBatch, content: bytes = b"") -> TaskAnswers:
        """Submit a batch that has no id; its tasks fail where the server refuses it."""
        try:
            if not batch.record.file:
                self._keep(batch)
                batch.record = replace(batch.record, file=await client.upload(f"{batch.name}.jsonl", content))
                self._keep(batch)
            if not batch.record.batch:
                batch.record = replace(batch.record, batch=await client.create(batch.record.file, known=not content))
                self._keep(batch)
        except RequestRejected as problem:
            for task in batch.tasks.values():
                yield task, Answer.failed(problem)
            self._close(batch)

    def _keep(self, batch: OpenBatch) -> None:
        with _fatal_store_errors():
            self.journal[batch.name] = asdict(batch.record)

    def _close(self, batch: OpenBatch) -> None:
        self._state.in_flight -= batch.in_flight
        self._collected.append(batch.name)
        batch.is_done = True

    async def _collect(self, client: "BatchClient", batch: OpenBatch, codec: TaskCodec) -> TaskAnswers:
        """The answers of a batch if it has ended, else nothing; each task of it gets one, if only a failed one."""
        try:
            status = await client.status(batch.record.batch)
            if status.get("status") not in ENDINGS:
                return
            files = (status.get("output_file_id"), status.get("error_file_id"))
            for file in (name for name in files if isinstance(name, str) and name):
                async for line in client.lines(file):
                    if task := batch.tasks.pop(str(line.get("custom_id")), None):
                        yield task, await asyncio.to_thread(self._line_answer, line, task, codec)
            reason = self._endpoint.show(_ending(status))
        except RequestRejected as problem:
            reason = f"the batch cannot be read: {problem}"
        for task in batch.tasks.values():
            yield task, Answer.failed(reason)
        self._close(batch)

    def _line_answer(self, line: Json, task: QueryTask, codec: TaskCodec) -> Answer:
        show = self._endpoint.show
        match line:
            case {"response": {"status_code": 200, "body": body}}:
                try:
                    return codec.read(task, json.dumps(body).encode("ascii"))
                except MalformedReply as problem:
                    return Answer.failed(f"the reply is no chat completion: {show(str(problem))}")
            case {"error": {"message": message}}:
                return Answer.failed(f"the batch has no reply to this query: {show(str(message))}")
            case {"response": {"status_code": status, "body": body}}:
                error = read_error(json.dumps(body))
                if error.is_filtered:
                    return Answer(state=State.REFUSED, reason=show(error.message))
                return Answer.failed(f"the server says {show(str(status))}: {show(error.message)}")
        return Answer.failed(ENDINGS["completed"])


class BatchClient:
    """Files and batches at a server; requests that fail are sent again."""

    def __init__(self, endpoint: Endpoint, client: httpx2.AsyncClient, policy: RetryPolicy, state: ServerState) -> None:
        self._endpoint, self._client, self._policy, self._state = endpoint, client, policy, state

    async def upload(self, name: str, content: bytes) -> str:
        """The id of a new file of requests."""
        form: dict[str, Any] = {
            "data": {"purpose": "batch"},
            "files": {"file": (name, content, "application/jsonl")},
        }
        try:
            return _id(await self._retried(lambda: self._call("POST", "files", **form)))
        except ResourceMissing as problem:
            hint = "run without --batch"
            raise ModelUnreachable(f"{self._endpoint.address} takes no batches: {problem}", hint=hint) from None

    async def create(self, file: str, *, known: bool) -> str:
        """The id of a batch of a file; with `known`, and after a lost reply, it is searched for before it is made."""
        body = {"input_file_id": file, "endpoint": URL, "completion_window": "24h"}
        attempts = 0

        async def attempt() -> str:
            nonlocal attempts
            attempts += 1
            found = await self._find(file) if known or attempts > 1 else ""
            return found or _id(await self._call("POST", "batches", json=body))

        return await self._retried(attempt)

    async def status(self, batch: str) -> Json:
        """What the server says of a batch."""
        return await self._retried(lambda: self._call("GET", f"batches/{quote(batch, safe='')}"))

    async def lines(self, file: str) -> AsyncIterator[Json]:
        """The objects in a file, one per line; those before a broken connection come again."""
        failures = 0
        while True:
            try:
                async with aclosing(
                    self._endpoint.lines(self._client, f"files/{quote(file, safe='')}/content")
                ) as lines:
                    async for line in lines:
                        if isinstance(content := _parse(line), dict):
                            yield content
                return
            except RetryableError as problem:
                failures += 1
                await self._wait(problem, failures)

    async def _find(self, file: str) -> str:
        """The id of the batch of a file, among the latest of the server; empty where there is none."""
        after = ""
        for _ in range(MAX_PAGES):
            try:
                page = await self._call("GET", f"batches?limit=100{after}")
            except RequestRejected:  # a server that does not list batches
                return ""
            batches = [batch for batch in page.get("data") or () if isinstance(batch, dict)]
            found = [_id(batch) for batch in batches if batch.get("input_file_id") == file]
            if found or not batches or not page.get("has_more"):
                return found[0] if found else ""
            after = f"&after={quote(_id(batches[-1]), safe='')}"
        return ""

    async def _call(self, method: str, path: str, **content: Any) -> Json:
        return await self._endpoint.call(self._client, method, path, **content)

    async def _retried(self, call: Callable[[], Awaitable[T]]) -> T:
        failures = 0
        while True:
            try:
                return await call()
            except RetryableError as problem:
                failures += 1
                await self._wait(problem, failures)

    async def _wait(self, problem: RetryableError, failures: int) -> None:
        """Wait for the next attempt; ModelUnreachable where there were enough, or the server is down for too long."""
        policy, down_since = self._policy, self._state.down_since
        is_down = problem.unreachable and down_since is not None
        lasts = is_down and monotonic() - (down_since or 0.0) < policy.max_downtime
        if not lasts and (is_down or failures >= policy.attempts):
            raise ModelUnreachable(str(problem), hint="what was submitted is kept; run again to collect it") from None
        self._state.retries += 1
        rng, maximum = seeded_rng("batch", failures), MAX_POLL_SECONDS if is_down else 60.0
        delay = backoff_delay(failures, rng, first=policy.first_delay, maximum=maximum)
        await asyncio.sleep(max(problem.wait, delay))


@contextmanager
def _fatal_store_errors() -> Iterator[None]:
    """A journal that cannot be read or written ends the run, before something is submitted twice."""
    try:
        yield
    except StoreError as problem:
        raise ModelUnreachable(str(problem), hint=problem.hint) from problem


def _id(content: Json) -> str:
    """The id of a file or a batch."""
    if not isinstance(name := content.get("id"), str) or not name:
        raise RetryableError("the server gives no id")
    return name


def _parse(line: bytes) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _ending(status: Json) -> str:
    """Why a query of an ended batch has no reply."""
    reason = ENDINGS[status["status"]]
    match status.get("errors"):
        case {"data": [{"message": str(message)}, *_]}:
            return f"{reason}: {message}"
    return reason

"""Outcome tables as Parquet files in the user's cache, so that no page judges answers itself.

Files are built at the first use, one after the other; those of a large lab in a process of its own, whose memory goes
with it. A folder of files is there whole or not at all, and its name is a digest of what it was built from. Everything
here can be deleted at any time.
"""

import json
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from itertools import count
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Lock
from typing import NamedTuple, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from counterpoint._version import __version__
from counterpoint.core.errors import CounterpointError, StoreError
from counterpoint.core.ids import content_id, hex_id
from counterpoint.metrics.metric import contents_by_suite
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.scoring import ScoreRequest
from counterpoint.metrics.ties import find_ties
from counterpoint.store.answers import slug as folder_of
from counterpoint.store.cache import LRUCache
from counterpoint.store.lab import LabModel, LabStore
from counterpoint.store.outcomes import tables
from counterpoint.store.outcomes.group_index import write_index
from counterpoint.store.outcomes.row_groups import read_arrow, row_group_size, write_arrow
from counterpoint.store.outcomes.tables import Metrics
from counterpoint.store.tables import repeated_columns

FORMAT = 17
"""The version of these files: those of another version are built again."""

INDEX = "index.duckdb"
"""The name of the database file."""

SMALL = 4_000_000
"""Bytes of Parquet up to which files are built within the calling process."""

BUILD_CACHE = 600_000_000
"""Bytes of tables, and again of judged outcomes, that are kept while files are built."""

_BUILDERS = 2  # threads, each of which holds the tables of one model
_OUTCOME_BYTES = 200  # of a judged row, about
_ARROW = ("answers_by_row", "credits")  # Arrow files; others are Parquet
_RANDOM_ACCESS = ("groups", "trials")  # are read a few rows at a time
_ROW_GROUP_SIZES = {"queries": 8192}  # of others than the default


class BuildStep(NamedTuple):
    """A folder that is about to be built, and how many there are in all."""

    about: str
    number: int  # from 1
    total: int

    def __str__(self) -> str:
        return f"{self.about} ({self.number:,} of {self.total:,})"


BuildCallback = Callable[[BuildStep], None]
"""Is told of each folder before it is built."""


@dataclass(frozen=True, slots=True)
class TableFolder:
    """A folder with tables: of a suite, of a model's answers, to all or to a suite, of both, of ties, of all groups."""

    path: Path
    about: str
    bytes: int  # of the files that it is built from
    write: Callable[[Path], None]  # into an existing folder
    inputs: tuple[Path, ...] = ()  # the folders that it is built from

    def file(self, table: str) -> Path:
        """Return the file of one of its tables."""
        return self.path / f"{table}.{'arrow' if table in _ARROW else 'parquet'}"

    def build(self) -> None:
        """Build it, whole or not at all; a folder that another process has built meanwhile is as good."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            draft = Path(mkdtemp(dir=self.path.parent, prefix=".draft-"))
            try:
                self.write(draft)
                with suppress(OSError):
                    draft.rename(self.path)
            finally:
                rmtree(draft, ignore_errors=True)
        except OSError as problem:
            fact = f"{self.path} cannot be written: {problem.strerror or problem}"
            hint = "check the space on that disk, or name another cache by XDG_CACHE_HOME"
            raise StoreError(fact, hint=hint) from problem
        _delete_old_versions(self.path)


@dataclass(frozen=True, slots=True)
class OutcomeFiles:
    """The folders of one version of a lab."""

    suites: Mapping[str, TableFolder]
    answers: Mapping[str, TableFolder]  # by the model's slug
    suite_answers: Mapping[tuple[str, str], TableFolder]  # by slug and suite
    outcomes: Mapping[tuple[str, str], TableFolder]  # by slug and suite
    ties: Mapping[str, TableFolder]
    all_groups: TableFolder

    @property
    def folders(self) -> tuple[TableFolder, ...]:
        """All of them, in the order in which they are built.

        Answers come model by model, as they are read once, then outcomes suite by suite, those that lack least first.
        """
        answers = [folder for slug in self.answers for folder in self._answer_folders(slug)]
        by_suite = sorted((self._suite_folders(suite) for suite in self.suites), key=lambda own: len(_missing(own)))
        ordered = (*self.suites.values(), *answers, *(folder for own in by_suite for folder in own), self.all_groups)
        return tuple({folder.path: folder for folder in ordered}.values())

    @property
    def ready_suites(self) -> tuple[str, ...]:
        """The suites whose tables are all built."""
        return tuple(suite for suite in self.suites if not _missing(self._suite_folders(suite)))

    @property
    def index(self) -> Path:
        """The database file in which groups are searched."""
        return self.all_groups.path / INDEX

    @property
    def missing(self) -> tuple[TableFolder, ...]:
        """The folders that were not built yet."""
        return _missing(self.folders)

    @property
    def missing_bytes(self) -> int:
        """The bytes that the folders which were not built yet are built from."""
        return sum(folder.bytes for folder in self.missing)

    def missing_of(self, suites: Sequence[str] | None) -> tuple[TableFolder, ...]:
        """Return the folders that some suites lack, all without names; the index belongs to whoever builds the last."""
        if suites is None:
            return self.missing
        own = (folder for suite in suites if suite in self.suites for folder in self._suite_folders(suite))
        wanted = _missing((*self.answers.values(), *own))
        left = {folder.path for folder in self.missing} - {folder.path for folder in wanted}
        return (*wanted, *_missing([self.all_groups])) if left <= {self.all_groups.path} else wanted

    def _answer_folders(self, slug: str) -> tuple[TableFolder, ...]:
        return (self.answers[slug], *(folder for (own, _), folder in self.suite_answers.items() if own == slug))

    def _suite_folders(self, suite: str) -> tuple[TableFolder, ...]:
        by_model = (*self.suite_answers.items(), *self.outcomes.items())
        return (self.suites[suite], *(folder for (_, name), folder in by_model if name == suite), self.ties[suite])

    def paths(self, table: str, *, model: str = "", suite: str = "") -> list[Path]:
        """Return the files that hold a table, or the part of it about one model or suite."""
        if table in ("groups", "bases", "queries"):
            return [folder.file(table) for name, folder in self.suites.items() if suite in ("", name)]
        if table in ("totals", "trials"):
            return [folder.file(table) for slug, folder in self.answers.items() if model in ("", slug)]
        if table == "ties":
            return [folder.file(table) for name, folder in self.ties.items() if suite in ("", name)]
        return [
            folder.file(table)
            for (slug, name), folder in (self.suite_answers if table == "answers_by_row" else self.outcomes).items()
            if model in ("", slug) and suite in ("", name)
        ]


def _missing(folders: Iterable[TableFolder]) -> tuple[TableFolder, ...]:
    return tuple(folder for folder in folders if not folder.path.is_dir())


def plan_files(
    lab: LabStore, cache: Path, models: Sequence[LabModel], metrics: Metrics, suites: Sequence[str] | None = None
) -> OutcomeFiles:
    """Return where the tables of a lab, or of some of its suites, are, or will be; nothing is built yet."""
    return _Builder(lab, cache, models, metrics).files(lab.suites() if suites is None else suites)


def build_files(
    lab: LabStore,
    cache: Path,
    models: Sequence[LabModel],
    metrics: Metrics,
    *,
    suites: Sequence[str] | None = None,
    progress: BuildCallback = lambda step: None,
    worker: Sequence[str] = (),
    small: int = SMALL,
) -> OutcomeFiles:
    """Return the files of a lab; missing ones, or those of some suites, are built first.

    Beyond `small` bytes the `worker` command builds them: it is called with the lab and the cache folder, and runs
    `serve_worker`.
    """
    files = plan_files(lab, cache, models, metrics)
    if worker and sum(folder.bytes for folder in files.missing_of(suites)) > small:
        _run_worker(worker, lab, cache, models, suites, progress)
    _build_missing(files, suites, progress)
    return files


def serve_worker(lab: LabStore, cache: Path, metrics: Metrics, reader: TextIO, writer: TextIO) -> None:
    """Build the missing files for the models and suites in a JSON object, and write progress or an error as lines."""
    request = json.load(reader)
    models = [LabModel(**model) for model in request["models"]]

    def send(**message: str | int) -> None:
        writer.write(f"{json.dumps(message)}\n")
        writer.flush()

    try:
        files = plan_files(lab, cache, models, metrics)
        _build_missing(files, request["suites"], lambda step: send(**step._asdict()))
    except CounterpointError as problem:
        send(fact=str(problem), hint=problem.hint)


def _build_missing(files: OutcomeFiles, suites: Sequence[str] | None, progress: BuildCallback) -> None:
    """Build folders side by side in their order, each after those that it reads; suites end one after the other."""
    missing, numbers, lock = files.missing_of(suites), count(1), Lock()
    ends = {folder.path for folder in (*files.ties.values(), files.all_groups)}

    def build(folder: TableFolder, before: Sequence[Future[None]]) -> None:
        for earlier in before:
            earlier.result()  # a thread is at it, or was
        with lock:
            progress(BuildStep(folder.about, next(numbers), len(missing)))
        folder.build()

    with ThreadPoolExecutor(_BUILDERS) as threads:
        builds, ended = dict[Path, Future[None]](), list[Future[None]]()
        for folder in missing:
            before = [builds[path] for path in folder.inputs if path in builds]
            builds[folder.path] = threads.submit(build, folder, before + ended[-1:] * (folder.path in ends))
            ended += [builds[folder.path]] * (folder.path in ends)
        try:
            for future in builds.values():
                future.result()
        except BaseException:
            threads.shutdown(cancel_futures=True)
            raise


def _run_worker(
    worker: Sequence[str],
    lab: LabStore,
    cache: Path,
    models: Sequence[LabModel],
    suites: Sequence[str] | None,
    progress: BuildCallback,
) -> None:
    """Build what is missing in a process of its own, and pass on the lines that it writes."""
    command = [*worker, lab.place, str(cache.resolve())]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8") as process:
        assert process.stdin, "the pipe was asked for"
        assert process.stdout, "the pipe was asked for"
        json.dump({"models": [asdict(model) for model in models], "suites": suites}, process.stdin)
        process.stdin.close()
        problem: dict[str, str] = {}
        for line in process.stdout:
            message = json.loads(line)
            problem.update(message) if "fact" in message else progress(BuildStep(**message))
    if problem:
        raise StoreError(problem["fact"], hint=problem["hint"])
    if process.returncode:
        fact = f"the outcome tables of {lab.address} were not built: the process ended with {process.returncode}"
        raise StoreError(fact, hint="is there enough memory?")


class _JudgedFolders(NamedTuple):
    """What the outcomes of a model on a suite are judged from."""

    groups: TableFolder
    answers: TableFolder
    suite_answers: TableFolder


class _Builder:
    """Plans the folders of one version of a lab, and writes their tables."""

    def __init__(self, lab: LabStore, cache: Path, models: Sequence[LabModel], metrics: Metrics) -> None:
        self._lab, self._models, self._metrics = lab, models, metrics
        self._home = cache.resolve() / "tables" / hex_id(content_id(lab.place))
        self._tables = LRUCache[Path, pa.Table](BUILD_CACHE)
        self._outcomes = LRUCache[Path, Outcomes](
            BUILD_CACHE, size=lambda outcomes: len(outcomes.base) * _OUTCOME_BYTES
        )

    def files(self, names: Sequence[str]) -> OutcomeFiles:
        """Plan all folders of some suites."""
        suites = {name: self._suite_folder(name) for name in names}
        scales = self._lab.scales()
        answers = {model.slug: self._answers_folder(model, scales.get(model.fingerprint, "")) for model in self._models}
        pairs = [(model, name) for model in self._models for name in suites]
        suite_answers = {
            (model.slug, name): self._suite_answers_folder(model, name, suites[name], answers[model.slug])
            for model, name in pairs
        }
        inputs = {key: _JudgedFolders(suites[key[1]], answers[key[0]], folder) for key, folder in suite_answers.items()}
        outcomes = {key: self._outcomes_folder(*key, own) for key, own in inputs.items()}
        ties = {
            name: self._ties_folder(
                name, folder, {slug: (inputs[slug, name], outcomes[slug, name]) for slug in answers}
            )
            for name, folder in suites.items()
        }
        return OutcomeFiles(suites, answers, suite_answers, outcomes, ties, self._index_folder(suites, outcomes))

    def _suite_folder(self, name: str) -> TableFolder:
        digest, size = self._file_digest([f"suites/{name}/"])
        write = partial(_write_tables, lambda: tables.suite_tables(self._lab.suite(name).groups))
        return TableFolder(self._home / "suites" / f"{name}-{digest}", f"reading {name}", size, write)

    def _answers_folder(self, model: LabModel, scale: str) -> TableFolder:
        folder = folder_of(model.fingerprint)
        digest, size = self._file_digest([f"answers/{folder}/", f"values/{folder}/"], [scale, model.slug])
        path = self._home / "answers" / f"{folder}-{digest}"
        write = partial(_write_tables, lambda: self._answer_tables(model, path))
        return TableFolder(path, f"reading the answers of {model.slug}", size, write)

    def _suite_answers_folder(
        self, model: LabModel, suite: str, groups: TableFolder, answers: TableFolder
    ) -> TableFolder:
        def make() -> dict[str, pa.Table]:
            rows = self._read_groups(groups)
            return {"answers_by_row": tables.answers_by_row(rows, self._read_answers(model, answers.path))}

        path = self._home / "suite_answers" / suite / f"{answers.path.name}-{_digest([groups.path.name])}"
        about = f"the answers of {model.slug} to {suite}"
        return TableFolder(path, about, 0, partial(_write_tables, make), (groups.path,))  # read with all answers

    def _outcomes_folder(self, slug: str, suite: str, judged: "_JudgedFolders") -> TableFolder:
        metrics = (f"{metric.name} {metric.version}" for metric in self._metrics)
        digest = _digest([judged.groups.path.name, *metrics])
        write = partial(_write_tables, partial(self._outcome_tables, slug, suite, judged))
        path = self._home / "outcomes" / suite / f"{judged.answers.path.name}-{digest}"
        size, inputs = sum(folder.bytes for folder in judged), tuple(folder.path for folder in judged)
        return TableFolder(path, f"{slug} on {suite}", size, write, inputs)

    def _ties_folder(
        self, suite: str, groups: TableFolder, models: Mapping[str, tuple["_JudgedFolders", TableFolder]]
    ) -> TableFolder:
        digest = _digest([f"{slug} {folder.path.name}" for slug, (_, folder) in models.items()])
        size = sum(folder.bytes for _, folder in models.values())
        write = partial(_write_tables, partial(self._ties_tables, suite, groups, models))
        read = (groups, *(folder for judged, own in models.values() for folder in (*judged, own)))
        path, inputs = self._home / "ties" / f"{suite}-{digest}", tuple(folder.path for folder in read)
        return TableFolder(path, f"comparing the models on {suite}", size, write, inputs)

    def _index_folder(
        self, suites: Mapping[str, TableFolder], outcomes: Mapping[tuple[str, str], TableFolder]
    ) -> TableFolder:
        inputs = tuple(folder.path for folder in (*suites.values(), *outcomes.values()))
        groups = {name: folder.file("groups") for name, folder in suites.items()}
        bases = [folder.file("bases") for folder in suites.values()]
        verdicts = [folder.file("verdicts") for folder in outcomes.values()]

        def write(draft: Path) -> None:
            write_index(draft / INDEX, groups, bases, verdicts, self._metrics)

        path = self._home / "all" / f"groups-{_digest([version('duckdb'), *(folder.name for folder in inputs)])}"
        return TableFolder(path, "indexing all groups", sum(folder.bytes for folder in suites.values()), write, inputs)

    def _answer_tables(self, model: LabModel, key: Path) -> dict[str, pa.Table]:
        answers = self._read_answers(model, key)
        return {"totals": tables.totals_table(model.slug, answers), "trials": tables.trials_table(model.slug, answers)}

    def _outcome_tables(self, slug: str, suite: str, judged: "_JudgedFolders") -> dict[str, pa.Table]:
        rows, answers, outcomes = self._read_groups(judged.groups), self._read_by_row(judged), self._judge(judged)
        return {
            "outcomes": tables.outcomes_table(suite, slug, rows, outcomes, answers),
            "credits": tables.credits_table(outcomes),
            "verdicts": tables.verdicts_table(suite, slug, rows, outcomes, self._metrics),
            "scores": tables.scores_table(suite, slug, outcomes, self._metrics),
        }

    def _ties_tables(
        self, suite: str, groups: TableFolder, models: Mapping[str, tuple["_JudgedFolders", TableFolder]]
    ) -> dict[str, pa.Table]:
        scores = [row for _, folder in models.values() for row in pq.read_table(folder.file("scores")).to_pylist()]

        def outcomes(slug: str) -> list[Outcomes]:
            return [self._judge(models[slug][0])]

        contents = contents_by_suite(self._read_groups(groups), "test")
        computed = ScoreRequest(candidates=self._metrics).metrics_by_suite(contents)
        return {"ties": tables.ties_table(suite, find_ties(scores, outcomes, computed.get(suite, ())))}

    def _judge(self, judged: "_JudgedFolders") -> Outcomes:
        """Judge the answers of a model to a suite, unless that was just done."""

        def make() -> Outcomes:
            rows, trials = self._read_groups(judged.groups), pq.read_table(judged.answers.file("trials"))
            return judge(rows, tables.judged_answers(rows, self._read_by_row(judged), trials))

        return self._outcomes.get_or_make(judged.suite_answers.path, make)

    def _read_groups(self, folder: TableFolder) -> pa.Table:
        return self._tables.get_or_make(folder.path, lambda: tables.read_groups(folder.file("groups")))

    def _read_by_row(self, judged: "_JudgedFolders") -> pa.Table:
        path = judged.suite_answers.file("answers_by_row")
        return self._tables.get_or_make(path, lambda: read_arrow(path))

    def _read_answers(self, model: LabModel, key: Path) -> pa.Table:
        """Read what a model answered in all trials, once for all suites, in one chunk."""

        def read() -> pa.Table:
            columns = ["query", "trial", *tables.ANSWER_COLUMNS]
            answers = self._lab.read_answers(model.fingerprint, columns, tables.ENCODED_ANSWERS)
            return tables.with_texts(answers, pa.large_string()).unify_dictionaries().combine_chunks()

        return self._tables.get_or_make(key, read)

    def _file_digest(self, folders: Iterable[str], also: Sequence[str] = ()) -> tuple[str, int]:
        """Return a digest of the names, sizes and times of the files in these folders, and their bytes."""
        storage, size = self._lab.storage, 0
        lines = [*also]
        for file in (file for folder in folders for file in storage.list_files(folder)):
            lines.append(f"{file.name} {file.size} {file.stamp}")
            size += file.size
        return _digest(lines), size


def _digest(lines: Sequence[str]) -> str:
    safe = [line.encode("utf-8", "surrogateescape").decode("latin-1") for line in lines]
    return hex_id(content_id([str(FORMAT), __version__, *safe]))


def _write_tables(make: Callable[[], Mapping[str, pa.Table]], folder: Path) -> None:
    """Write tables for random access in small row groups, and those that are scanned in large ones."""
    for name, table in make().items():
        if name in _ARROW:
            write_arrow(table, folder / f"{name}.arrow")
            continue
        rows = row_group_size(table.num_rows) if name in _RANDOM_ACCESS else _ROW_GROUP_SIZES.get(name, 122_880)
        how = {"compression": "lz4", "use_dictionary": repeated_columns(table.schema), "write_page_index": False}
        known = ["query", "row", "trial"] if name in _RANDOM_ACCESS else True  # what rows are looked for by
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=rows, write_statistics=known, **how)


def _delete_old_versions(path: Path) -> None:
    """Delete the folders of earlier versions, but for the last, which somebody may still be reading."""
    parts = path.name.split("-")
    digests = 2 if path.parent.parent.name in ("suite_answers", "outcomes") else 1  # of answers and of a suite
    prefix = f"{'-'.join(parts[:-digests]) or '-'.join(parts[:-1])}-"
    with suppress(OSError):
        versions = [
            folder
            for folder in path.parent.iterdir()
            if folder.name.startswith(prefix) and len(folder.name.split("-")) == len(parts)
        ]
        for old in sorted(versions, key=lambda folder: folder.stat().st_mtime_ns)[:-2]:
            rmtree(old, ignore_errors=True)

"""What became of every answer of a lab, as Parquet files in the user's cache, so that no page ever judges a suite.

Files are made at the first use, one after the other; of a large lab in a process of its own, whose memory goes with it.
A folder of files is there whole or not at all, and its name says from what it was made. Everything here can be deleted
at any time.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from counterpoint._version import __version__
from counterpoint.core.errors import CounterpointError, StoreError
from counterpoint.core.ids import content_id, hex_id
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.ties import find_ties
from counterpoint.store.answers import slug as folder_of
from counterpoint.store.cache import Recent
from counterpoint.store.lab import LabStore
from counterpoint.store.outcomes import tables
from counterpoint.store.outcomes.group_index import write_index
from counterpoint.store.outcomes.row_groups import length

FORMAT = 7
"""The version of these files: others are made anew."""

INDEX = "index.duckdb"
"""The name of the database file."""

SMALL = 4_000_000
"""Bytes of Parquet up to which files are made within the process that asks."""

ROOM = 600_000_000
"""Bytes of what was read, and again of what was judged, that are kept while tables are made."""

_LONG = 200  # bytes, about, of a row that was judged
_PARTED = ("groups", "said", "answers")  # are read a few rows at a time
_ROWS = {"queries": 8192}  # in each part of others

Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """A model of a lab: its name in addresses, and its fingerprint."""

    slug: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Folder:
    """Where the tables of something are: of a suite, of the answers of a model, of both, of ties, or of all."""

    path: Path
    about: str
    bytes: int  # of the files that it is made from
    write: Callable[[Path], None]  # into a folder that is there

    @property
    def there(self) -> bool:
        """Whether it was made."""
        return self.path.is_dir()

    def file(self, table: str) -> Path:
        """The file of one of its tables."""
        return self.path / f"{table}.parquet"

    def put(self) -> None:
        """Make it, whole or not at all; a folder that another process has put meanwhile is as good."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(mkdtemp(dir=self.path.parent, prefix=".draft-"))
        try:
            self.write(draft)
            with suppress(OSError):
                draft.rename(self.path)
        finally:
            rmtree(draft, ignore_errors=True)
        _swept(self.path)


@dataclass(frozen=True, slots=True)
class Files:
    """The folders of one version of a lab."""

    suites: Mapping[str, Folder]
    answers: Mapping[str, Folder]  # by the model's slug
    outcomes: Mapping[tuple[str, str], Folder]  # by slug and suite
    ties: Mapping[str, Folder]
    all: Folder

    @property
    def folders(self) -> tuple[Folder, ...]:
        """All of them, in the order in which they are made."""
        groups = (self.suites, self.answers, self.outcomes, self.ties)
        return (*(folder for group in groups for folder in group.values()), self.all)

    @property
    def index(self) -> Path:
        """The database file in which groups are searched."""
        return self.all.path / INDEX

    @property
    def large(self) -> bool:
        """Whether it takes long to make them."""
        return sum(folder.bytes for folder in (*self.suites.values(), *self.answers.values())) > SMALL

    @property
    def missing(self) -> tuple[Folder, ...]:
        """Those that were not made yet."""
        return tuple(folder for folder in self.folders if not folder.there)

    def of(self, table: str, *, model: str = "", suite: str = "") -> list[Path]:
        """The files that hold a table, of one model or suite if these are named."""
        if table in ("groups", "bases", "queries"):
            return [folder.file(table) for name, folder in self.suites.items() if suite in ("", name)]
        if table == "answers":
            return [folder.file(table) for name, folder in self.answers.items() if model in ("", name)]
        if table == "ties":
            return [folder.file(table) for name, folder in self.ties.items() if suite in ("", name)]
        chosen = (one for one in self.outcomes.items() if model in ("", one[0][0]) and suite in ("", one[0][1]))
        return [folder.file(table) for _, folder in chosen]


def files(lab: LabStore, cache: Path, models: Sequence[Asked]) -> Files:
    """Where the tables of a lab are, or will be; nothing is made yet."""
    return _Making(lab, cache, models).files()


def made(lab: LabStore, cache: Path, models: Sequence[Asked], told: Told = lambda line: None) -> Files:
    """The files of a lab, those that are missing made first; `told` hears a line about each."""
    wanted = files(lab, cache, models)
    missing = wanted.missing
    if sum(folder.bytes for folder in missing) > SMALL:
        _made_apart(lab, cache, models, told)
        missing = wanted.missing
    for number, folder in enumerate(missing, 1):
        told(f"{folder.about} ({number} of {len(missing)})")
        _kept(folder)
    return wanted


class _Making:
    """One version of a lab, with what was read and judged last."""

    def __init__(self, lab: LabStore, cache: Path, models: Sequence[Asked]) -> None:
        self._lab, self._models = lab, models
        self._home = cache.resolve() / "tables" / hex_id(content_id(str(lab.folder.resolve())))
        self._held = Recent[Path, pa.Table](lambda table: int(table.nbytes), ROOM)
        self._judged = Recent[tuple[str, str], Outcomes](lambda one: len(one.base) * _LONG, ROOM)

    def files(self) -> Files:
        """All folders."""
        suites = {name: self._suite(name) for name in self._lab.suites()}
        answers = {model.slug: self._answers(model) for model in self._models}
        outcomes = {
            (model.slug, name): self._outcomes(model.slug, name, suites[name], answers[model.slug])
            for model in self._models
            for name in suites
        }
        ties = {name: self._ties(name, outcomes) for name in suites}
        return Files(suites, answers, outcomes, ties, self._all(suites, outcomes))

    def _suite(self, name: str) -> Folder:
        key, size = self._seen([f"suites/{name}/"])
        make = partial(self._suite_tables, name)
        return Folder(self._home / "suites" / f"{name}-{key}", f"reading {name}", size, partial(_write_tables, make))

    def _answers(self, model: Asked) -> Folder:
        folder = folder_of(model.fingerprint)
        about = [self._lab.scale(model.fingerprint), model.slug]
        key, size = self._seen([f"answers/{folder}/", f"values/{folder}/"], about)
        write = partial(_write_tables, partial(self._answer_tables, model))
        return Folder(self._home / "answers" / f"{folder}-{key}", f"reading the answers of {model.slug}", size, write)

    def _outcomes(self, slug: str, suite: str, groups: Folder, answers: Folder) -> Folder:
        name = f"{answers.path.name}-{_key([groups.path.name, *(metric.name for metric in tables.sampled())])}"
        write = partial(_write_tables, partial(self._outcome_tables, slug, suite, groups, answers))
        return Folder(self._home / "outcomes" / suite / name, f"{slug} on {suite}", groups.bytes + answers.bytes, write)

    def _ties(self, suite: str, outcomes: Mapping[tuple[str, str], Folder]) -> Folder:
        own = {slug: folder for (slug, name), folder in outcomes.items() if name == suite}
        key = _key([f"{slug} {folder.path.name}" for slug, folder in own.items()])
        size = sum(folder.bytes for folder in own.values())
        write = partial(_write_tables, partial(self._ties_tables, suite, own))
        return Folder(self._home / "ties" / f"{suite}-{key}", f"comparing the models on {suite}", size, write)

    def _all(self, suites: Mapping[str, Folder], outcomes: Mapping[tuple[str, str], Folder]) -> Folder:
        made_from = [folder.path.name for folder in (*suites.values(), *outcomes.values())]
        groups = {name: folder.file("groups") for name, folder in suites.items()}
        bases = [folder.file("bases") for folder in suites.values()]
        verdicts = [folder.file("verdicts") for folder in outcomes.values()]

        def write(draft: Path) -> None:
            write_index(draft / INDEX, groups, bases, verdicts)

        path = self._home / "all" / f"groups-{_key([version('duckdb'), *made_from])}"
        return Folder(path, "listing all groups", sum(folder.bytes for folder in suites.values()), write)

    def _suite_tables(self, name: str) -> dict[str, pa.Table]:
        groups = tables.groups_table(self._lab.suite(name).groups)
        return {"groups": groups, "bases": tables.bases_table(groups), "queries": tables.queries_table(groups)}

    def _answer_tables(self, model: Asked) -> dict[str, pa.Table]:
        answers = self._lab.read_answers(model.fingerprint)
        kept = tables.answers_table(model.slug, answers)
        return {"answers": kept.replace_schema_metadata(answers.schema.metadata)}

    def _outcome_tables(self, slug: str, suite: str, groups: Folder, answers: Folder) -> dict[str, pa.Table]:
        rows, said = self._read(groups.file("groups")), self._read(answers.file("answers"))
        outcomes, plain = self._outcomes_of(slug, suite, groups, answers), tables.plain_answers(said)
        return {
            "outcomes": tables.outcomes_table(suite, slug, rows, outcomes, plain),
            "said": tables.said_table(rows, outcomes, plain),
            "verdicts": tables.verdicts_table(suite, slug, rows, outcomes),
            "scores": tables.scores_table(suite, slug, outcomes),
        }

    def _ties_tables(self, suite: str, own: Mapping[str, Folder]) -> dict[str, pa.Table]:
        scores = pa.concat_tables([pq.read_table(folder.file("scores")) for folder in own.values()]) if own else None
        groups, answers = self._suite(suite), {model.slug: self._answers(model) for model in self._models}

        def outcomes(slug: str) -> Outcomes:
            return self._outcomes_of(slug, suite, groups, answers[slug])

        found = find_ties(scores.to_pylist(), outcomes) if scores is not None else []
        return {"ties": tables.ties_table(suite, found)}

    def _outcomes_of(self, slug: str, suite: str, groups: Folder, answers: Folder) -> Outcomes:

        def judged() -> Outcomes:
            rows, said = self._read(groups.file("groups")), self._read(answers.file("answers"))
            own = said.filter(pc.is_in(said["query"], value_set=rows["query"]))
            return judge(rows, own.combine_chunks())

        return self._judged.made((slug, suite), judged)

    def _read(self, path: Path) -> pa.Table:
        """A whole file in one piece, as every piece is judged by itself."""
        return self._held.made(path, lambda: pq.read_table(path).combine_chunks())

    def _seen(self, folders: Iterable[str], also: Sequence[str] = ()) -> tuple[str, int]:
        """A word that changes with the files in these folders, and their size in bytes."""
        storage, size = self._lab.storage, 0
        lines = [*also]
        for name in (name for folder in folders for name in storage.names(folder)):
            with suppress(FileNotFoundError):  # a run may merge its parts while we look
                found = storage.path(name).stat()
                lines.append(f"{name} {found.st_size} {found.st_mtime_ns}")
                size += found.st_size
        return _key(lines), size


def _key(lines: Sequence[str]) -> str:
    safe = [line.encode("utf-8", "surrogateescape").decode("latin-1") for line in lines]
    return hex_id(content_id([str(FORMAT), __version__, *safe]))


def _write_tables(make: Callable[[], Mapping[str, pa.Table]], folder: Path) -> None:
    """Long rows in small parts, of which a page reads a few; narrow columns in large ones, which are read through."""
    for name, table in make().items():
        rows = length(table.num_rows) if name in _PARTED else _ROWS.get(name, 122_880)
        path = folder / f"{name}.parquet"
        pq.write_table(table, path, compression="lz4", row_group_size=rows, write_page_index=False)


def _kept(folder: Folder) -> None:
    try:
        folder.put()
    except OSError as problem:
        fact = f"{folder.path} cannot be written: {problem.strerror or problem}"
        raise StoreError(
            fact, hint="check the space on that disk, or name another cache by XDG_CACHE_HOME"
        ) from problem


def _swept(path: Path) -> None:
    """Delete what was made of earlier versions, but for the last, which somebody may still be reading."""
    name = path.name.rpartition("-")[0].rpartition("-")[0] if path.parent.parent.name == "outcomes" else ""
    start = f"{name or path.name.rpartition('-')[0]}-"
    length = len(path.name.split("-"))
    with suppress(OSError):
        alike = [one for one in path.parent.iterdir() if one.name.startswith(start)]
        alike = [one for one in alike if len(one.name.split("-")) == length]
        for old in sorted(alike, key=lambda one: one.stat().st_mtime_ns)[:-2]:
            rmtree(old, ignore_errors=True)


def _made_apart(lab: LabStore, cache: Path, models: Sequence[Asked], told: Told) -> None:
    """Make what is missing in a process of its own, which says what it does line by line."""
    asked = json.dumps([[model.slug, model.fingerprint] for model in models])
    words = [sys.executable, "-m", __name__, str(lab.folder.resolve()), str(cache.resolve())]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdin, "it was asked for"
        assert process.stdout, "it was asked for"
        process.stdin.write(asked)
        process.stdin.close()
        problem: dict[str, str] = {}
        for line in process.stdout:
            said = json.loads(line)
            told(said["line"]) if "line" in said else problem.update(said)
    if problem:
        raise StoreError(problem["fact"], hint=problem["hint"])
    if process.returncode:
        fact = f"the tables of {lab.folder} could not be made: the process ended with {process.returncode}"
        raise StoreError(fact, hint="is there enough memory?")


def _main(folder: str, cache: str) -> Iterator[dict[str, str]]:
    models = [Asked(*one) for one in json.load(sys.stdin)]
    missing = files(LabStore(folder), Path(cache), models).missing
    try:
        for number, one in enumerate(missing, 1):
            yield {"line": f"{one.about} ({number} of {len(missing)})"}
            _kept(one)
    except CounterpointError as problem:
        yield {"fact": str(problem), "hint": problem.hint}


if __name__ == "__main__":
    for said in _main(*sys.argv[1:]):
        sys.stdout.write(f"{json.dumps(said)}\n")
        sys.stdout.flush()

"""A lab: the folder or bucket that holds suites, answers, runs and votes; it can be copied, zipped and mailed."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pyarrow as pa

from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.core.ports import Pictures
from counterpoint.store import answers, batches, suites, values
from counterpoint.store.documents import IntegrityCheck, put_object
from counterpoint.store.folder import DRAFT_SECONDS, StorageFolder
from counterpoint.store.integrity import settle_killed_runs, verify_lab
from counterpoint.store.marker import MARKER, put_roots, read_roots, was_lab
from counterpoint.store.parts import READERS, new_run_name
from counterpoint.store.pictures import LabPictures, add_digests
from counterpoint.store.storage import FileMissing, StoredFile, is_address, join_address, open_storage
from counterpoint.store.suites import NAME, Manifest, StoredSuite
from counterpoint.store.versions import (
    BASELINES,
    ModelVersion,
    RunRecord,
    model_versions,
    put_run,
    read_baselines,
    read_run,
    run_file,
    run_files,
)


class LabStore:
    """A folder or address that is a lab, or is empty or absent and becomes one when something is put into it."""

    def __init__(self, place: Path | str) -> None:
        self.storage = open_storage(place)
        self._roots: dict[str, str] = {}
        self._is_swept = self._is_marked = False
        self._records: dict[StoredFile, RunRecord] = {}  # what was read of runs
        if self.exists:
            self._roots = read_roots(self.storage)
        elif not self.storage.is_empty():
            was = "; if it was one, counterpoint verify --repair writes the file anew" * was_lab(self.storage)
            raise StoreError(f"{self.address} is no lab: it has no {MARKER}", hint=f"name a lab, or a new folder{was}")

    @property
    def address(self) -> str:
        """Where it is: the path of a folder, or an address such as `s3://bucket/lab`."""
        return self.storage.address

    @property
    def folder(self) -> Path:
        """The folder that it is; StoreError for a lab in a bucket."""
        if not isinstance(self.storage, StorageFolder):
            raise StoreError(f"{self.address} is no folder of this machine", hint="copy the lab to a folder first")
        return self.storage.folder

    @property
    def place(self) -> str:
        """Its address, the same from every working directory."""
        return str(self.folder.resolve()) if isinstance(self.storage, StorageFolder) else self.address

    @property
    def name(self) -> str:
        """The last part of its address."""
        return self.place.rstrip("/").rpartition("/")[2] or self.place

    @property
    def exists(self) -> bool:
        """Whether it is there; a lab in a bucket is asked for until it is."""
        if isinstance(self.storage, StorageFolder) or not self._is_marked:
            self._is_marked = self.storage.has(MARKER)
        return self._is_marked

    def opened(self) -> "LabStore":
        """This lab, if there is one; for whoever wants to read."""
        if not self.exists:
            raise StoreError(f"there is no lab at {self.address}", hint="counterpoint generate or demo makes one")
        return self

    @property
    def roots(self) -> dict[str, Path | str]:
        """The folder or address of each namespace of pictures."""
        return {namespace: join_address(self.address, root) for namespace, root in self._roots.items()}

    def set_root(self, namespace: str, folder: Path | str) -> None:
        """Say where the pictures of a namespace are; kept relative if it is inside the lab, so that it travels."""
        if is_address(folder):
            open_storage(folder)  # which says if there is no such bucket
            root = str(folder).rstrip("/").removeprefix(f"{self.address}/")
        else:
            inside, home = Path(folder).resolve(), Path(self.place)
            root = inside.relative_to(home).as_posix() if inside.is_relative_to(home) else str(inside)
        before = read_roots(self.storage) if self.exists else {}  # another process may have set a root meanwhile
        self._write(before | {namespace: root})

    def pictures(self, extra: Mapping[str, Pictures] | None = None) -> LabPictures:
        """Pictures by namespace; `extra` draws those that are no files, such as the world's."""
        return LabPictures(self.roots, extra or {})

    def with_digests(self, queries: pa.Table, pictures: LabPictures) -> pa.Table:
        """The queries with the digest of each picture's file; files that have not changed are not read again."""
        self._mark()
        return add_digests(queries, pictures, self.storage)

    def suites(self) -> list[str]:
        """The names of all suites."""
        return suites.suite_names(self.storage)

    def manifest(self, name: str) -> Manifest:
        """How a suite was made."""
        return suites.read_manifest(self.storage, self._suite(name))

    def suite(self, name: str) -> StoredSuite:
        """A suite with its groups."""
        return suites.read_suite(self.storage, self._suite(name))

    def put_suite(self, manifest: Manifest, table: pa.Table, *, replace: bool = False) -> None:
        """Add a suite. One of the same name that differs is kept, and an error says so, unless it is to be replaced."""
        if not NAME.fullmatch(manifest.suite):
            raise StoreError(f"{manifest.suite!r} cannot be a suite's name", hint="use letters, digits, dots, dashes")
        folder = f"suites/{manifest.suite}"
        before = None if replace else suites.find_manifest(self.storage, folder)
        if before is not None and before.fingerprint != manifest.fingerprint:
            fact = f"{self.address} has another suite {manifest.suite!r} already, made with seed {before.seed}"
            raise StoreError(
                fact,
                hint="--name stores the new one under another name, --replace replaces it; answers are kept either way",
            )
        self._mark()
        suites.put_suite(self.storage, folder, manifest, table)

    def answers(
        self, fingerprint: str, *, run: str = "", waiting: Callable[[str], None] = lambda holder: None, worker: int = 0
    ) -> answers.AnswerLog:
        """The log of a model, to ask what is missing and to add to; `waiting` is told who else is writing to it."""
        self._mark()
        return answers.AnswerLog(self.storage, fingerprint, run=run, waiting=waiting, worker=worker)

    def missing_answers(self, fingerprint: str, plan: pa.Table) -> pa.Table:
        """The rows of a plan (query, trial, digest) without a settled answer of a model; nothing waits for a run."""
        return answers.missing_answers(self.storage, fingerprint, plan)

    def batches(self, fingerprint: str) -> batches.StoredBatches:
        """The batches of a model that a server works on, or whose answers are not stored yet."""
        return batches.StoredBatches(self.storage, fingerprint)

    def adopt_answers(self, fingerprint: str, former: Sequence[str], run: str) -> tuple[str, ...]:
        """Copy answers that are kept under former fingerprints of a model to its own folder, once.

        Returns the former fingerprints that the lab knows. The old answers stay where they are.
        """
        known = {record.fingerprint for record in self.runs()}
        adopted = tuple(old for old in former if old in known and old != fingerprint)
        done = {old for record in self.runs() for old in record.details.get("former_fingerprints", ())}
        for part, old in enumerate(adopted):
            if old not in done:
                answers.copy_answers(self.storage, old, fingerprint, run, part)
        return adopted

    def read_answers(
        self, fingerprint: str, columns: Sequence[str] | None = None, encoded: Sequence[str] = ()
    ) -> pa.Table:
        """What a model said, once per query and trial: the last settled answer, a failed one only if nothing else.

        Where another rule was used to score again, value, rule and state are those that it gave. The metadata of the
        table say on which `scale` the scores are, where that is known. `encoded` columns may be dictionaries.
        """
        table = values.read_answers(self.storage, fingerprint, columns, encoded)
        return table.replace_schema_metadata((table.schema.metadata or {}) | {"scale": self.scale(fingerprint)})

    def scale(self, fingerprint: str) -> str:
        """What the scores of a model are, or nothing."""
        return self.scales().get(fingerprint, "")

    def scales(self) -> dict[str, str]:
        """What the scores of each model are, as its latest run that says so has it; labs of old do not say it."""
        return {info.fingerprint: str(info.details["scale"]) for info in self.runs() if info.details.get("scale")}

    def new_run(self, now: datetime | None = None) -> str:
        """A name for a run that sorts after those of all runs before."""
        return new_run_name(now, (Path(name).stem for name in run_files(self.storage)))

    def put_run(self, info: RunRecord) -> None:
        """Keep what is known of a run; put again, it replaces what was known."""
        assert NAME.fullmatch(info.run), f"{info.run!r} cannot be a run's name"
        self._mark()
        put_run(self.storage, info)

    def delete_run(self, run: str) -> None:
        """Forget a run that stored nothing."""
        self.storage.delete(run_file(run))

    def settle_killed_runs(self, fingerprint: str, run: str) -> None:
        """Say of other runs of a model that were killed that they were, while `run` holds the log of its answers."""
        settle_killed_runs(self.storage, fingerprint, run)

    def runs(self) -> list[RunRecord]:
        """All runs, the oldest first; in a bucket, a record is read again only if it has changed."""
        files = [file for file in self.storage.list_files("runs/") if file.name.endswith(".json")]
        if isinstance(self.storage, StorageFolder):  # where a file may change twice within the grain of its clock
            return [read_run(self.storage, file.name) for file in files]
        new = [file for file in files if file not in self._records]
        with ThreadPoolExecutor(READERS) as threads:
            read = threads.map(lambda file: read_run(self.storage, file.name), new)
            self._records |= dict(zip(new, read, strict=True))
        return [self._records[file] for file in files]

    def versions(self) -> tuple[ModelVersion, ...]:
        """Every version of every model that was asked, by name and in the order of its versions."""
        return model_versions(self.runs(), self._baselines().values())

    def set_baseline(self, version: ModelVersion) -> None:
        """Mark a version as the baseline of its model, in the place of another one."""
        put_object(self.storage, BASELINES, self._baselines() | {version.name: version.fingerprint})

    def _baselines(self) -> dict[str, str]:
        """The fingerprints of the baselines, by model."""
        try:
            return read_baselines(self.storage)
        except FileMissing:
            return {}

    def verify(self) -> Iterator[IntegrityCheck]:
        """Whether every suite, answer and record is what was written, and every other file can be read."""
        return verify_lab(self.storage)

    def _suite(self, name: str) -> str:
        if name not in (known := self.opened().suites()):
            raise UnknownName("suite of this lab", name, known)
        return f"suites/{name}"

    def _mark(self) -> None:
        """Make the folder a lab before the first thing is put into it, and remove what killed writers left there."""
        if not self.exists:
            self._write(self._roots)
        if not self._is_swept:
            self._is_swept = True
            for folder in ("", "runs", "reviews", "voters", *(f"suites/{name}" for name in self.suites())):
                self.storage.sweep(folder, DRAFT_SECONDS)

    def _write(self, roots: Mapping[str, str]) -> None:
        self._roots = dict(sorted(roots.items()))
        put_roots(self.storage, self._roots)


def integrity_checks(place: Path | str) -> Iterator[IntegrityCheck]:
    """The checks of a lab, or of the folder of one suite."""
    storage = open_storage(place)
    if storage.has(suites.MANIFEST) or storage.has(suites.TABLE):
        home, _, name = (str(place) if is_address(place) else Path(place).resolve().as_posix()).rpartition("/")
        return suites.verify(open_storage(home or "/"), name)
    if not storage.has(MARKER) and not was_lab(storage):
        LabStore(place).opened()
    return verify_lab(storage)


@dataclass(frozen=True, slots=True)
class LabModel:
    """A version of a model in a lab: its display name, slug, fingerprint, a remark about it, and when it was run."""

    name: str
    slug: str
    fingerprint: str
    detail: str = ""
    dates: str = ""  # as `ModelVersion.dates_text`
    last_date: str = ""


def list_models(lab: LabStore) -> tuple[LabModel, ...]:
    """Return every version of every model of a lab, in the order of the lab; no two have the same slug."""
    models: dict[str, LabModel] = {}
    for version in lab.versions():
        slug = _model_slug(version.title, models)
        share = version.details.get("disagreement")  # measured by some runs
        remark = f"{share:.1%} of answers change with the batch" if share else ""
        models[slug] = LabModel(version.title, slug, version.fingerprint, remark, version.dates_text, version.last_date)
    return tuple(models.values())


def _model_slug(title: str, taken: Collection[str]) -> str:
    """Return a title in characters that are fit for an address, and without the ending of one; none that is taken.

    >>> _model_slug("org/vlm 7b", []), _model_slug("results.json", []), _model_slug("x/", ["x", "x-2"])
    ('org-vlm-7b', 'results-json', 'x-3')
    """
    name = re.sub(r"[^A-Za-z0-9._@-]+", "-", title).strip("-.") or "model"
    name = re.sub(r"\.(?=(json|svg)$)", "-", name)
    slug, number = name, len(taken)
    while slug in taken:
        slug, number = f"{name}-{number}", number + 1
    return slug

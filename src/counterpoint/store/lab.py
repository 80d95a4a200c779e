"""A lab: the folder that holds suites, answers, runs and votes; it can be copied, zipped and mailed."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa

from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.core.groups import State
from counterpoint.core.ports import Pictures
from counterpoint.store import answers, batches, suites, values, votes
from counterpoint.store.folder import (
    FileMissing,
    IntegrityCheck,
    StorageFolder,
    check_readable,
    put_object,
    read_object,
)
from counterpoint.store.pictures import TABLE as PICTURES
from counterpoint.store.pictures import LabPictures, add_digests
from counterpoint.store.suites import Manifest, StoredSuite
from counterpoint.store.tables import read_parquet
from counterpoint.store.versions import ModelVersion, RunRecord, model_versions

MARKER = "counterpoint-lab.json"
VERSION = 1
_BASELINES = "baselines.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class LabStore:
    """A folder that is a lab, or is empty or absent and becomes one when something is put into it."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.storage = StorageFolder(self.folder)
        self._roots: dict[str, str] = {}
        if self.exists:
            self._roots = self._read()
        elif self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
            raise StoreError(f"{self.folder} is no lab: it has no {MARKER}", hint="name a lab, or a new folder")

    @property
    def exists(self) -> bool:
        """Whether it is on disk."""
        return (self.folder / MARKER).is_file()

    def opened(self) -> "LabStore":
        """This lab, if there is one; for whoever wants to read."""
        if not self.exists:
            raise StoreError(f"there is no lab at {self.folder}", hint="counterpoint generate or demo makes one")
        return self

    @property
    def roots(self) -> dict[str, Path]:
        """The folder of each namespace of pictures."""
        return {namespace: self.folder / root for namespace, root in self._roots.items()}

    def set_root(self, namespace: str, folder: Path | str) -> None:
        """Say where the pictures of a namespace are; kept relative if it is inside the lab, so that it travels."""
        inside = Path(folder).resolve()
        home = self.folder.resolve()
        root = inside.relative_to(home).as_posix() if inside.is_relative_to(home) else str(inside)
        self._write(self._roots | {namespace: root})

    def pictures(self, extra: Mapping[str, Pictures] | None = None) -> LabPictures:
        """Pictures by namespace; `extra` draws those that are no files, such as the world's."""
        return LabPictures(self.roots, extra or {})

    def with_digests(self, queries: pa.Table, pictures: LabPictures) -> pa.Table:
        """The queries with the digest of each picture's file; files that have not changed are not read again."""
        self._mark()
        return add_digests(queries, pictures, self.storage)

    def suites(self) -> list[str]:
        """The names of all suites."""
        names = (name.split("/") for name in self.storage.names("suites/"))
        return sorted({parts[1] for parts in names if parts[2:] in ([suites.TABLE], [suites.MANIFEST])})

    def manifest(self, name: str) -> Manifest:
        """How a suite was made."""
        return suites.read_manifest(self.storage, self._suite(name))

    def suite(self, name: str) -> StoredSuite:
        """A suite with its groups."""
        return suites.read_suite(self.storage, self._suite(name))

    def put_suite(self, manifest: Manifest, table: pa.Table, *, replace: bool = False) -> None:
        """Add a suite. One of the same name that differs is kept, and an error says so, unless it is to be replaced."""
        if not _NAME.fullmatch(manifest.suite):
            raise StoreError(f"{manifest.suite!r} cannot be a suite's name", hint="use letters, digits, dots, dashes")
        if not replace and manifest.suite in self.suites():
            before = self.manifest(manifest.suite)
            if before.fingerprint != manifest.fingerprint:
                fact = f"{self.folder} has another suite {manifest.suite!r} already, made with seed {before.seed}"
                raise StoreError(fact, hint="replace it, or use another lab; its answers are kept either way")
        self._mark()
        suites.put_suite(self.storage, f"suites/{manifest.suite}", manifest, table)

    def answers(
        self, fingerprint: str, *, run: str = "", waiting: Callable[[str], None] = lambda holder: None
    ) -> answers.AnswerLog:
        """The log of a model, to ask what is missing and to add to; `waiting` is told who else is writing to it."""
        self._mark()
        return answers.AnswerLog(self.storage, fingerprint, run=run, waiting=waiting)

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
        for old in adopted:
            if old not in done:
                answers.copy_answers(self.storage, old, fingerprint, run)
        return adopted

    def read_answers(self, fingerprint: str, columns: Sequence[str] | None = None) -> pa.Table:
        """What a model said, once per query and trial: the last settled answer, a failed one only if nothing else.

        Where another rule was used to score again, value, rule and state are those that it gave. The metadata of the
        table say on which `scale` the scores are, where that is known.
        """
        table = values.read_answers(self.storage, fingerprint, columns)
        return table.replace_schema_metadata((table.schema.metadata or {}) | {"scale": self.scale(fingerprint)})

    def scale(self, fingerprint: str) -> str:
        """What the scores of a model are, as the latest run that says so has it; labs of old do not say it."""
        scales = (
            str(info.details.get("scale") or "") for info in reversed(self.runs()) if info.fingerprint == fingerprint
        )
        return next(filter(None, scales), "")

    def put_run(self, info: RunRecord) -> None:
        """Keep what is known of a run; put again, it replaces what was known."""
        assert _NAME.fullmatch(info.run), f"{info.run!r} cannot be a run's name"
        self._mark()
        put_object(self.storage, f"runs/{info.run}.json", asdict(info))

    def runs(self) -> list[RunRecord]:
        """All runs, the oldest first."""
        return [self._run(name) for name in self._run_files()]

    def versions(self) -> tuple[ModelVersion, ...]:
        """Every version of every model that was asked, by name and in the order of its versions."""
        return model_versions(self.runs(), self._baselines().values())

    def set_baseline(self, version: ModelVersion) -> None:
        """Mark a version as the baseline of its model, in the place of another one."""
        put_object(self.storage, _BASELINES, self._baselines() | {version.name: version.fingerprint})

    def _baselines(self) -> dict[str, str]:
        """The fingerprints of the baselines, by model."""
        try:
            return {str(name): str(own) for name, own in read_object(self.storage, _BASELINES).items()}
        except FileMissing:
            return {}

    def models(self) -> list[RunRecord]:
        """Every model that was asked, with its latest run, by name."""
        latest = {info.fingerprint: info for info in self.runs()}
        return sorted(latest.values(), key=lambda info: (info.model, info.fingerprint))

    def verify(self) -> Iterator[IntegrityCheck]:
        """Whether every suite is what its manifest says, and every other file can be read."""
        for name in self.suites():
            yield from suites.verify(self.storage, f"suites/{name}")
        yield from answers.verify(self.storage)
        yield from answers.verify(self.storage, "values", [state for state in State if state is not State.FAILED])
        for name in self._run_files():
            yield check_readable(name, partial(self._run, name))
        for name in self.storage.names(f"{batches.FOLDER}/"):
            yield check_readable(name, partial(read_object, self.storage, name))
        yield from votes.verify(self.storage)
        if (self.folder / PICTURES).exists():
            yield check_readable(PICTURES, partial(read_parquet, self.storage, PICTURES, "pictures"))

    def _suite(self, name: str) -> str:
        if name not in (known := self.opened().suites()):
            raise UnknownName("suite of this lab", name, known)
        return f"suites/{name}"

    def _run_files(self) -> list[str]:
        return [name for name in self.storage.names("runs/") if name.endswith(".json")]

    def _run(self, name: str) -> RunRecord:
        content = {"version": ""} | read_object(self.storage, name)
        kinds = {"run": str, "model": str, "fingerprint": str, "details": dict, "version": str}
        for key, kind in kinds.items():
            if not isinstance(content.get(key), kind):
                fact = f"{self.storage.path(name)}: {key} is {content.get(key)!r}"
                raise StoreError(fact, hint="restore the file from a copy, or run the model again")
        return RunRecord(**{key: content[key] for key in kinds})

    def _read(self) -> dict[str, str]:
        content = read_object(self.storage, MARKER)
        version, roots = content.get("version"), content.get("roots", {})
        if version != VERSION:
            fact = f"{self.folder / MARKER}: version {version!r} of a lab, not {VERSION}"
            raise StoreError(fact, hint="use the version of counterpoint that made it")
        if not isinstance(roots, dict) or not all(isinstance(root, str) for root in roots.values()):
            fact = f"{self.folder / MARKER}: roots is {roots!r}"
            raise StoreError(fact, hint='it looks like {"coco": "pictures/coco"}')
        return roots

    def _mark(self) -> None:
        if not self.exists:
            self._write(self._roots)

    def _write(self, roots: Mapping[str, str]) -> None:
        self._roots = dict(sorted(roots.items()))
        put_object(self.storage, MARKER, {"version": VERSION, "roots": self._roots})


def integrity_checks(folder: Path) -> Iterator[IntegrityCheck]:
    """The checks of a lab, or of the folder of one suite."""
    if (folder / suites.MANIFEST).exists() or (folder / suites.TABLE).exists():
        whole = folder.resolve()
        return suites.verify(StorageFolder(whole.parent), whole.name)
    return LabStore(folder).opened().verify()


@dataclass(frozen=True, slots=True)
class LabModel:
    """A version of a model in a lab: its display name, its slug, its fingerprint, and a remark about it."""

    name: str
    slug: str
    fingerprint: str
    detail: str = ""


def list_models(lab: LabStore) -> tuple[LabModel, ...]:
    """Return every version of every model of a lab, in the order of the lab; no two have the same slug."""
    models: dict[str, LabModel] = {}
    for version in lab.versions():
        slug = re.sub(r"[^A-Za-z0-9._@-]+", "-", version.title).strip("-.") or "model"  # fit for an address
        slug = slug if slug not in models else f"{slug}-{len(models)}"
        share = version.details.get("disagreement")  # measured by some runs
        remark = f"{share:.1%} of answers change with the batch" if share else ""
        models[slug] = LabModel(version.title, slug, version.fingerprint, remark)
    return tuple(models.values())

"""Integrity of a lab: files can be read, documents have their digests, and runs have the answers that they wrote."""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from counterpoint.core.errors import StoreError
from counterpoint.core.groups import State
from counterpoint.core.quantities import counted
from counterpoint.store import answers, batches, slices, suites, votes
from counterpoint.store.documents import (
    IntegrityCheck,
    Repair,
    check_document,
    check_readable,
    is_listed,
    is_readable,
    read_object,
)
from counterpoint.store.fingerprints import RowDigest
from counterpoint.store.marker import MARKER, put_roots, read_roots
from counterpoint.store.parts import parts_by_run
from counterpoint.store.picture_digests import TABLE as PICTURES
from counterpoint.store.storage import FileMissing, Storage
from counterpoint.store.tables import read_parquet
from counterpoint.store.versions import BASELINES, RunRecord, put_run, read_baselines, read_run, run_file, run_files

REPLACE_SECONDS = 1.0
"""How long the manifest of a suite may take after its table; then its writer was killed between the two."""


def verify_lab(storage: Storage) -> Iterator[IntegrityCheck]:
    """All checks of a lab, in an order in which the repair of one does not hide another."""
    yield _verify_marker(storage)
    for name in suites.suite_names(storage):
        yield from _verify_suite(storage, f"suites/{name}")
    parts = list(answers.verify(storage))
    yield from parts
    yield from answers.verify(storage, "values", [state for state in State if state is not State.FAILED])
    records = {name: check_document(storage, name, partial(read_run, storage, name)) for name in run_files(storage)}
    yield from records.values()
    damaged = {check.place.split("/")[1] for check in parts if not check.holds}
    unread = {name.removeprefix("runs/").removesuffix(".json") for name, check in records.items() if not check.holds}
    yield from _verify_runs(
        storage, [read_run(storage, n) for n, check in records.items() if check.holds], damaged, unread
    )
    for name in [*storage.names(f"{batches.FOLDER}/"), *_other_documents(storage)]:
        check = check_document(storage, name, partial(read_object, storage, name))
        if check.holds or is_listed(storage, name):  # a batch is deleted when it is done
            yield check
    if storage.has(BASELINES):
        yield check_document(storage, BASELINES, partial(_check_baselines, storage))
    for name in storage.names(slices.FOLDER):
        yield check_document(storage, name, partial(slices.read_filter, storage, name))
    yield from votes.verify(storage)
    if storage.has(PICTURES):
        yield check_readable(PICTURES, partial(read_parquet, storage, PICTURES, "pictures"))


def _check_baselines(storage: Storage) -> None:
    """Raise where the baselines cannot be read, or name versions of which no run is there, as another document does."""
    baselines, runs = read_baselines(storage), set[str]()
    for name in run_files(storage):
        try:
            runs.add(read_run(storage, name).fingerprint)
        except StoreError:  # it may be the run that is missing, and is reported already
            return
    if unknown := [model for model, fingerprint in baselines.items() if fingerprint not in runs]:
        fact = f"{storage.describe(BASELINES)} marks versions that were not run here, of {', '.join(unknown)}"
        raise StoreError(fact, hint="mark the baselines again: counterpoint baseline LAB MODEL@TAG")


def _verify_marker(storage: Storage) -> IntegrityCheck:
    """Whether the marker is there and is what was written; one that is lost can be written anew, without roots."""
    check = check_document(storage, MARKER, partial(read_roots, storage))
    if not check.holds and not check.repair and not is_readable(storage, MARKER):
        anew = Repair(f"write {MARKER} anew, without the folders of pictures", partial(put_roots, storage, {}))
        hint = "restore the file from a copy; counterpoint pictures LAB says where pictures are"
        return replace(check, hint=hint, repair=anew)
    return check


def _verify_suite(storage: Storage, folder: str) -> list[IntegrityCheck]:
    """The checks of a suite; made again if another process replaces it meanwhile, which takes two files."""
    files = [f"{folder}/{name}" for name in (suites.TABLE, suites.MANIFEST)]
    while True:
        before = [storage.find(name) for name in files]
        checks = list(suites.verify(storage, folder))
        if all(check.holds for check in checks):
            return checks
        end = time.monotonic() + (REPLACE_SECONDS if suites.is_half_written(storage, folder) else 0.0)
        while before == [storage.find(name) for name in files]:
            if time.monotonic() >= end:
                return checks
            time.sleep(REPLACE_SECONDS / 20)


def _other_documents(storage: Storage) -> list[str]:
    """The documents beside the marker, and the probes of suites."""
    others = (name for name in storage.names() if name.endswith(".json") and name not in (MARKER, BASELINES))
    return [name for name in others if "/" not in name or (name.startswith("suites/") and name.endswith("/probe.json"))]


def _verify_runs(
    storage: Storage, records: Iterable[RunRecord], damaged: Collection[str], unread: Collection[str]
) -> Iterator[IntegrityCheck]:
    """Whether runs have the answers that they wrote, and answers the record of their run.

    Folders with `damaged` parts, and runs whose record is `unread`, are reported already.
    """
    by_folder: dict[str, list[RunRecord]] = {}
    for record in records:
        by_folder.setdefault(answers.slug(record.fingerprint), []).append(record)
    folders = {*by_folder, *(name.split("/")[1] for name in storage.names(f"{answers.FOLDER}/"))}
    for folder in sorted(folders.difference(damaged)):
        own, parts = by_folder.get(folder, []), parts_by_run(storage, f"{answers.FOLDER}/{folder}")
        known = {*unread, *(record.run for record in own)}
        for record in own:
            yield from _verify_counts(storage, record)
        if not any(record.details.get("former_fingerprints") for record in own):  # adopted answers have no run
            for run, names in sorted((run, names) for run, names in parts.items() if run not in known):
                if not storage.has(run_file(run)):  # else the run began since
                    yield _missing_record(storage, run, names, own)


def _verify_counts(storage: Storage, record: RunRecord) -> Iterator[IntegrityCheck]:
    """Whether the answers of a run are those that its record counts; a run that was killed has not counted them."""
    expected = _expected_answers(record)
    if expected is None:
        return
    found = _digest_run(storage, record)
    place, now = f"{answers.FOLDER}/{answers.slug(record.fingerprint)}", found.to_dict()
    lost = expected["rows"] - found.rows
    if lost or expected.get("digest", now["digest"]) != now["digest"]:
        fact = f"{lost:,} of the {counted(expected['rows'], 'answer')} of run {record.run} are missing"
        if lost <= 0:
            fact = f"{counted(found.rows, 'answer')} of run {record.run} are not the {expected['rows']:,} that it wrote"
        details = {**record.details, "answers": now, "answers_written": expected}
        keep = partial(put_run, storage, replace(record, details=details))
        repair = Repair(f"write into {run_file(record.run)} which answers are left", keep)
        hint = "restore the files from a copy, or run the model again, which asks what is missing"
        yield IntegrityCheck(place, "answers", False, fact, hint, repair)
    else:
        yield IntegrityCheck(place, "answers", True)


def settle_killed_runs(storage: Storage, fingerprint: str, run: str) -> None:
    """Say of runs of a model that were killed that they were, with the answers that they wrote.

    `run` is the one that holds the lock of the model's answers, so that no other one is alive.
    """
    for name in run_files(storage):
        record = read_run(storage, name)
        if record.fingerprint == fingerprint and record.details.get("state") == "running" and record.run != run:
            details = {**record.details, "state": "killed", "answers": _digest_run(storage, record).to_dict()}
            put_run(storage, replace(record, details=details))


def _digest_run(storage: Storage, record: RunRecord) -> RowDigest:
    """The answers of a run, which may merge its parts meanwhile."""
    folder = f"{answers.FOLDER}/{answers.slug(record.fingerprint)}"
    for _ in range(100):
        with suppress(FileMissing):  # merged since they were listed
            return _digest_parts(storage, parts_by_run(storage, folder).get(record.run, []))
    fact = f"the parts in {storage.describe(folder)} vanish while they are read"
    raise FileMissing(fact, hint="is another program deleting them?")


def _digest_parts(storage: Storage, parts: Iterable[str]) -> RowDigest:
    digest = RowDigest(answers.DIGESTED)
    for name in parts:
        digest.update(read_parquet(storage, name, answers.FOLDER))
    return digest


def _expected_answers(record: RunRecord) -> Mapping[str, Any] | None:
    """The rows that a run wrote, and their digest, where its release recorded it."""
    written, counts = record.details.get("answers"), record.details.get("counts")
    if isinstance(written, dict) and isinstance(written.get("rows"), int):
        return written
    asked = counts.get("asked") if isinstance(counts, dict) else None
    return {"rows": asked} if record.details.get("state") == "done" and isinstance(asked, int) else None


def _missing_record(storage: Storage, run: str, parts: list[str], others: list[RunRecord]) -> IntegrityCheck:
    written, fingerprint = RowDigest(answers.DIGESTED), ""
    for name in parts:
        rows = read_parquet(storage, name, answers.FOLDER)
        fingerprint = rows["model"][0].as_py() if rows.num_rows else fingerprint
        written.update(rows)
    name, version = (others[-1].model, others[-1].version) if others else (fingerprint, "")
    record = RunRecord(run, name, fingerprint, {"state": "restored", "answers": written.to_dict()}, version)
    repair = Repair(f"write {run_file(run)} anew, for the model {name!r}", partial(put_run, storage, record))
    rows = counted(written.rows, "answer")
    fact = f"{run_file(run)}, the record of the run that wrote {rows}, does not exist"
    hint = "restore the file from a copy; without any record of its runs, a model is not shown"
    return IntegrityCheck(run_file(run), "record", False, fact, hint, repair)

"""Import of predictions that another tool wrote: read, matched to the queries of suites, stored as answers."""

import csv
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from hashlib import blake2b, file_digest
from io import StringIO
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import CounterpointError, SourceError
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Answer, Mode, State
from counterpoint.core.ports import Scale
from counterpoint.core.quantities import counted
from counterpoint.core.spreadsheets import defuse_formula
from counterpoint.lab.matching import (
    MatchNote,
    MatchResult,
    QueryIndex,
    add_questions,
    match_predictions,
    missing_queries,
    normalize_text,
)
from counterpoint.lab.progress import ProgressCallback, ignore_progress, logger, track
from counterpoint.lab.reading_warnings import warn_about_stored_answers
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_groups
from counterpoint.language.answers.extraction import extract_value, seen_choices
from counterpoint.metrics.credit import ROUNDING
from counterpoint.sources.file_checks import refuse_pipe
from counterpoint.sources.reading.columns import ROLE_NAMES, SYNONYMS, ColumnMap
from counterpoint.sources.reading.tables import ENDINGS
from counterpoint.sources.results.formats import (
    describe_format,
    detect_format,
    read_predictions,
    read_questions,
    used_columns,
)
from counterpoint.sources.results.predictions import Prediction, PredictionStream, as_number
from counterpoint.store.answers import StoredAnswer
from counterpoint.store.lab import LabStore
from counterpoint.store.outputs import write_whole
from counterpoint.store.versions import IMPORTED, RunRecord, tag_version

_STORED = ("query", "trial", "raw", "value", "state", "score", "prompt", "offered", "digest")
_FEW, _COMPARED = 3, 2000  # answers from which on a file of right answers is suspected, and how many are compared
_LISTED = 3  # records or files of a kind that are named in the notes
_ENDINGS = (*ENDINGS, ".eval")  # of the files of a folder
_SENTENCES = {
    "odd": ("is no prediction", "are no predictions"),
    "unmatched": ("is about no query", "are about no query"),
    "ambiguous": ("is about several queries, and was skipped", "are about several queries, and were skipped"),
    "conflict": ("was there twice with different answers", "were there twice with different answers"),
}
_REPEATED = ("was there twice with the same answer", "were there twice with the same answer")


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """Which predictions are imported, as which model, and how they are read and matched."""

    files: tuple[Path, ...]  # of a folder, all that have a known ending
    name: str  # what the model is called in the lab
    version: str = ""  # the tag of its version; else today's date
    suites: tuple[str, ...] = ()  # all, where none is named
    format: str = ""  # of the files; detected where none is named
    columns: Mapping[str, str] = field(default_factory=dict)  # by role
    rule: str = "auto"  # extraction of values from replies
    by_text: bool = False  # match by text alone what has no known id and no picture
    strict: bool = False  # add nothing unless every prediction and every query is matched
    scores: str = ""  # probability or similarity, where that is known
    questions: Path | str | None = None  # the file with what the model was asked, where its answers do not say it

    def __post_init__(self) -> None:
        if not self.files:
            raise CounterpointError(
                "no file of predictions is named", hint='write import_predictions("FILE", name="…")'
            )

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the model: its name, and its version where one is given, are all that is known of it."""
        return imported_fingerprint(self.name, self.version)


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """How many answers were added, how many of these replaced another, and how many were stored before."""

    added: int = 0
    replaced: int = 0
    there: int = 0
    unparsed: int = 0  # of all in the files, by the rule


@dataclass(frozen=True, slots=True, repr=False)
class ImportReport(LabResult[dict[str, Any]]):
    """How the files were read, which records match no query, and which queries have no prediction."""

    request: ImportRequest
    lab: str
    formats: Mapping[str, str]  # by file
    descriptions: Mapping[str, Sequence[str]]  # files by their format, with the columns that were read
    matches: MatchResult
    missing: Mapping[str, Sequence[str]]  # ids of queries without a prediction, by suite
    queries: int
    counts: ImportCounts | None = None  # none where nothing matched or strictness forbade it

    @property
    def complete(self) -> bool:
        """Whether every prediction and every query was matched; a record that is no prediction does not count."""
        unmatched = (self.matches.counts[kind] for kind in ("unmatched", "ambiguous", "conflict"))
        return not any(self.missing.values()) and not any(unmatched)

    @property
    def has_records(self) -> bool:
        """Whether a record was not simply matched, or a query has no prediction."""
        return bool(self.matches.notes) or any(self.missing.values())

    def to_dict(self) -> dict[str, Any]:
        """All counts, as the run in the lab keeps them too."""
        missing = {name: len(ids) for name, ids in self.missing.items()}
        counts = {"records": self.matches.records, **self.matches.counts, "queries": self.queries}
        about = {"formats": dict(self.formats), **counts, "answered": self.matches.answered, "missing": missing}
        return about | asdict(self.counts or ImportCounts())

    def records(self) -> list[dict[str, Any]]:
        """A row for each record that was not simply matched, and for each query without a prediction."""
        missing = [
            MatchNote("missing", f"no prediction for this query of {suite}", query=own)
            for suite, ids in self.missing.items()
            for own in ids
        ]
        return [note._asdict() for note in (*self.matches.notes, *missing)]

    def notes(self) -> list[str]:
        """The sentences that a terminal shows."""
        lines = list[str]()
        for about, paths in self.descriptions.items():
            told = paths if len(paths) <= _LISTED else [f"{len(paths):,} files, {paths[0]} to {paths[-1]}"]
            lines += [f"{path}: {about}" for path in told]
        lines.append(self._result())
        for kind, sentences in _SENTENCES.items():
            lines += self._listed(kind, *sentences)
        missing = {suite: ids for suite, ids in self.missing.items() if ids and self.matches.predictions}
        if 0 < len(missing) < len(self.missing) and not self.request.suites:  # the file is about the other suites
            queries = counted(sum(map(len, missing.values())), "query")
            lines.append(f"  {queries} of {', '.join(missing)} without a prediction")
            missing = {}
        for suite, ids in missing.items():
            first = ", ".join(ids[:_LISTED]) + ", …" * (len(ids) > _LISTED)
            lines.append(f"  {counted(len(ids), 'query')} of {suite} without a prediction: {first}")
        return lines + self._listed("repeated", *_REPEATED)

    def _listed(self, kind: str, singular: str, plural: str) -> list[str]:
        """How many records are of a kind, with the first of them."""
        if not (count := self.matches.counts[kind]):
            return []
        notes = islice((note for note in self.matches.notes if note.kind == kind), _LISTED)
        lines = [f"  {count:,} of {counted(self.matches.records, 'record')} {singular if count == 1 else plural}:"]
        lines += [f"    {note.place}: {note.why}" for note in notes]
        return lines + ([f"    and {count - _LISTED:,} more"] if count > _LISTED else [])

    def _result(self) -> str:
        name, counts = self.request.name, self.counts
        notes = self.matches.notes
        if notes and not self.matches.predictions and all(note.kind == "odd" and not note.query for note in notes):
            return (
                f"{name}: nothing was added to {self.lab}; --columns id=…,answer=… says which columns hold predictions"
            )
        if counts is None and not self.matches.predictions:
            queries = counted(self.queries, "query")
            return f"{name}: nothing was added to {self.lab}, since no record is about any of {queries}"
        if counts is None:
            return f"{name}: nothing was added to {self.lab}, since not everything matches"
        added = counted(counts.added, "answer")
        replaced = f", {counts.replaced:,} in place of another one" if counts.replaced else ""
        there = f"; {counted(counts.there, verb='were')} there already" if counts.there else ""
        hold = "holds" if counts.unparsed == 1 else "hold"
        unparsed = f"; {counts.unparsed:,} {hold} no value that the rule {self.request.rule} finds"
        return f"{name}: {added} added to {self.lab}{replaced}{there}{unparsed if counts.unparsed else ''}"

    def write_notes(self, path: Path | str) -> None:
        """Write all that was not simply matched to a CSV or JSON lines file."""
        path, rows = Path(path), self.records()
        file = StringIO()
        if path.suffix in (".jsonl", ".json"):
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        else:
            table = csv.DictWriter(file, ("kind", "place", "id", "query", "why"))
            table.writeheader()
            table.writerows({key: defuse_formula(str(cell)) for key, cell in row.items()} for row in rows)
        write_whole(path, file.getvalue())


def imported_fingerprint(name: str, version: str = "") -> str:
    """The fingerprint of a model of which nothing but its name, and a version that was given, is known."""
    return f"{IMPORTED}{name}@{version}" if version else f"{IMPORTED}{name}"


def import_predictions(
    store: LabStore, request: ImportRequest, progress: ProgressCallback = ignore_progress
) -> ImportReport:
    """Read predictions, match them to queries and store those that are new as answers; the run keeps the counts."""
    now, fingerprint = datetime.now(UTC), request.fingerprint
    tag = tag_version(store.versions(), request.name, fingerprint, request.version, now.strftime("%Y-%m-%d"))
    names = list(dict.fromkeys(request.suites)) or store.suites()
    groups = load_groups(store, names)
    paths = [path for given in request.files for path in _listed_files(given)]
    files = [(path, request.format or detect_format(path), request.columns) for path in paths]
    formats = {str(path): format_ for path, format_, _ in files}
    queries = QueryIndex(groups, by_text=request.by_text)
    stream: PredictionStream = chain.from_iterable(read_predictions(*file) for file in files)
    if request.questions:
        stream = add_questions(stream, read_questions(Path(request.questions), request.columns))
    matches = match_predictions(track(stream, "reading", progress), queries)
    used = {str(file[0]): used_columns(*file) for file in files}
    descriptions = group_pairs((describe_format(formats[path], columns), path) for path, columns in used.items())
    _warn_about_gold(groups, queries, matches, {columns.get("answer", "") for columns in used.values()})
    if not request.questions:  # whose columns they may be
        _warn_about_columns(request.columns, used.values())
    if (request.scores or store.scale(fingerprint)) == Scale.PROBABILITY:
        _check_probabilities(queries, matches)
    missing = missing_queries(groups, queries, matches)
    report = ImportReport(request, store.address, formats, descriptions, matches, missing, len(queries))
    if not matches.predictions or (request.strict and not report.complete):
        return report
    run = store.new_run(now)
    busy = "answers of this model are being written by %s; waiting until that is done"
    suites = {name: store.manifest(name).fingerprint for name in names}
    record = RunRecord(run, request.name, fingerprint, {"state": "running", "suites": suites}, tag)
    with store.answers(fingerprint, run=run, waiting=partial(logger.warning, busy)) as log:
        store.settle_killed_runs(fingerprint, run)
        new, counts = _new_answers(store, request, queries, matches, progress)
        if new:
            store.put_run(record)  # or a kill would leave answers of nobody
        log.add(new)  # as one part
    report = replace(report, counts=counts)
    if counts.replaced and any(own.fingerprint == fingerprint and own.is_baseline for own in store.versions()):
        fact = "%s@%s is a baseline, and %s replaced: give new predictions a --version, to compare them with it"
        logger.warning(fact, request.name, tag, counted(counts.replaced, "answer", "were"))
    if counts.added or (request.scores and request.scores != store.scale(fingerprint)):
        details = {
            "state": "done",
            "settings": _settings(request),
            "suites": suites,
            "counts": report.to_dict(),
            "answers": log.written.to_dict(),
            "scale": request.scores or store.scale(fingerprint),
            "files": [_file_facts(Path(path), format_) for path, format_ in formats.items()],
        }
        store.put_run(replace(record, details=details))
        warn_about_stored_answers(store, fingerprint, names, groups)
    return report


def _listed_files(given: Path) -> list[Path]:
    """A file, or those of a folder, but not of its subfolders, whose endings are known; hidden ones are left out."""
    if not given.is_dir():
        return [refuse_pipe(given)]
    shown = (path for path in given.iterdir() if not path.name.startswith("."))
    files = sorted(path for path in shown if path.suffix.lower() in _ENDINGS and path.is_file())
    if not files:
        raise SourceError(f"{given} has no file with predictions", hint=f"endings that are read: {', '.join(_ENDINGS)}")
    return files


def _settings(request: ImportRequest) -> dict[str, Any]:
    """The request as the record of a run keeps it."""
    settings = asdict(request) | {"files": list(map(str, request.files)), "columns": dict(request.columns)}
    return settings | {"questions": str(request.questions or "")}


def _check_probabilities(queries: QueryIndex, matches: MatchResult) -> None:
    """Raise a SourceError where a score that is to be a probability is none."""
    modes = queries.table["mode"].to_pylist()
    given = [own for (row, _), own in matches.predictions.items() if modes[row] == Mode.SCORE]
    scores = [as_number(own.raw) if own.score is None else own.score for own in given]
    odd = [score for score in scores if score is not None and not 0 <= score <= 1 + ROUNDING]
    if odd:
        fact = (
            f"{len(odd):,} of {counted(len(scores), 'score')} lie outside 0 to 1, such as {odd[0]:g}: no probabilities"
        )
        raise SourceError(fact, hint="divide per cent by 100, or say --scores similarity")


def _warn_about_columns(given: Mapping[str, str], used: Collection[ColumnMap]) -> None:
    """Warn of a column that was named and is in no file."""
    for role, name in given.items():
        if not any(columns.get(SYNONYMS.get(role, role)) for columns in used):
            logger.warning("--columns %s=%s is not used: no file has this column", role, name)


def _warn_about_gold(groups: pa.Table, queries: QueryIndex, matches: MatchResult, columns: Collection[str]) -> None:
    """Warn where a column that may hold right answers was read, and everything in it is right."""
    suspects = sorted(name for name in columns if name.lower() in ROLE_NAMES["gold"])
    rows = list(islice(matches.predictions, _COMPARED)) if suspects else []
    if len(rows) < _FEW:
        return
    ids = pa.array([queries.ids[row] for row, _ in rows], pa.uint64())
    golds = groups["gold"].take(pc.index_in(ids, value_set=groups["query"].combine_chunks())).to_pylist()
    for key, gold in zip(rows, golds, strict=True):
        right = {normalize_text(credit["answer"]) for credit in gold or () if credit["credit"] > 0}
        if normalize_text(matches.predictions[key].raw) not in right:
            return
    fact = "all answers in the column %s are right: does it hold what is right, and not what the model answered?"
    logger.warning(f"{fact} --columns answer=… names another one", " and ".join(suspects))


def _new_answers(
    store: LabStore,
    request: ImportRequest,
    queries: QueryIndex,
    matches: MatchResult,
    progress: ProgressCallback,
) -> tuple[list[StoredAnswer], ImportCounts]:
    """The answers that are new, or differ from those that are stored; the last answer to a query counts."""
    replaced = there = unparsed = 0
    before_import = store.read_answers(request.fingerprint, _STORED)
    columns = zip(*(before_import[name].to_pylist() for name in _STORED), strict=True)
    stored = {(query, trial): tuple(answer) for query, trial, *answer in columns}
    rows = _answer_rows(store, queries, matches, request.rule)
    new = list[StoredAnswer]()
    for row in track(rows, "adding", progress, total=len(matches.predictions)):
        query, trial, answer, digest, _ = row
        unparsed += answer.state is State.UNPARSED
        if (before := stored.get((query, trial))) is not None:
            recorded = answer.prompt or None, list(answer.offered) or None
            if before == (answer.raw, answer.value, answer.state, answer.score, *recorded, digest):
                there += 1
                continue
            replaced += 1
        new.append(row)
    return new, ImportCounts(len(new), replaced, there, unparsed)


def answer_from_prediction(prediction: Prediction, text: str, choices: Sequence[str], mode: Mode, rule: str) -> Answer:
    """The answer that a prediction gives to a query: a score where it asks for one, else a value by the rule.

    Where the choices were shown in another order, the letter A means the first of that order.
    """
    if mode is Mode.SCORE:
        score = as_number(prediction.raw) if prediction.score is None else prediction.score
        return Answer(raw=prediction.raw or repr(score), rule="score", score=score)
    raw, asked, choices = prediction.raw, prediction.text, tuple(choices)
    offered = () if prediction.options == choices else prediction.options
    prompt = "" if asked == text or asked.strip() == text.strip() else asked
    value, name, state = extract_value(raw, text, seen_choices(offered, choices), mode, rule)
    return _answer(raw, value, name, state, None, prediction.top, "", None, prompt, offered)


_answer = lru_cache(1 << 12)(Answer)  # few answers are given to many questions


def _answer_rows(store: LabStore, queries: QueryIndex, matches: MatchResult, rule: str) -> Iterator[StoredAnswer]:
    keys = sorted(matches.predictions)
    rows = queries.table.take(pa.array([row for row, _ in keys], pa.int64()))
    digests = store.with_digests(rows, store.pictures())["digest"].cast(pa.string()).to_pylist()
    asked = (rows[name].to_pylist() for name in ("query", "text", "choices", "mode"))
    modes = {mode.value: mode for mode in Mode}
    for key, digest, own, text, choices, mode in zip(keys, digests, *asked, strict=True):
        answer = answer_from_prediction(matches.predictions[key], text, choices, modes[mode], rule)
        yield own, key[1], answer, digest, 0.0


def _file_facts(path: Path, format_: str) -> dict[str, Any]:
    """What the record of a run keeps of a file that was imported."""
    with path.open("rb") as file:
        digest = file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()
    return {"name": path.name, "bytes": path.stat().st_size, "digest": digest, "format": format_}

"""`counterpoint import`: predictions made elsewhere become answers in a lab, to be scored like any other."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from counterpoint.cli.progress import counted

if TYPE_CHECKING:
    from counterpoint.lab.importing import Imported
    from counterpoint.lab.matching import MatchNote, MatchResult
    from counterpoint.sources.results.predictions import PredictionStream
    from counterpoint.store.lab import LabStore

SHOWN = 3
"""How many records of a kind are named; --list names all."""
_SAID = {
    "odd": ("is no prediction", "are no predictions"),
    "unmatched": ("is about no query", "are about no query"),
    "ambiguous": ("is about several queries, and was left out", "are about several queries, and were left out"),
    "repeated": ("was there twice with the same answer", "were there twice with the same answer"),
    "conflict": ("was there twice with different answers", "were there twice with different answers"),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What is to be imported, as what, and how."""

    model: str
    files: tuple[Path, ...]
    suites: tuple[str, ...] = ()  # all, where none is named
    form: str = ""  # told by content, where none is named
    columns: Mapping[str, str] | None = None
    rule: str = "auto"
    by_text: bool = False
    strict: bool = False
    scores: str = ""  # probability or similarity, where that is said


@dataclass(frozen=True, slots=True)
class Report:
    """What came of it: how the files were read, what became of their records, which queries have no prediction."""

    formats: Mapping[str, str]
    found: "MatchResult"
    missing: Mapping[str, Sequence[str]]
    queries: int
    done: "Imported | None"  # nothing, where nothing matched or strictness forbade it

    @property
    def whole(self) -> bool:
        """Whether every prediction and every query found its like; a record that is no prediction does not count."""
        amiss = (self.found.counts[kind] for kind in ("unmatched", "ambiguous", "conflict"))
        return not any(self.missing.values()) and not any(amiss)

    def notes(self) -> Iterator["MatchNote"]:
        """Everything that is not simply matched: records first, then the queries without a prediction."""
        from counterpoint.lab.matching import MatchNote

        yield from self.found.notes
        for suite, ids in self.missing.items():
            yield from (MatchNote("missing", f"no prediction for this query of {suite}", query=one) for one in ids)


def columns(ctx: click.Context, param: click.Parameter, given: str) -> dict[str, str]:
    """Which column holds what, checked."""
    from counterpoint.sources.results.columns import ROLES

    found = {}
    for one in filter(None, given.split(",")):
        role, sign, name = one.partition("=")
        if not sign or role.strip() not in ROLES or not name.strip():
            raise click.BadParameter(f"{one!r} is no ROLE=COLUMN, where ROLE is one of {', '.join(ROLES)}")
        found[role.strip()] = name.strip()
    return found


@click.command("import")
@click.argument("lab", type=click.Path(file_okay=False, path_type=Path))
@click.argument("files", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--model", required=True, help="The name under which the answers are kept.")
@click.option("--suite", "suites", multiple=True, help="Only this suite; may be given several times.")
@click.option("--format", "form", default="", help="The layout of the files; else it is told by their content.")
@click.option("--columns", default="", callback=columns, help="Which column holds what: id=…,answer=…,picture=…")
@click.option("--rule", default="auto", show_default=True, help="How a value is taken from what was said.")
@click.option("--scores", type=click.Choice(["probability", "similarity"]), help="What the scores are.")
@click.option("--by-text", is_flag=True, help="Match by text alone what has no known id and no picture.")
@click.option("--strict", is_flag=True, help="Add nothing unless every prediction and every query is matched.")
@click.option(
    "--list", "listed", type=click.Path(dir_okay=False, path_type=Path), help="Write what is odd: CSV or JSONL."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    lab: Path,
    files: tuple[Path, ...],
    model: str,
    suites: tuple[str, ...],
    form: str,
    columns: dict[str, str],
    rule: str,
    scores: str | None,
    by_text: bool,
    strict: bool,
    listed: Path | None,
    as_json: bool,
) -> None:
    """Add predictions that another tool wrote to FILES as answers of a model; score and compare know it by name."""
    from counterpoint.store.lab import LabStore  # tables are loaded when they are needed

    settings = Settings(model, files, suites, form, columns, rule, by_text, strict, scores or "")
    report = imported(LabStore(lab).opened(), settings)
    if listed:
        _write(listed, report.notes())
    click.echo(json.dumps(_counts(report)) if as_json else "\n".join(_told(report, lab, settings, listed)))
    if report.done is None:
        raise SystemExit(1)


def imported(lab: "LabStore", settings: Settings) -> Report:
    """Read, match, and add what is new; the run keeps how that went."""
    from counterpoint.lab.importing import file_facts, imported_fingerprint, put
    from counterpoint.lab.matching import QueryIndex, match_predictions, missing_queries
    from counterpoint.lab.selection import load_groups
    from counterpoint.sources.results.formats import detect_format, read_predictions
    from counterpoint.store.answers import new_run_name
    from counterpoint.store.versions import RunRecord

    names = list(dict.fromkeys(settings.suites)) or lab.suites()
    groups = load_groups(lab, names)
    forms = {str(path): settings.form or detect_format(path) for path in settings.files}
    read: PredictionStream = chain.from_iterable(
        read_predictions(Path(path), form, settings.columns) for path, form in forms.items()
    )
    queries = QueryIndex(groups, by_text=settings.by_text)
    found = match_predictions(counted(read, "reading"), queries)
    report = Report(forms, found, missing_queries(groups, queries, found), len(queries), None)
    if not found.standing or (settings.strict and not report.whole):
        return report
    run = new_run_name()
    watch = partial(counted, doing="adding", total=len(found.standing))
    done = put(lab, settings.model, run, queries, found, rule=settings.rule, waiting=_waiting, watch=watch)
    report = Report(forms, found, report.missing, len(queries), done)
    named = imported_fingerprint(settings.model)
    if done.added or (settings.scores and settings.scores != lab.scale(named)):
        details = {
            "state": "done",
            "settings": asdict(settings) | {"files": list(forms), "columns": dict(settings.columns or {})},
            "suites": {name: lab.manifest(name).fingerprint for name in names},
            "counts": _counts(report),
            "scale": settings.scores or lab.scale(named),
            "files": [file_facts(Path(path), form) for path, form in forms.items()],
        }
        lab.put_run(RunRecord(run, settings.model, named, details))
    return report


def _counts(report: Report) -> dict[str, Any]:
    lost = {name: len(ids) for name, ids in report.missing.items()}
    done = asdict(report.done) if report.done else {"added": 0, "replaced": 0, "there": 0, "unparsed": 0}
    counts = {"records": report.found.records, **report.found.counts, "queries": report.queries}
    return {"formats": dict(report.formats), **counts, "answered": report.found.answered, "missing": lost, **done}


def _told(report: Report, lab: Path, settings: Settings, listed: Path | None) -> Iterator[str]:
    from counterpoint.sources.results.formats import describe_format

    for path, form in report.formats.items():
        yield f"{path}: {describe_format(Path(path), form, settings.columns)}"
    yield _result(report, lab, settings)
    for kind, (one, many) in _SAID.items():
        if count := report.found.counts[kind]:
            yield f"  {count:,} of {report.found.records:,} records {one if count == 1 else many}:"
            yield from _some([note for note in report.found.notes if note.kind == kind])
    if report.found.standing:
        yield from _lost(report)
    odd = any(count > SHOWN for kind, count in report.found.counts.items() if kind in _SAID) or any(
        report.missing.values()
    )
    if listed:
        yield f"  all of these are listed in {listed}"
    elif odd:
        yield "  --list FILE writes all of these to a file"


def _result(report: Report, lab: Path, settings: Settings) -> str:
    done = report.done
    if done is None and not report.found.standing:
        return (
            f"{settings.model}: nothing was added to {lab}, since no record is about any of {report.queries:,} queries"
        )
    if done is None:
        return f"{settings.model}: nothing was added to {lab}, since not everything matches"
    there = f"; {done.there:,} were there already" if done.there else ""
    replaced = f", {done.replaced:,} in place of another one" if done.replaced else ""
    unparsed = f"; {done.unparsed:,} hold no value that the rule {settings.rule} finds" if done.unparsed else ""
    added = "1 answer" if done.added == 1 else f"{done.added:,} answers"
    return f"{settings.model}: {added} added to {lab}{replaced}{there}{unparsed}"


def _some(notes: Sequence["MatchNote"]) -> Iterator[str]:
    yield from (f"    {note.place}: {note.why}" for note in notes[:SHOWN])
    if len(notes) > SHOWN:
        yield f"    and {len(notes) - SHOWN:,} more"


def _lost(report: Report) -> Iterator[str]:
    for suite, ids in report.missing.items():
        if ids:
            first = ", ".join(ids[:SHOWN]) + ", …" * (len(ids) > SHOWN)
            count = "1 query" if len(ids) == 1 else f"{len(ids):,} queries"
            yield f"  {count} of {suite} without a prediction: {first}"


def _write(path: Path, notes: Iterable["MatchNote"]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix in (".jsonl", ".json"):
            file.writelines(json.dumps(asdict(note), ensure_ascii=False) + "\n" for note in notes)
        else:
            table = csv.DictWriter(file, ("kind", "place", "id", "query", "why"))
            table.writeheader()
            table.writerows(map(asdict, notes))


def _waiting(holder: str) -> None:
    click.echo(f"answers of this model are being written by {holder}; waiting until that is done", err=True)

"""`counterpoint study blind`: how well captions and foils are told apart by models that never look."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from math import fsum
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.cli.progress import show_run, watched
from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.engine.records import describe_run
from counterpoint.engine.running import run
from counterpoint.lab.running import RunRequest, run_model
from counterpoint.lab.selection import load_answers, load_groups, select_models
from counterpoint.language.kneser_ney import ORDER
from counterpoint.models.text.ngram import CrossFittedNGrams, read_captions
from counterpoint.reports.tables import TABLE_FORMATS, ResultTable, percent
from counterpoint.store.answers import new_run_name
from counterpoint.store.groups import read_queries, unique_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import ModelVersion, RunRecord
from counterpoint.studies.blind_baselines import (
    CUE_WORDS,
    FOLDS,
    BlindFinding,
    NGramTraining,
    blind_findings,
    captions_of,
    fit_cross_validated,
    ranked_rows,
)

OWN, TOLD = "ngram", "ngram-told"
"""The names of our own model: cross-fitted, and, for comparison, told the very captions that it is asked about."""
Found = Mapping[str, Sequence[BlindFinding]]


@click.command("blind")
@click.argument("place", metavar="LAB", type=click.Path(file_okay=False, path_type=Path))
@click.option("--suite", "suites", multiple=True, help="Only this suite; may be given several times.")
@click.option(
    "--model", "models", multiple=True, default=(OWN,), show_default=True, help="Who is asked; several times."
)
@click.option("--captions", type=click.Path(path_type=Path), help="More captions for ngram: lines, or COCO's layout.")
@click.option("--order", default=ORDER, show_default=True, type=click.IntRange(1, 9), help="Words in its longest run.")
@click.option("--folds", default=FOLDS, show_default=True, type=click.IntRange(1), help="Of pictures; 1 tells it all.")
@click.option("--json", "form", flag_value="json", help="Print one JSON object.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown tables.")
@click.option("--latex", "form", flag_value="latex", help="Print LaTeX tables.")
def blind(
    place: Path,
    suites: tuple[str, ...],
    models: tuple[str, ...],
    captions: Path | None,
    order: int,
    folds: int,
    form: str | None,
) -> None:
    """Rank the captions and foils of LAB without looking, by how usual their words are.

    The model ngram learns from the captions of the suites themselves, in folds, so that the captions of a picture are
    scored by one that was told those of other pictures only. Its scores are kept in the lab as those of any model. Any
    other model that scores texts may be named: trigram, hf/gpt2.
    """
    lab = LabStore(place).opened()
    groups = chosen(lab, suites)
    found: dict[str, list[BlindFinding]] = {}
    for name in dict.fromkeys(models):
        if name == OWN:
            told = read_captions(captions) if captions else ()
            fitted = fit_cross_validated(NGramTraining(captions_of(groups), told, order, folds))
            info = put(lab, OWN if folds > 1 else TOLD, fitted, groups)
        else:
            info = known(lab, name, groups)
        found[info.name] = blind_findings(groups, load_answers(lab, info))
    if form == "json":
        click.echo(json.dumps({name: [_told(one) for one in own] for name, own in found.items()}))
        return
    write = TABLE_FORMATS[form or "plain"]
    click.echo("\n\n".join(map(write, sheets(found))))


def chosen(lab: LabStore, suites: Sequence[str]) -> pa.Table:
    """The groups of these suites, or of all, in which captions are ranked above foils."""
    groups = ranked_rows(load_groups(lab, suites))
    if not groups.num_rows:
        hint = "counterpoint generate --suite valse makes some"
        raise StoreError(f"{lab.folder} has no captions against foils", hint=hint)
    return groups


def put(lab: LabStore, name: str, model: CrossFittedNGrams, groups: pa.Table) -> ModelVersion:
    """Score what is missing, and keep it as the answers of a model."""
    info = RunRecord(new_run_name(), name, model.fingerprint)
    whole = lab.with_digests(unique_queries(groups), lab.pictures())
    with lab.answers(model.fingerprint, run=info.run) as log, watched(name) as watch:
        outcome = run(whole, model, log, read=read_queries, batch=whole.num_rows, progress=watch)
    if outcome.asked:
        settings = {"model": name, "suites": sorted(set(groups["suite"].to_pylist()))}
        prints = {suite: lab.manifest(suite).fingerprint for suite in settings["suites"]}
        details = describe_run(settings, prints, outcome, "done") | {"scale": model.scale.value}
        info = RunRecord(info.run, name, model.fingerprint, details)
        lab.put_run(info)
    return next(version for version in lab.versions() if version.fingerprint == model.fingerprint)


def known(lab: LabStore, name: str, groups: pa.Table) -> ModelVersion:
    """A model that has scored all of this in the lab, as it is; any other is asked now, if it can be."""
    try:
        found = list(select_models(lab, [name]).values())[-1]
    except (StoreError, UnknownName):
        found = None
    if found and pc.all(pc.is_in(groups["query"], value_set=load_answers(lab, found)["query"])).as_py():
        return found
    suites = tuple(dict.fromkeys(groups["suite"].to_pylist()))
    try:
        with show_run() as watch:
            report = run_model(lab, RunRequest(name, suites), watch)
            return next(model for model in lab.versions() if model.fingerprint == report.fingerprint)
    except UnknownName:
        if found is None:
            raise
        return found  # what it said was brought from elsewhere


def sheets(found: Found) -> Iterator[ResultTable]:
    """How often each model is right in each test, and the words that tell where that is not by chance."""
    rows = [row for name, own in found.items() for row in _rows(name, own)]
    title = "acc_r without looking: captions scored above their foils, per cent with 95 % intervals over pictures"
    yield ResultTable(title, ("model", "suite", "test", "acc_r", "ties", "n"), rows, names=3)
    words = [
        (
            name,
            one.suite,
            one.test,
            ", ".join(f"{w.word} {w.brings:+g} ({w.in_caption}/{w.in_foil})" for w in one.words),
        )
        for name, own in found.items()
        for one in own
        if one.biased
    ]
    if words:
        about = (
            f"The {CUE_WORDS} most telling words where the interval is clear of 50 %: pairs ranked right beyond half "
            "of those with the word on one side only (of these, in the caption/in the foil)"
        )
        yield ResultTable(about, ("model", "suite", "test", "words"), words, names=4)


def _rows(name: str, own: Sequence[BlindFinding]) -> Iterator[tuple[str, ...]]:
    for one in own:
        yield name, one.suite, one.test, percent(one.value, one.low, one.high), percent(one.ties), str(one.n)
    values = [one.value for one in own if one.value is not None]
    if len(values) > 1:
        yield name, "", "mean of these", percent(fsum(values) / len(values)), "", str(sum(one.n for one in own))


def _told(one: BlindFinding) -> dict[str, Any]:
    words = [asdict(word) | {"brings": word.brings} for word in one.words]
    return asdict(one) | {"biased": one.biased, "words": words}

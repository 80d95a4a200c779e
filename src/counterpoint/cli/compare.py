"""`counterpoint compare`: two models on the same pairs, test by test."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pyarrow as pa

from counterpoint import catalog
from counterpoint.cli.score import columns, filters
from counterpoint.core.errors import StoreError
from counterpoint.lab.selection import load_answers, load_groups, select_models
from counterpoint.metrics.comparison import TIE, compare_outcomes, compared_metrics
from counterpoint.metrics.coverage import coverage_of_outcomes
from counterpoint.metrics.metric import columns_read
from counterpoint.metrics.outcomes import STATES, Outcomes, judge
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.reports.tables import TABLE_FORMATS, ResultTable, percent
from counterpoint.store.lab import LabStore


@click.command("compare")
@click.argument("lab", type=click.Path(path_type=Path))
@click.argument("first")
@click.argument("second")
@click.option("--suite", "suites", multiple=True, help="A suite of the lab; else all.")
@click.option("--by", default="test", show_default=True, callback=columns, help="Slices: test, kind, tag:NAME, …")
@click.option("--where", multiple=True, callback=filters, help="Only what is so: kind=exist, tag:edit=blur, …")
@click.option(
    "--metric", "metrics", multiple=True, help="A metric by name, or module:object; else those that suites show."
)
@click.option("--threshold", default=0.5, show_default=True, type=click.FloatRange(0, 1), help="Credit that is right.")
@click.option("--seed", default=0, show_default=True, help="Of the resamples.")
@click.option("--coverage", is_flag=True, help="Of what one has right, what the other has right too.")
@click.option("--pairs", is_flag=True, help="Coverage over pairs, in the place of single answers.")
@click.option("--json", "form", flag_value="json", help="Print JSON, one object per row.")
@click.option("--markdown", "form", flag_value="markdown", help="Print a Markdown table.")
@click.option("--latex", "form", flag_value="latex", help="Print a LaTeX table.")
def command(
    lab: Path,
    first: str,
    second: str,
    suites: tuple[str, ...],
    by: tuple[str, ...],
    where: dict[str, str],
    metrics: tuple[str, ...],
    threshold: float,
    seed: int,
    coverage: bool,
    pairs: bool,
    form: str | None,
) -> None:
    """Whether FIRST or SECOND is better, test by test, or whether they tie."""
    named = [catalog.metric(name) for name in metrics]
    request = ScoreRequest(by, where, named, threshold, seed=seed, candidates=catalog.metrics())
    judged = both(LabStore(lab).opened(), (first, second), suites, request)
    if coverage or pairs:
        rows = coverage_of_outcomes(judged, request, pairs=pairs).to_pylist()
        shown = coverage_sheet(rows, request)
    else:
        rows = differences(judged, request)
        shown = sheet(rows, tuple(judged), request)
        shown = replace(shown, title=". ".join([shown.title, *out_of_form(judged)]))
    click.echo(json.dumps(rows) if form == "json" else TABLE_FORMATS[form or "plain"](shown))


def both(lab: LabStore, names: Sequence[str], suites: Sequence[str], request: ScoreRequest) -> dict[str, Outcomes]:
    """What became of the same queries with each of two models; of several models of one name, the latest."""
    chosen = [list(select_models(lab, [name]).items())[-1] for name in names]
    if chosen[0][1].fingerprint == chosen[1][1].fingerprint:
        raise StoreError(f"{names[0]} and {names[1]} are the same model", hint="name two that differ")
    groups = load_groups(lab, suites)
    further = columns_read(metric for own in compared_metrics(groups, request).values() for metric in own)
    return {title: judge(groups, load_answers(lab, info, further), request.threshold) for title, info in chosen}


def differences(judged: Mapping[str, Outcomes], request: ScoreRequest) -> list[dict[str, Any]]:
    """The rows that both models were asked about; the verdict names the better one."""
    (one, first), (other, second) = judged.items()
    table: pa.Table = compare_outcomes(first, second, request)
    rows = [row for row in table.to_pylist() if row["n"]]
    if not rows:
        raise StoreError(f"{one} and {other} have no answers in common", hint=_obstacle(judged, request))
    names = {"first": one, "second": other, TIE: TIE}
    both = {"models": [one, other], "states": {model: states(outcomes) for model, outcomes in judged.items()}}
    return [row | both | {"verdict": names[row["verdict"]]} for row in rows]


def _obstacle(judged: Mapping[str, Outcomes], request: ScoreRequest) -> str:
    """Why nothing can be compared: a measure does not apply to a model, or there is nothing to take it of."""
    once = replace(request, resamples=1)
    for model, outcomes in judged.items():
        for row in score_outcomes(outcomes, once).to_pylist():
            if row["reason"]:
                return f"{model} has no {row['metric']}: {row['reason']}"
    return "run both on the same suites first"


def states(outcomes: Outcomes) -> dict[str, float]:
    """The share of each state among the answers to all that the suites ask."""
    return {state: float((outcomes.state == place).mean()) for place, state in enumerate(STATES)}


def out_of_form(judged: Mapping[str, Outcomes]) -> Iterator[str]:
    """For each model what became of the queries that it has not answered in form, if there are any."""
    for model, outcomes in judged.items():
        odd = [
            f"{percent(share)} % {state}" for state, share in states(outcomes).items() if share and state != STATES[0]
        ]
        if odd:
            yield f"{model}: {', '.join(odd)}"


def sheet(rows: Sequence[dict[str, Any]], models: tuple[str, ...], request: ScoreRequest) -> ResultTable:
    """One line per test and metric: both shares, their difference, its corrected p value, the detectable effect."""
    lines = [
        (
            *(row[name] for name in request.columns),
            catalog.metric(row["metric"]).phrase,
            percent(row["first"]),
            percent(row["second"]),
            percent(row["difference"], row["low"], row["high"]),
            f"{row['holm']:.3f}" if row["holm"] >= 0.001 else "<0.001",
            row["verdict"],
            percent(row["detectable"]),
            str(row["n"]),
        )
        for row in rows
    ]
    heads = (*request.columns, "metric", *models, "difference", "p (Holm)", "better", "detectable", "n")
    title = f"{models[0]} less {models[1]}, in per cent with 95 % intervals; a tie is a difference that chance explains"
    return ResultTable(title, heads, lines, names=1 + len(request.columns))


def coverage_sheet(rows: Sequence[dict[str, Any]], request: ScoreRequest) -> ResultTable:
    """One line per test and direction."""
    lines = [
        (
            *(row[name] for name in request.columns),
            row["model"],
            row["of"],
            percent(row["value"], row["low"], row["high"]),
            str(row["n"]),
        )
        for row in rows
    ]
    title = "Of what the second model has right, what the first has right too, in per cent with 95 % intervals"
    return ResultTable(title, (*request.columns, "model", "of", "coverage", "n"), lines, names=2 + len(request.columns))

"""`counterpoint score`: how right and how consistent the models of a lab are, with intervals."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from counterpoint import catalog
from counterpoint.core.errors import StoreError
from counterpoint.lab.selection import load_answers, load_groups, select_models
from counterpoint.metrics.metric import Ability, Metric, columns_read
from counterpoint.metrics.outcomes import STATES, judge
from counterpoint.metrics.scoring import ScoreRequest, displayed_by_suite, score_outcomes
from counterpoint.reports.tables import TABLE_FORMATS, ResultTable, percent
from counterpoint.store.lab import LabStore

_THRESHOLD = "Credit that is right; the probability above which a caption is taken for right."


def columns(ctx: click.Context, param: click.Parameter, given: str) -> tuple[str, ...]:
    """The columns to slice by, checked."""
    names = tuple(name.strip() for name in given.split(",") if name.strip())
    for name in names:
        if name not in ("suite", "test", "kind", "relation") and not name.startswith("tag:"):
            raise click.BadParameter(f"{name!r} is none of suite, test, kind, relation, tag:NAME")
    return names


def filters(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> dict[str, str]:
    """What to keep, by column."""
    found = {}
    for one in given:
        name, sign, word = one.partition("=")
        if not sign:
            raise click.BadParameter(f"{one!r} is no COLUMN=VALUE")
        found[columns(ctx, param, name)[0]] = word
    return found


@click.command("score")
@click.argument("lab", type=click.Path(path_type=Path))
@click.option("--model", "models", multiple=True, help="A model that was run, by name or fingerprint; else all.")
@click.option("--suite", "suites", multiple=True, help="A suite of the lab; else all.")
@click.option("--by", default="test", show_default=True, callback=columns, help="Slices: test, kind, tag:NAME, …")
@click.option("--where", multiple=True, callback=filters, help="Only what is so: kind=exist, tag:edit=blur, …")
@click.option("--metric", "metrics", multiple=True, help="A metric by name, or module:object; else those that apply.")
@click.option("--threshold", default=0.5, show_default=True, type=click.FloatRange(0, 1), help=_THRESHOLD)
@click.option("--seed", default=0, show_default=True, help="Of the resamples.")
@click.option("--json", "form", flag_value="json", help="Print JSON, one object per score.")
@click.option("--markdown", "form", flag_value="markdown", help="Print a Markdown table.")
@click.option("--latex", "form", flag_value="latex", help="Print a LaTeX table.")
def command(
    lab: Path,
    models: tuple[str, ...],
    suites: tuple[str, ...],
    by: tuple[str, ...],
    where: dict[str, str],
    metrics: tuple[str, ...],
    threshold: float,
    seed: int,
    form: str | None,
) -> None:
    """How right and how consistent the models of LAB are, with 95 % intervals over pictures."""
    request = ScoreRequest(
        by, where, [catalog.metric(name) for name in metrics], threshold, seed=seed, candidates=catalog.metrics()
    )
    scored = scores(LabStore(lab).opened(), models, suites, request)
    if form == "json":
        click.echo(json.dumps(scored.rows))
    else:
        click.echo("\n\n".join(map(TABLE_FORMATS[form or "plain"], tables(scored, request))))


class ScoreRows(NamedTuple):
    """The scores of models as rows, and the metrics that tables show of each suite."""

    rows: list[dict[str, Any]]
    displayed: Mapping[str, tuple[Metric, ...]]


def scores(lab: LabStore, models: Sequence[str], suites: Sequence[str], request: ScoreRequest) -> ScoreRows:
    """The scores of each model, without the slices that it was never asked about."""
    chosen, groups = select_models(lab, models), load_groups(lab, suites)
    read = columns_read(metric for own in request.metrics_by_suite(groups).values() for metric in own)
    rows: list[dict[str, Any]] = []
    for title, info in chosen.items():
        table = score_outcomes(judge(groups, load_answers(lab, info, read), request.threshold), request)
        named = {"model": title, "fingerprint": info.fingerprint}
        rows += (named | row for row in table.to_pylist() if row["missing"] < 1)
    if not rows:
        fact = f"{lab.folder} has no answers of {', '.join(chosen)} to these suites, tests and slices"
        raise StoreError(fact, hint="run it on these suites first, or keep more with --by and --where")
    return ScoreRows(rows, displayed_by_suite(groups, rows, request))


def tables(scored: ScoreRows, request: ScoreRequest) -> list[ResultTable]:
    """One table for each choice of metrics, of all suites that show these."""
    suites: dict[tuple[Metric, ...], list[dict[str, Any]]] = {}
    for row in scored.rows:
        suites.setdefault(scored.displayed[row["suite"]], []).append(row)
    return [table(rows, request, metrics) for metrics, rows in suites.items()]


def table(rows: Sequence[dict[str, Any]], request: ScoreRequest, metrics: Sequence[Metric]) -> ResultTable:
    """One line per model and slice: each metric with its interval, and the states of the answers, if any is not ok."""
    slices: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    for row in rows:
        slices.setdefault((row["model"], *(row[name] for name in request.columns)), {})[row["metric"]] = row
    names = [metric.name for metric in metrics]
    states = [state for state in STATES[1:] if any(row[state] for row in rows)]
    lines = [
        (
            *name,
            *(percent(*(own.get(metric, {}).get(end) for end in ("value", "low", "high"))) for metric in names),
            str(max((row["n"] for row in own.values() if row["metric"] in names), default=0)),
            *(percent(next(iter(own.values()))[state]) for state in states),
        )
        for name, own in slices.items()
    ]
    heads = ("model", *request.columns, *(metric.phrase for metric in metrics), "n", *states)
    correct = f"a credit of at least {request.threshold:g}"
    if all(metric.needs is Ability.SCORES for metric in metrics):
        correct = f"a caption of a probability above {request.threshold:g}, and a foil of no more"
    title = f"Per cent with 95 % intervals over pictures; correct is {correct}"
    return ResultTable(". ".join([title, *lacking(rows)]), heads, lines, names=1 + len(request.columns))


def lacking(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Which metrics do not apply to which model, and why."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        if row["reason"]:
            found.setdefault((row["model"], row["reason"]), {})[row["metric"]] = None
    return [f"{model} has no {', '.join(names)}: {why}" for (model, why), names in found.items()]

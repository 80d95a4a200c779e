"""`counterpoint score`: how right and how consistent the models of a lab are, with intervals."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, StoreError
from counterpoint.lab.selection import load_answers, load_groups, select_models
from counterpoint.metrics.accuracy import ACCURACY_METRICS, Ratio
from counterpoint.metrics.bias import BIAS
from counterpoint.metrics.metric import Metric, Statistic, columns_read
from counterpoint.metrics.outcomes import STATES, judge
from counterpoint.metrics.ranking import RANKING
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.reports.tables import TABLE_FORMATS, ResultTable, percent
from counterpoint.store.lab import LabStore

FIRST = ("accuracy", "self_consistency", "comprehensive_accuracy", "all_right", "worst_case")
"""The measures that are shown where nothing has a value."""
SHOWN = (*FIRST, *(metric.name for metric in (*RANKING, *BIAS)))
"""The measures that a table shows when none is named, as far as they apply to anything in it; JSON has all."""

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
@click.option("--metric", "metrics", multiple=True, help="A measure by name, or module:object; else the usual ones.")
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
    request = ScoreRequest(by, where, measures(metrics), threshold, seed=seed)
    rows = scores(LabStore(lab).opened(), models, suites, request)
    if form == "json":
        click.echo(json.dumps(rows))
    else:
        shown = [metric.name for metric in request.metrics] or applying(rows)
        click.echo(TABLE_FORMATS[form or "plain"](sheet(rows, request, shown)))


def measures(names: Sequence[str]) -> tuple[Metric, ...]:
    """Measures by name from the catalog, or by place; none, which means the usual ones, if none is named."""
    ours = {metric.name: metric for metric in (*ACCURACY_METRICS, *RANKING, *BIAS)}
    found = [ours[name] if name in ours else catalog.find("metrics", name) for name in names]
    for name, metric in zip(names, found, strict=True):
        if not isinstance(metric, Ratio | Statistic):
            raise CounterpointError(f"{name} is no metric", hint="see how-to/add-a-metric")
    return tuple(found)


def applying(rows: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """The measures that a table shows when none is named: those that have a value somewhere."""
    have = {row["metric"] for row in rows if row["value"] is not None}
    return tuple(name for name in SHOWN if name in have) or FIRST


def scores(lab: LabStore, models: Sequence[str], suites: Sequence[str], request: ScoreRequest) -> list[dict[str, Any]]:
    """The scores of each model as rows, without the slices that it was never asked about."""
    chosen, groups = select_models(lab, models), load_groups(lab, suites)
    rows: list[dict[str, Any]] = []
    for title, info in chosen.items():
        table = score_outcomes(
            judge(groups, load_answers(lab, info, columns_read(request.metrics)), request.threshold), request
        )
        named = {"model": title, "fingerprint": info.fingerprint}
        rows += (named | row for row in table.to_pylist() if row["missing"] < 1)
    if not rows:
        names = ", ".join(chosen)
        fact = f"{lab.folder} has no answers to score: {names} was asked none of this"
        raise StoreError(fact, hint="run it on these suites first, or keep more with --by and --where")
    return rows


def sheet(rows: Sequence[dict[str, Any]], request: ScoreRequest, shown: Sequence[str]) -> ResultTable:
    """One line per model and slice: each measure with its interval, and the states of the answers, if any is odd."""
    slices: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    for row in rows:
        slices.setdefault((row["model"], *(row[name] for name in request.columns)), {})[row["metric"]] = row
    odd = [state for state in STATES[1:] if any(row[state] for row in rows)]
    lines = [
        (
            *name,
            *(percent(*(own.get(metric, {}).get(end) for end in ("value", "low", "high"))) for metric in shown),
            str(max((row["n"] for row in own.values() if row["metric"] in shown), default=0)),
            *(percent(next(iter(own.values()))[state]) for state in odd),
        )
        for name, own in slices.items()
    ]
    symbols = {metric.name for metric in RANKING}  # as papers write them
    measures_ = (name if name in symbols else name.replace("_", " ") for name in shown)
    heads = ("model", *request.columns, *measures_, "n", *odd)
    right = f"a credit of at least {request.threshold:g}"
    if set(shown) <= symbols:
        right = f"a caption of a probability above {request.threshold:g}, and a foil of no more"
    title = f"Per cent with 95 % intervals over pictures; right is {right}"
    return ResultTable(". ".join([title, *lacking(rows)]), heads, lines, names=1 + len(request.columns))


def lacking(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Which measures do not apply to which model, and why."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        if row["reason"]:
            found.setdefault((row["model"], row["reason"]), {})[row["metric"]] = None
    return [f"{model} has no {', '.join(names)}: {why}" for (model, why), names in found.items()]

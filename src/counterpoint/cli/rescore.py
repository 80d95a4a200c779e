"""`counterpoint rescore`: values taken from the answers of a lab by another rule, without asking anybody."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.answers import State
from counterpoint.core.groups import Mode
from counterpoint.lab.selection import load_groups, select_models
from counterpoint.language.answers.extraction import EXTRACTION_RULES, extract_value
from counterpoint.reports.tables import ResultTable
from counterpoint.store.groups import unique_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.values import put_values, values_table

GIVEN = "given"
"""The name under which people ask for the values that the run took."""

_SHOWN = (State.OK, State.UNPARSED, State.REFUSED)
_READ = ("query", "model", "trial", "raw", "value", "rule", "state")


def listed(ctx: click.Context, param: click.Parameter, given: bool) -> None:
    """Print the rules, and be done."""
    if given:
        wide = max(map(len, EXTRACTION_RULES))
        lines = [(name, rule.description) for name, rule in EXTRACTION_RULES.items()] + [
            (GIVEN, "what the run took: values of others go")
        ]
        click.echo("\n".join(f"{name.ljust(wide)}  {says}" for name, says in lines))
        ctx.exit()


@click.command("rescore")
@click.argument("lab", type=click.Path(path_type=Path))
@click.option(
    "--rule", required=True, type=click.Choice([*EXTRACTION_RULES, GIVEN]), help="How a value is taken from a text."
)
@click.option("--model", "models", multiple=True, help="A model that was run, by name or fingerprint; else all.")
@click.option("--suite", "suites", multiple=True, help="A suite of the lab; else all.")
@click.option("--list", is_flag=True, is_eager=True, expose_value=False, callback=listed, help="Describe the rules.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object per model.")
def command(lab: Path, rule: str, models: tuple[str, ...], suites: tuple[str, ...], as_json: bool) -> None:
    """Take values from the answers in LAB by another rule. No model is asked, and no answer is rewritten.

    Scores, comparisons, reports and pages show the new values from then on; `--rule given` goes back to what the run
    took, and `--list` describes the rules.
    """
    opened = LabStore(lab).opened()
    chosen, queries = select_models(opened, models), unique_queries(load_groups(opened, suites))
    rows = [rescored(opened, title, info.fingerprint, queries, rule) for title, info in chosen.items()]
    click.echo(json.dumps(rows) if as_json else sheet(rows, rule).plain())


def rescored(lab: LabStore, title: str, fingerprint: str, queries: pa.Table, rule: str) -> dict[str, Any]:
    """What became of a model's answers to some queries by a rule; its values are put into the lab."""
    before = _answers_to(lab, fingerprint, queries)
    values = _values(before, queries, rule) if rule != GIVEN else before.slice(0, 0)
    put_values(
        lab.storage,
        fingerprint,
        values_table(values, *(values[name].combine_chunks() for name in ("value", "rule", "state"))),
        queries["query"].combine_chunks(),
    )
    after = _answers_to(lab, fingerprint, queries)
    same = pc.and_(pc.equal(before["value"], after["value"]), pc.equal(before["state"], after["state"]))
    return {
        "model": title,
        "fingerprint": fingerprint,
        "rule": rule,
        "answers": before.num_rows,
        "changed": before.num_rows - (pc.sum(same).as_py() or 0),
        "before": _states(before),
        "after": _states(after),
    }


def sheet(rows: Sequence[Mapping[str, Any]], rule: str) -> ResultTable:
    """One line per model: how many answers it has, how many values are others now, and the states before and after."""
    lines = [
        (
            row["model"],
            f"{row['answers']:,}",
            f"{row['changed']:,}",
            *(f"{row['before'][state]:,} → {row['after'][state]:,}" for state in _SHOWN),
        )
        for row in rows
    ]
    return ResultTable(
        f"Values by the rule {rule}; states before → after", ("model", "answers", "changed", *_SHOWN), lines
    )


def _answers_to(lab: LabStore, fingerprint: str, queries: pa.Table) -> pa.Table:
    """The answers in words to these queries, without failed ones; `row` is the place of the query among them."""
    said = lab.read_answers(fingerprint, _READ)
    spoken = pc.equal(queries["mode"], Mode.ANSWER.value)
    asked = queries.select(["query"]).append_column("row", pa.array(range(queries.num_rows), pa.int64())).filter(spoken)
    found = pc.index_in(said["query"], value_set=asked["query"].combine_chunks())
    said = said.append_column("row", asked["row"].take(found))
    return said.filter(pc.and_(pc.is_valid(found), pc.not_equal(said["state"], State.FAILED.value)))


def _values(said: pa.Table, queries: pa.Table, rule: str) -> pa.Table:
    """The answers with the values that a rule takes from them."""
    texts, choices = queries["text"].to_pylist(), [tuple(offered) for offered in queries["choices"].to_pylist()]
    found = [
        extract_value(raw, texts[row], choices[row], Mode.ANSWER, rule)
        for raw, row in zip(said["raw"].to_pylist(), said["row"].to_pylist(), strict=True)
    ]
    columns = dict(zip(("value", "rule", "state"), zip(*found, strict=True), strict=True)) if found else {}
    for name, column in columns.items():
        said = said.set_column(said.column_names.index(name), name, pa.array(column, pa.string()))
    return said


def _states(said: pa.Table) -> dict[str, int]:
    counts = dict.fromkeys(map(str, _SHOWN), 0)
    return counts | {one["values"]: one["counts"] for one in pc.value_counts(said["state"]).to_pylist()}

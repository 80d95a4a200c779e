"""`counterpoint check`: which groups of a suite are valid, and why the others are not."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pyarrow as pa

from counterpoint.checks.pipeline import CheckResult, CheckSummary, apply_checks
from counterpoint.core.ids import hex_id
from counterpoint.lab.checking import kept_as, settings_given, steps_for
from counterpoint.reports.tables import TABLE_FORMATS, ResultTable
from counterpoint.store.lab import LabStore


@click.command("check")
@click.argument("lab", type=click.Path(path_type=Path))
@click.argument("suite")
@click.option("--check", "names", multiple=True, help="A check by name, or module:object; else what is usual.")
@click.option("--set", "settings", multiple=True, callback=settings_given, help="As in grammar.threshold=.9.")
@click.option("--seed", default=0, show_default=True, help="Of the luck by which balance chooses among equals.")
@click.option("--out", default="", help="Keep what is left as a suite of this name; else nothing is written.")
@click.option("--replace", is_flag=True, help="Replace a suite of that name that is in the lab and differs.")
@click.option(
    "--dropped", type=click.Path(dir_okay=False, path_type=Path), help="Write what was dropped, as JSON lines."
)
@click.option("--tests", "by_test", is_flag=True, help="Show what was done in each test.")
@click.option("--json", "form", flag_value="json", help="Print JSON, one object per check.")
@click.option("--markdown", "form", flag_value="markdown", help="Print a Markdown table.")
@click.option("--latex", "form", flag_value="latex", help="Print a LaTeX table.")
def command(
    lab: Path,
    suite: str,
    names: tuple[str, ...],
    settings: dict[str, dict[str, str]],
    seed: int,
    out: str,
    replace: bool,
    dropped: Path | None,
    by_test: bool,
    form: str | None,
) -> None:
    """Say which groups of SUITE in LAB are valid: each check keeps a group, drops it with a reason, or marks it.

    Without --check each instrument gets what it gets in VALSE. A check that is named drops, whatever the instrument:
    --set NAME.action=mark only marks, off leaves it out. They are applied in the order in which they are named.
    """
    place = LabStore(lab).opened()
    stored = place.suite(suite)
    found = apply_checks(stored.table, steps_for(names, settings, seed, stored.table))
    if dropped is not None:
        dropped.write_text("".join(f"{line}\n" for line in lost(stored.table, found)), encoding="utf-8")
    manifest = kept_as(place, stored, found, out, replace=replace) if out else None
    if form == "json":
        click.echo(
            json.dumps([effect.record | {"seconds": effect.seconds} for effect in found.summaries], ensure_ascii=False)
        )
        return
    click.echo(TABLE_FORMATS[form or "plain"](sheet(found.summaries, suite, by_test=by_test)))
    if form is None:
        for line in notes(found.summaries):
            click.echo(line)
        left = manifest.groups if manifest else int((found.table["role"].to_numpy() == 0).sum())
        end = f"are in {lab} as {out}" if manifest else "would be left; nothing was written: --out NAME keeps them"
        click.echo(f"\n{left:,} groups {end}")


def sheet(effects: Sequence[CheckSummary], suite: str, *, by_test: bool = False) -> ResultTable:
    """One line per check, in their order, and below it one for each reason and, if asked for, for each test."""
    lines: list[tuple[str, ...]] = []
    for effect in effects:
        by = f"{effect.check}, by {effect.model}" if effect.model else effect.check
        counts = (sum(effect.dropped.values()), sum(effect.marked.values()))
        lines.append((by, "", *_counts(effect.seen, effect.kept, *counts), f"{effect.seconds:.1f}"))
        reasons = dict.fromkeys([*effect.dropped, *effect.marked])
        for reason in reasons:
            hit = (effect.dropped.get(reason, 0), effect.marked.get(reason, 0))
            lines.append(("", reason, "", "", *_counts(*hit), ""))
        for test, row in effect.tests.items() if by_test else ():
            own = (row["seen"], row["seen"] - row["dropped"], row["dropped"], row["marked"])
            lines.append(("", f"in {test}", *_counts(*own), ""))
    heads = ("check", "reason", "seen", "kept", "dropped", "marked", "seconds")
    return ResultTable(f"Groups of {suite}, in the order of the checks", heads, lines, names=2)


def notes(effects: Sequence[CheckSummary]) -> Iterator[str]:
    """What the checks measured in each test."""
    for effect in effects:
        for test, numbers in effect.notes.items():
            said = ", ".join(f"{name} {_number(value)}" for name, value in numbers.items())
            yield f"{effect.check} in {test}: {said}"


def lost(table: pa.Table, found: CheckResult) -> Iterator[str]:
    """Every group that was dropped, with the check and the reason, as a line of JSON."""
    rows: dict[int, list[int]] = {loss.group: [] for loss in found.dropped}
    for row, group in enumerate(found.group.tolist()):
        if group in rows:
            rows[group].append(row)
    names = ("group_id", "test", "kind", "role", "picture", "text", "proof")
    shown = {name: table[name].to_pylist() for name in names}
    for loss in found.dropped:
        own = sorted(rows[loss.group], key=lambda row: shown["role"][row])
        base = own[0]
        about = {
            "group": hex_id(shown["group_id"][base]),
            "check": loss.check,
            "reason": loss.reason,
            **{name: shown[name][base] for name in ("test", "kind", "picture", "proof")},
            "texts": [shown["text"][row] for row in own],
        }
        yield json.dumps(about, ensure_ascii=False)


def _counts(*numbers: int) -> tuple[str, ...]:
    return tuple(f"{number:,}" if number else "–" for number in numbers)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else "–" if value != value else f"{value:.3f}"

"""`counterpoint study rad` and `rad-coverage`: what RAD foretells, and how many questions it reaches."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from counterpoint.cli.progress import counted as shown_passing
from counterpoint.lab.selection import load_answers, load_groups, select_models
from counterpoint.lab.source_items import SourceRequest, apply_rules, open_source
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.metrics.outcomes import judge
from counterpoint.reports.tables import TABLE_FORMATS, ResultTable, percent
from counterpoint.sources.dataset import Source
from counterpoint.store.lab import LabStore
from counterpoint.studies import rad_prediction as prediction
from counterpoint.studies.rad_tables import counts_text, example, read_counts

PAPER = {
    "all": (0.917, 0.117),
    "accuracy": (0.829, 0.237),
    "rad_forward": (0.899, 0.133),
    "rad_backward": (0.849, 0.213),
}
"""Table 4 of the paper: R² for 45 instances of LMH on VQA-CP."""
PAPER_COUNTS = {
    "vqa2": (214_354, {"color": 12_835, "how-many": 10_233, "what-kind": 1_654}),
    "vqa-cp": (219_928, {"color": 12_910, "how-many": 13_437, "what-kind": 1_346}),
    "visdial": (20_640, {"color": 516, "how-many": 130}),
}
"""Table 5 of the paper: questions, and how many of them each augmentation reached."""
_MEASURES = {"r2": "R²", "r2_about_zero": "R² about zero", "r2_left_out": "R² left out"}


@click.command("rad")
@click.argument("place", required=False, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--make", type=click.Path(dir_okay=False, path_type=Path), help="Train 45 instances and write their counts."
)
@click.option(
    "--items", "scenes", default=3000, show_default=True, type=click.IntRange(20), help="To train on, with --make."
)
@click.option("--tests", default=4000, show_default=True, type=click.IntRange(20), help="To be judged on, with --make.")
@click.option("--epochs", default=6, show_default=True, type=click.IntRange(1), help="Of each instance, with --make.")
@click.option("--seed", default=0, show_default=True, help="Of the world and of training, with --make.")
@click.option("--threshold", default=0.5, show_default=True, type=click.FloatRange(0, 1), help="Credit that is right.")
@click.option("--targets", is_flag=True, help="Show every regression, with its coefficients.")
@click.option("--json", "form", flag_value="json", help="Print one JSON object.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown tables.")
@click.option("--latex", "form", flag_value="latex", help="Print LaTeX tables.")
def rad(
    place: Path | None, make: Path | None, threshold: float, targets: bool, form: str | None, **training: int
) -> None:
    """Predict accuracy on an unseen augmentation from accuracy and RAD on others (Appendix E of RAD).

    PLACE is a lab in which many instances of a model answered, or a table of what they earned; without it, the worked
    example that comes with the package is taken.
    """
    counts = _counts(place, make, threshold, training)
    fits, left_out = prediction.regressions(counts)
    summaries = prediction.summaries(fits)
    if form == "json":
        found = {"threshold": threshold, "left_out": left_out, "paper": PAPER}
        found |= {"fits": [asdict(one) for one in fits], "summaries": [asdict(one) for one in summaries]}
        click.echo(json.dumps(found))
        return
    write = TABLE_FORMATS[form or "plain"]
    click.echo(write(_summed(summaries, fits, threshold)))
    if targets:
        click.echo("\n" + write(_listed(fits)))
    for target, names in left_out.items():
        if names:
            click.echo(
                f"{len(names)} instances left out for {target}: something is undefined ({names[0]}, …)", err=True
            )


def _counts(
    place: Path | None, make: Path | None, threshold: float, training: dict[str, int]
) -> list[prediction.RadCounts]:
    if make:
        from counterpoint.studies.rad_instances import Plan, instances

        plan = Plan(**training, threshold=threshold)
        counts = list(instances(plan, partial(shown_passing, doing="instances")))
        make.parent.mkdir(parents=True, exist_ok=True)
        make.write_text(counts_text(counts), encoding="utf-8")
        return counts
    if place is None:
        return example()
    if place.is_file():
        return read_counts(place, threshold)
    lab = LabStore(place).opened()
    groups = load_groups(lab, [])
    models = select_models(lab, ())
    return [
        one
        for name, info in models.items()
        for one in prediction.count_outcomes(name, judge(groups, load_answers(lab, info), threshold))
    ]


def _summed(
    summaries: Sequence[prediction.RegressionSummary], fits: Sequence[prediction.RegressionFit], threshold: float
) -> ResultTable:
    heads = ["features"]
    columns: list[tuple[bool, str]] = []
    for intercept, title in ((False, "as printed"), (True, "with intercept")):
        for measure, name in _MEASURES.items():
            if any(one.intercept is intercept and one.measure == measure for one in summaries):
                heads.append(f"{title}: {name}")
                columns.append((intercept, measure))
    known = {(one.features, one.intercept, one.measure): one for one in summaries}
    rows = [
        (
            name.replace("_", " "),
            *(_cell(known[name, *column]) for column in columns),
            "{:.3f} ± {:.3f}".format(*PAPER[name]),
        )
        for name in prediction.CHOICES
    ]
    title = (
        f"R² over {max(one.instances for one in fits)} instances, mean ± sd over {len(prediction.POOL)} targets; right "
        f"is a credit of at least {threshold:g}"
    )
    return ResultTable(title, (*heads, "Table 4, LMH"), rows)


def _listed(fits: Sequence[prediction.RegressionFit]) -> ResultTable:
    rows = [
        (
            one.target,
            one.features.replace("_", " "),
            "yes" if one.intercept else "no",
            ", ".join(f"{value:.3f}" for value in one.coefficients),
            *(_number(value) for value in (one.r2, one.r2_about_zero, one.r2_left_out)),
        )
        for one in fits
    ]
    heads = ("target", "features", "intercept", "coefficients", *_MEASURES.values())
    return ResultTable("Every regression", heads, rows, names=3)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _cell(one: prediction.RegressionSummary) -> str:
    return _number(one.mean) if one.sd is None else f"{_number(one.mean)} ± {one.sd:.3f}"


@click.command("rad-coverage")
@click.option("--source", default="world-vqa", show_default=True, help="A source of questions or of dialogues.")
@click.option("--split", default="test", show_default=True, help="Which part of the source.")
@click.option("--data", type=click.Path(exists=True, path_type=Path), help="Where the files of the source are.")
@click.option(
    "--items",
    "scenes",
    default=1000,
    show_default=True,
    type=click.IntRange(1),
    help="Of a world; files are read whole.",
)
@click.option(
    "--dialogues", is_flag=True, help="Turns of dialogues in the place of questions, where a source has both."
)
@click.option("--seed", default=0, show_default=True, help="Another seed asks for other values.")
@click.option("--json", "form", flag_value="json", help="Print one JSON object.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown tables.")
@click.option("--latex", "form", flag_value="latex", help="Print LaTeX tables.")
def coverage(
    source: str, split: str, data: Path | None, scenes: int, dialogues: bool, seed: int, form: str | None
) -> None:
    """How many questions of a source have a counterfactual, and why others have none, beside Table 5 of RAD."""
    opening = open_source(SourceRequest(source, data, split, scenes, seed), whole=True)
    talks = dialogues or (isinstance(opening, Source) and "questions" not in opening.dataset.read)
    found = {"source": source, **_covered(opening, seed, talks=talks)}
    found["paper"] = PAPER_COUNTS["visdial" if talks else "vqa-cp" if source == "vqa-cp" else "vqa2"]
    if form == "json":
        click.echo(json.dumps(found))
        return
    write = TABLE_FORMATS[form or "plain"]
    click.echo(write(_reached(found)))
    if found["dropped"]:
        rows = [
            (name, reason, str(count))
            for name, reasons in found["dropped"].items()
            for reason, count in reasons.items()
        ]
        click.echo("\n" + write(ResultTable("Left out", ("augmentation", "because", "questions"), rows, names=2)))


def _covered(opening: Any, seed: int, *, talks: bool) -> dict[str, Any]:
    from counterpoint.suites.rad import counterfactuals, dialogues
    from counterpoint.suites.suite import Tally, generate

    suite = dialogues.open_suite if talks else counterfactuals.suite
    rules = rule_set("vqa")
    items = [apply_rules(item, rules) for item in shown_passing(getattr(opening, suite.takes)(), doing="reading")]
    tally, answers = Tally(), Counter[tuple[str, str]]()
    for _, group in generate(suite, items, seed, tally=tally):
        gold = group.gold[1]
        answers[group.kind, gold.best if gold else ""] += 1
    total = sum(len(item.turns) if talks else 1 for item in items)
    dropped: dict[str, dict[str, int]] = {}
    for (kind, reason), count in sorted(tally.dropped.items()):
        dropped.setdefault(kind, {})[reason] = count
    names = [one.name for one in counterfactuals.AUGMENTATIONS][: 2 if talks else 3]
    made = {name: {answer: answers[name, answer] for answer in ("yes", "no")} for name in names}
    return {"questions": total, "made": made, "dropped": dropped}


def _reached(found: dict[str, Any]) -> ResultTable:
    total, (theirs, counts) = found["questions"], found["paper"]
    rows = []
    for name, made in found["made"].items():
        lost = sum(found["dropped"].get(name, {}).values())
        count = sum(made.values())
        numbers = (count + lost, count, made["yes"], made["no"])
        share = percent(count / total if total else None)
        rows.append((name, *(f"{n:,}" for n in numbers), share, f"{counts[name]:,}", percent(counts[name] / theirs)))
    heads = ("augmentation", "of the sort", "made", "yes", "no", "per cent", "Table 5", "per cent there")
    return ResultTable(f"{total:,} questions of {found['source']}; the paper had {theirs:,}", heads, rows)

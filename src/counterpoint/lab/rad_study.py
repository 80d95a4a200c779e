"""RAD studies: accuracy on an unseen augmentation predicted by regression, and the coverage of augmentations."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterpoint.core.quantities import counted
from counterpoint.lab.progress import ProgressCallback, ignore_progress, track
from counterpoint.lab.results import LabResult, to_plain
from counterpoint.lab.selection import load_answers, load_groups, select_models
from counterpoint.lab.source_items import SourceRequest, apply_rules, load_source
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.metrics.outcomes import judge
from counterpoint.reports.papers.rad import published_counts
from counterpoint.reports.tables import ResultTable, percent
from counterpoint.sources.dataset import Source
from counterpoint.store.lab import LabStore
from counterpoint.store.storage import is_address
from counterpoint.studies.rad_prediction import (
    CHOICES,
    POOL,
    RadCounts,
    RegressionFit,
    RegressionSummary,
    count_outcomes,
    example,
    read_counts,
    regressions,
    summaries,
)
from counterpoint.suites.rad import counterfactuals
from counterpoint.suites.rad.dialogues import open_suite
from counterpoint.suites.suite import Tally, generate_groups

PAPER_R2 = {
    "all": (0.917, 0.117),
    "accuracy": (0.829, 0.237),
    "rad_forward": (0.899, 0.133),
    "rad_backward": (0.849, 0.213),
}
"""Table 4 of the paper: R² for 45 instances of LMH on VQA-CP, mean and standard deviation."""
_R2 = {"r2": "R²", "r2_about_zero": "R² about zero", "r2_left_out": "leave-one-out R²"}


@dataclass(frozen=True, slots=True, repr=False)
class RadStudy(LabResult[RegressionFit], rows="fits"):
    """Every regression, its summary over targets, and the instances that were left out."""

    threshold: float
    fits: tuple[RegressionFit, ...]
    summaries: tuple[RegressionSummary, ...]
    left_out: Mapping[str, Sequence[str]]  # instances for which a feature is undefined, by target
    targets: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        rows = {"fits": to_plain(self.fits), "summaries": to_plain(self.summaries)}
        return {"threshold": self.threshold, "left_out": dict(self.left_out), "paper": PAPER_R2, **rows}

    def tables(self) -> list[ResultTable]:
        """R² by features, and every regression with its coefficients where it is wanted."""
        rows = [
            (
                fit.target,
                fit.features.replace("_", " "),
                "yes" if fit.intercept else "no",
                ", ".join(f"{value:.3f}" for value in fit.coefficients),
                *map(_number, (fit.r2, fit.r2_about_zero, fit.r2_left_out)),
            )
            for fit in self.fits
        ]
        heads = ("target", "features", "intercept", "coefficients", *_R2.values())
        return [
            _summary_table(self),
            *([ResultTable("Every regression", heads, rows, names=3)] if self.targets else []),
        ]

    def notes(self) -> list[str]:
        """The instances that were left out."""
        return [
            f"{counted(len(names), 'instance')} left out for {target}: a feature is undefined ({names[0]}, …)"
            for target, names in self.left_out.items()
            if names
        ]


@dataclass(frozen=True, slots=True, repr=False)
class RadCoverage(LabResult[dict[str, Any]]):
    """How many questions each augmentation covers, and why others are rejected."""

    source: str
    questions: int
    made: Mapping[str, Mapping[str, int]]  # by augmentation and answer
    dropped: Mapping[str, Mapping[str, int]]  # by augmentation and reason
    paper: tuple[int, Mapping[str, int]]  # questions, and augmented ones, in Table 5

    def records(self) -> list[dict[str, Any]]:
        """One row per augmentation."""
        return [{"augmentation": name, **made} for name, made in self.made.items()]

    def tables(self) -> list[ResultTable]:
        """Coverage by augmentation beside Table 5 of the paper, and rejected questions by reason."""
        total, (theirs, counts) = self.questions, self.paper
        rows = []
        for name, made in self.made.items():
            covered = sum(made.values())
            numbers = (covered + sum(self.dropped.get(name, {}).values()), covered, made["yes"], made["no"])
            share = percent(covered / total if total else None)
            printed = (f"{counts[name]:,}", percent(counts[name] / theirs))
            rows.append((name, *(f"{number:,}" for number in numbers), share, *printed))
        heads = ("augmentation", "of the kind", "made", "yes", "no", "per cent", "Table 5", "per cent there")
        table = ResultTable(f"{counted(total, 'question')} of {self.source}; the paper had {theirs:,}", heads, rows)
        lost = [(name, why, str(n)) for name, reasons in self.dropped.items() for why, n in reasons.items()]
        rejected = ResultTable("Rejected questions", ("augmentation", "reason", "questions"), lost, names=2)
        return [table, rejected] if lost else [table]


def rad_study(*, place: Path | None = None, threshold: float = 0.5, targets: bool = False) -> RadStudy:
    """Predict accuracy on an unseen augmentation from accuracy and RAD on others (Appendix E of RAD).

    The place is a lab with many instances of a model or a table of their counts, by default our example; `targets`
    shows every regression.
    """
    fits, left_out = regressions(_counts(place, threshold))
    return RadStudy(threshold, tuple(fits), tuple(summaries(fits)), left_out, targets)


def rad_coverage(
    *,
    source: str = "world-vqa",
    data: Path | str | None = None,
    split: str = "test",
    items: int = 1000,
    seed: int = 0,
    dialogues: bool = False,
    progress: ProgressCallback = ignore_progress,
) -> RadCoverage:
    """Count the questions of a source, or turns of its `dialogues`, that have a counterfactual (Table 5 of RAD).

    Of the built-in world `items` scenes are read; files are read whole.
    """
    opened = load_source(SourceRequest(source, data, split, items, seed), whole=True)
    is_dialogue = dialogues or (isinstance(opened, Source) and "questions" not in opened.dataset.read)
    suite = open_suite if is_dialogue else counterfactuals.suite
    rules = rule_set("vqa")
    asked = [apply_rules(item, rules) for item in track(getattr(opened, suite.takes)(), "reading", progress)]
    tally, answers = Tally(), Counter[tuple[str, str]]()
    for _, group in generate_groups(suite, asked, seed, tally=tally):
        gold = group.gold[1]
        answers[group.kind, gold.best if gold else ""] += 1
    dropped: dict[str, dict[str, int]] = {}
    for (kind, reason), count in sorted(tally.dropped.items()):
        dropped.setdefault(kind, {})[reason] = count
    names = [augmentation.name for augmentation in counterfactuals.AUGMENTATIONS][: 2 if is_dialogue else 3]
    return RadCoverage(
        source,
        sum(len(item.turns) if is_dialogue else 1 for item in asked),
        {name: {answer: answers[name, answer] for answer in ("yes", "no")} for name in names},
        dropped,
        published_counts("VisDial" if is_dialogue else "VQA-CP" if source == "vqa-cp" else "VQA"),
    )


def _counts(place: Path | str | None, threshold: float) -> list[RadCounts]:
    """The counts of each instance: of the example, of a table, or of the models of a lab."""
    if place is None:
        return example()
    if not is_address(place) and Path(place).is_file():
        return read_counts(Path(place), threshold)
    lab = LabStore(place).opened()
    groups = load_groups(lab, [])
    return [
        counts
        for name, info in select_models(lab, ()).items()
        for counts in count_outcomes(name, judge(groups, load_answers(lab, info), threshold))
    ]


def _summary_table(study: RadStudy) -> ResultTable:
    heads, columns = ["features"], list[tuple[bool, str]]()
    for intercept, title in ((False, "as printed"), (True, "with intercept")):
        for measure, name in _R2.items():
            if any((row.intercept, row.measure) == (intercept, measure) for row in study.summaries):
                heads.append(f"{title}: {name}")
                columns.append((intercept, measure))
    cells = {
        (row.features, row.intercept, row.measure): _number(row.mean) + ("" if row.sd is None else f" ± {row.sd:.3f}")
        for row in study.summaries
    }
    rows = [
        (
            name.replace("_", " "),
            *(cells[name, *column] for column in columns),
            "{:.3f} ± {:.3f}".format(*PAPER_R2[name]),
        )
        for name in CHOICES
    ]
    title = (
        f"R² over {max(fit.instances for fit in study.fits)} instances, mean ± sd over {len(POOL)} targets; an answer "
        f"is correct from a credit of {study.threshold:g}"
    )
    return ResultTable(title, (*heads, "Table 4, LMH"), rows)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"

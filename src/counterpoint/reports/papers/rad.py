"""Tables 2, 3 and 5 of RAD for the models of a lab, one row per data set and model, one column per augmentation.

The accuracy on validation data is that of the suite `plain` of the same source. Sets of ConVQA have no original: their
RAD is over ordered pairs, and their accuracy over all questions. Rephrasings count once a pair.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from counterpoint.core.errors import StoreError
from counterpoint.metrics.accuracy import answer_accuracy, base_accuracy
from counterpoint.metrics.metric import RAD_PAIR_TESTS, RAD_SET_TESTS, Metric
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.robustness import rad_forward, rad_ordered
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.metrics.slices import Table, distinct_values, keep_rows
from counterpoint.reports.papers.paper_table import NOT_RUN, PaperCell, PaperRow, PaperTable, read_published_values

_published_values = partial(read_published_values, "rad.toml")
TESTS = (*RAD_PAIR_TESTS, *RAD_SET_TESTS)
PLAIN = "plain"
"""The test whose questions are the validation data."""
HEADS = {
    "color": "Y/N ← C",
    "how-many": "Y/N ← HM",
    "what-kind": "Y/N ← WK",
    "back-translation": "BT",
    "rephrase": "Reph",
    "l-convqa": "L-ConVQA",
    "cs-convqa": "CS-ConVQA",
}
"""The augmentations, which are kinds of groups, as the paper writes them."""
VISDIAL = "VisDial"
DATA_SETS = ("VQA-CP", "VQA", VISDIAL)
"""Those of the paper, in its order."""

_SOURCES = {"vqa-cp": "VQA-CP", "visdial": VISDIAL} | dict.fromkeys(
    ("vqa2", "vqa-rephrasings", "l-convqa", "cs-convqa"), "VQA"
)
_DIALOGUES = " dialogues"
_NO_DIALOGUES = "the paper has no such augmentation of dialogues"
_NOT_MADE = "no suite of this lab has it"
_OF_SETS = ("l-convqa", "cs-convqa")
_OF_DIALOGUES = ("color", "how-many", "back-translation")


def data_set_of(source: str, split: str, tests: Sequence[str]) -> str:
    """The data set that the paper counts a suite to, by what it was made from; other sources have their own name.

    >>> data_set_of("vqa-rephrasings", "val", ["rad-rephrasings"]), data_set_of("world", "test", ["rad-dialogues"])
    ('VQA', 'world test dialogues')
    """
    if source in _SOURCES:
        return _SOURCES[source]
    is_dialogue = any(test.endswith("dialogues") for test in tests)
    return f"{source} {split}".strip() + _DIALOGUES * is_dialogue


@dataclass(frozen=True)
class RadResults:
    """The suites of RAD in a lab, and the plain questions of their data sets, with the scores of each model."""

    groups: Table
    data_sets: Mapping[str, str]  # of each suite
    answers: Mapping[str, Table]
    threshold: float = 0.5
    seed: int = 0

    @cached_property
    def kept(self) -> Table:
        """The groups of RAD."""
        return keep_rows(self.groups, "test", TESTS)

    @cached_property
    def plain(self) -> Table:
        """The groups of the suites with plain questions."""
        return keep_rows(self.groups, "test", [PLAIN])

    @cached_property
    def suites(self) -> Mapping[tuple[str, str], str]:
        """The suite of each data set and augmentation, and of its plain questions; two of one kind are an error."""
        pairs = [*distinct_values(self.kept, "suite", "kind")]
        own = {self.data_sets[suite] for suite, _ in pairs}
        pairs += [(suite, PLAIN) for (suite,) in distinct_values(self.plain, "suite") if self.data_sets[suite] in own]
        suites: dict[tuple[str, str], str] = {}
        for suite, kind in pairs:
            if (known := suites.setdefault((self.data_sets[suite], kind), suite)) != suite:
                fact = f"{kind} of {self.data_sets[suite]} is in two suites, {known} and {suite}"
                raise StoreError(fact, hint="choose the suites with --suite")
        return suites

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The data sets of this lab, those of the paper first."""
        known = {data_set for data_set, kind in self.suites if kind != PLAIN}
        return *(name for name in DATA_SETS if name in known), *sorted(known.difference(DATA_SETS))

    @cached_property
    def _scores(self) -> Mapping[tuple[str, str, str, str], PaperCell]:
        """The scores by model, suite, kind and metric."""
        scores: dict[tuple[str, str, str, str], PaperCell] = {}
        pairs = (rad_forward, rad_ordered, base_accuracy, answer_accuracy)
        for model, answers in self.answers.items():
            for table, by, metrics in ((self.kept, ("kind",), pairs), (self.plain, (), (answer_accuracy,))):
                if not table.num_rows:
                    continue
                why = {metric.name: metric.not_applicable for metric in metrics}
                request = ScoreRequest(by, metrics=metrics, threshold=self.threshold, seed=self.seed)
                for row in score_outcomes(judge(table, answers, self.threshold), request).to_pylist():
                    if row["missing"] < 1:
                        key = model, row["suite"], row.get("kind", PLAIN), row["metric"]
                        scores[key] = PaperCell.scored(row, why[row["metric"]])
        return scores

    def cell(self, model: str, data_set: str, kind: str, metric: Metric) -> PaperCell:
        """The score of a model by a metric on an augmentation of a data set."""
        if _is_dialogue(data_set) and kind in HEADS and kind not in _OF_DIALOGUES:
            return PaperCell.empty(_NO_DIALOGUES)
        if (suite := self.suites.get((data_set, kind))) is None:
            return PaperCell.empty(_NOT_MADE)
        return self._scores.get((model, suite, kind, metric.name), NOT_RUN)

    def counts(self, data_set: str, kind: str) -> PaperCell:
        """The number of augmented questions of a kind in a data set, or of its plain questions."""
        if (suite := self.suites.get((data_set, kind))) is None:
            return PaperCell.empty()
        table = keep_rows(self.plain if kind == PLAIN else self.kept, "suite", [suite])
        rows = table if kind == PLAIN else keep_rows(table, "kind", [kind])
        return PaperCell.counted(sum((role == 0) == (kind == PLAIN) for role in rows["role"].to_pylist()))


def _is_dialogue(data_set: str) -> bool:
    return data_set == VISDIAL or data_set.endswith(_DIALOGUES)


def tables(results: RadResults, labels: Sequence[str] = (), *, printed: bool = False) -> list[PaperTable]:
    """The tables with these numbers, by default all; `printed` adds the rows of the paper."""
    return [_MAKERS[label](results, label, printed) for label in labels or LABELS]


def robustness(results: RadResults, label: str, printed: bool) -> PaperTable:
    """Table 2: RAD on each augmentation, and accuracy on validation data."""

    def cells(model: str, data_set: str) -> tuple[PaperCell, ...]:
        by_kind = {kind: rad_ordered if kind in _OF_SETS else rad_forward for kind in HEADS}
        rad = (results.cell(model, data_set, kind, metric) for kind, metric in by_kind.items())
        return *rad, results.cell(model, data_set, PLAIN, answer_accuracy)

    note = f"An answer is correct from a credit of {results.threshold:g}; Acc. is the mean credit of the suite plain"
    notes = [f"{note} of the same source."]
    if any(kind in _OF_SETS for _, kind in results.suites):
        notes.append("Sets of ConVQA have no original: RAD is over their ordered pairs.")
    title = "RAD from originals to augmented questions, and accuracy on plain questions"
    return _table_of_models(results, label, title, (*HEADS.values(), "Acc."), cells, printed, tuple(notes))


def original_accuracy(results: RadResults, label: str, printed: bool) -> PaperTable:
    """Table 3: accuracy on the originals of each augmentation."""

    def cells(model: str, data_set: str) -> tuple[PaperCell, ...]:
        by_kind = {kind: answer_accuracy if kind in _OF_SETS else base_accuracy for kind in HEADS}
        return tuple(results.cell(model, data_set, kind, metric) for kind, metric in by_kind.items())

    note = "The mean credit of the original of each pair; of ConVQA that of all questions."
    title = "accuracy on the originals"
    return _table_of_models(results, label, title, tuple(HEADS.values()), cells, printed, (note,))


def augmentation_counts(results: RadResults, label: str, printed: bool) -> PaperTable:
    """Table 5: the numbers of augmented questions and of plain ones."""
    kinds = (*HEADS, PLAIN)
    lines = [PaperRow((name,), tuple(results.counts(name, kind) for kind in kinds)) for name in results.names]
    if printed:
        published = _published_values()[label].items()
        lines += [PaperRow((f"{name} (paper)",), tuple(cell.as_count for cell in row), True) for name, row in published]
    note = "Of ConVQA the questions after the first of each set; validation is the suite plain of the same source."
    heads = (*HEADS.values(), "validation")
    return PaperTable(label, "augmented questions", ("data set",), heads, tuple(lines), (note,))


def published_counts(data_set: str) -> tuple[int, dict[str, int]]:
    """The questions that a data set of the paper has, and how many of them each augmentation covers."""
    *made, plain = (cell.as_count.n for cell in _published_values()["5"][data_set])
    return plain or 0, {kind: count for kind, count in zip(HEADS, made, strict=True) if count}


def _table_of_models(
    results: RadResults,
    label: str,
    title: str,
    heads: tuple[str, ...],
    cells: Callable[[str, str], tuple[PaperCell, ...]],
    printed: bool,
    notes: tuple[str, ...],
) -> PaperTable:
    """A table with one row per data set and model, and the rows of the paper after those of its data sets."""
    lines = [PaperRow((name, model), cells(model, name)) for name in results.names for model in results.answers]
    for name, row in _published_values()[label].items() if printed else ():
        data_set, model = name.split(", ")
        lines.append(PaperRow((data_set, f"{model} (paper)"), row, printed=True))
    return PaperTable(label, title, ("data set", "model"), heads, tuple(lines), notes)


_MAKERS: Mapping[str, Callable[[RadResults, str, bool], PaperTable]] = {
    "2": robustness,
    "3": original_accuracy,
    "5": augmentation_counts,
}
LABELS = tuple(_MAKERS)
"""The numbers of the tables."""

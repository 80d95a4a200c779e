"""Tables 1 and 2 and Figure 2 of Beyond Accuracy for the models of a lab, from the leaderboard of its data sets.

The bias towards the image is our picture bias, the answers that survive another question; that towards the question is
our question bias. Means over data sets have equal weights, as in the paper.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from counterpoint.metrics.leaderboard import Leaderboard, LeaderboardCell, LeaderboardRow
from counterpoint.reports.papers.paper_table import NOT_RUN, PaperCell, PaperRow, PaperTable, read_published_values

_published_values = partial(read_published_values, "beyond_accuracy.toml")
HEADS = {
    "accuracy": "accuracy",
    "picture_bias": "bias: image",
    "question_bias": "bias: question",
    "pixel_noise": "robustness: image",
    "picture_features": "robustness: image features",
    "question_features": "robustness: question",
    "sears": "SEARs",
    "uncertainty": "uncertainty",
}
"""The columns of the leaderboard of data sets, in the order of Table 1, as the paper writes them."""
PARAMETERS = "parameters"
PAPER_DATA_SETS = ("CLEVR", "GQA", "GQA-OOD-ALL", "GQA-OOD-HEAD", "GQA-OOD-TAIL", "OK-VQA", "TextVQA", "VQA2")
"""Those of Table 2."""


def tables(board: Leaderboard, labels: Sequence[str] = (), *, printed: bool = False) -> list[PaperTable]:
    """The tables with these numbers, by default all; `printed` adds the rows of the paper."""
    return [table for label in labels or LABELS for table in _MAKERS[label](board, label, printed)]


def means(board: Leaderboard, label: str, printed: bool) -> list[PaperTable]:
    """Table 1: every metric, the mean over data sets, and the number of parameters."""
    lines = [
        PaperRow((row.model,), (*(_mean(row.cells.get(key)) for key in HEADS), _parameters(row))) for row in board.rows
    ]
    lines += [
        PaperRow((f"{model} (paper)",), (*cells[:-1], cells[-1].as_count), printed=True)
        for model, cells in (_published_values()[label].items() if printed else ())
    ]
    many = len(board.data_sets)
    title = f"means over {many} data set{'s' * (many != 1)}: {', '.join(board.data_sets)}"
    note = "The bias towards the image is the share of answers that survive another question; lower is better."
    return [PaperTable(label, title, ("model",), (*HEADS.values(), PARAMETERS), tuple(lines), (note,))]


def accuracies(board: Leaderboard, label: str, printed: bool) -> list[PaperTable]:
    """Table 2: accuracy on each data set; the data sets of the paper are a table of their own."""
    lines = [
        PaperRow((row.model,), tuple(_cell(row.data_sets.get(name, {}).get("accuracy")) for name in board.data_sets))
        for row in board.rows
    ]
    accuracy_tables = [PaperTable(label, "accuracy by data set", ("model",), board.data_sets, tuple(lines))]
    if printed:
        rows = [PaperRow((model,), cells, printed=True) for model, cells in _published_values()[label].items()]
        accuracy_tables.append(
            PaperTable(label, "accuracy by data set (paper)", ("model",), PAPER_DATA_SETS, tuple(rows))
        )
    return accuracy_tables


def by_data_set(board: Leaderboard, label: str, printed: bool) -> list[PaperTable]:
    """Figure 2: every metric on each data set of each model."""
    lines = [
        PaperRow((row.model, name), tuple(_cell(row.data_sets[name].get(key)) for key in HEADS))
        for row in board.rows
        for name in board.data_sets
    ]
    lines += [
        PaperRow(("BAN-8 (paper)", name), cells, printed=True)
        for name, cells in (_published_values()[label].items() if printed else ())
    ]
    title = "each data set of each model"
    return [PaperTable(label, title, ("model", "data set"), tuple(HEADS.values()), tuple(lines))]


def _mean(cell: LeaderboardCell | None) -> PaperCell:
    """A mean over data sets; one over fewer of them than other models have, or in part, says so."""
    own = _cell(cell)
    if cell is None or cell.value is None or cell.whole:
        return own
    return replace(own, reason=f"over {cell.data_sets} of {cell.of} data sets{', in part' * cell.partial}")


def _cell(cell: LeaderboardCell | None) -> PaperCell:
    if cell is None:
        return NOT_RUN
    if cell.value is None:
        return PaperCell.empty(cell.reason)
    return PaperCell(cell.value, cell.low, cell.high, cell.n)


def _parameters(row: LeaderboardRow) -> PaperCell:
    count = row.cost.parameters
    reason = row.cost.reasons.get(PARAMETERS, "")
    return PaperCell.empty(reason) if count is None else PaperCell.counted(count)


_MAKERS: Mapping[str, Callable[[Leaderboard, str, bool], list[PaperTable]]] = {
    "1": means,
    "2": accuracies,
    "figure-2": by_data_set,
}
LABELS = tuple(_MAKERS)
"""The numbers of the tables."""

"""The tables of CARETS for the models of a lab, optionally with the rows that the paper printed.

Two misprints are corrected: Table 1 has the columns of negation and antonym exchanged, and ACC in Table 3 is C-ACC.
Table 4 pools the pairs of two tests instead of averaging them; Tables 13 to 17 count single answers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from counterpoint.reports.papers.carets_results import CaretsResults, complement
from counterpoint.reports.papers.paper_table import NOT_RUN, PaperCell, PaperRow, PaperTable, read_published_values

_published_values = partial(read_published_values, "carets.toml")
TESTS = ("rephrase", "order", "ontology", "visual", "negation", "antonym")
"""The six tests, by the names of our suites, in the order of the paper."""
HUMAN = "Human"

_METRICS = {
    "ACC": "accuracy",
    "original ACC": "base_accuracy",
    "perturbed ACC": "variant_accuracy",
    "CONS": "self_consistency",
    "C-ACC": "comprehensive_accuracy",
}
_MAIN_HEADS = ("ACC", "CONS", "C-ACC")
_ALL_METRICS_TESTS = {"8": "rephrase", "9": "order", "10": "ontology", "11": "antonym", "12": "negation"}
_COVERAGE_TESTS = {"13": "rephrase", "14": "order", "15": "ontology", "16": "antonym", "17": "negation"}
_EDITS = {"mask": "channel mean", "crop": "crop", "blur-3": "blur 3", "blur-6": "blur 6", "blur-9": "blur 9"}
_KINDS = {"conjunctive": "conjunctive verification", "disjunctive": "disjunctive verification"}
_SORTS = ("binary", "multi-choice")
_POOL = "rephrase and order"
_POOLING = {"test": {"rephrase": _POOL, "order": _POOL}}


def tables(results: CaretsResults, labels: Sequence[str] = (), *, printed: bool = False) -> list[PaperTable]:
    """The tables with these numbers, by default all; `printed` adds the rows of the paper's models."""
    return [table for label in labels or LABELS for table in _MAKERS[label](results, label, printed)]


def consistency(results: CaretsResults, label: str, printed: bool) -> list[PaperTable]:
    """Table 1: self-consistency on all tests."""
    note = "The paper prints negation under Attr. and antonym under Neg.; here each has its own column."

    def cells(model: str) -> Iterator[PaperCell]:
        return (results.cell(model, "self_consistency", ("test",), test) for test in TESTS)

    return [_table_of_models(results, label, printed, "CONS on all tests", TESTS, cells, (note,))]


def accuracy_gaps(results: CaretsResults, label: str, printed: bool) -> list[PaperTable]:
    """Figure 2: accuracy, comprehensive accuracy, and the gap between them."""
    metrics = ("accuracy", "comprehensive_accuracy", "gap")
    lines = [
        PaperRow((test, model), tuple(results.cell(model, metric, ("test",), test) for metric in metrics))
        for test in TESTS
        for model in results.models
    ]
    published = [
        PaperRow((test, line.names[0]), (acc, both, PaperCell((acc.value or 0) - (both.value or 0))), printed=True)
        for number, test in _ALL_METRICS_TESTS.items()
        for line in _published_rows(number, printed)
        for acc, both in [(line.cells[0], line.cells[-1])]
    ]
    lines = [line for test in TESTS for line in (*lines, *published) if line.names[0] == test]
    return [
        PaperTable(label, "ACC, C-ACC and the gap between them", ("test", "model"), ("ACC", "C-ACC", "gap"), (*lines,))
    ]


def ontology_directions(results: CaretsResults, label: str, printed: bool) -> list[PaperTable]:
    """Table 2: ontology, original and perturbed, and by direction of the change."""
    heads = ("original ACC", "perturbed ACC", "CONS to hypernym", "CONS to hyponym")

    def cells(model: str) -> Iterator[PaperCell]:
        for head in heads[:2]:
            yield results.cell(model, _METRICS[head], ("test",), "ontology")
        for way in ("up", "down"):
            yield results.cell(model, "self_consistency", ("test", "tag:direction"), "ontology", way)

    notes = _ontology_notes(results)
    return [_table_of_models(results, label, printed, "ontology by direction", heads, cells, notes)]


def response_rates(results: CaretsResults, label: str, printed: bool) -> list[PaperTable]:
    """Table 3: conjunctions and disjunctions on order, with response rates."""
    heads = tuple(f"{kind} {what}" for kind in _KINDS for what in ("C-ACC", "yes", "no", "other"))

    def cells(model: str) -> Iterator[PaperCell]:
        for kind in _KINDS.values():
            yield results.cell(model, "comprehensive_accuracy", ("test", "kind"), "order", kind)
            yield results.rate(model, ("yes",), "order", kind)
            yield results.rate(model, ("no",), "order", kind)
            yield complement(results.rate(model, ("yes", "no"), "order", kind))

    note = "ACC of the paper is C-ACC here, as its caption says; yes, no and other are shares of single answers."
    title = "conjunctions and disjunctions on order"
    return [_table_of_models(results, label, printed, title, heads, cells, (note,))]


def rephrase_and_order(results: CaretsResults, label: str, printed: bool) -> list[PaperTable]:
    """Table 4: binary and multiple-choice questions, over the pooled pairs of rephrase and order."""
    names = _POOLING | {"kind": _sorts(results)}
    rows: list[tuple[str, tuple[str, str]]] = [*(("kind", (sort, sort)) for sort in _SORTS)]
    rows += [("tag:choices", (f"{count}-choice", count)) for count in "23"]
    lines = [
        PaperRow(
            (model, name),
            tuple(
                results.cell(model, _METRICS[head], ("test", column), _POOL, word, names=names) for head in _MAIN_HEADS
            ),
        )
        for model in results.models
        for column, (name, word) in rows
    ]
    values = _published_values()[label]
    published = [
        PaperRow((f"{HUMAN} (paper)", sort), (cells[3], PaperCell.empty(), PaperCell.empty()), True)
        for sort, cells in values.items()
    ]
    if printed:
        published = [
            *(PaperRow(("LXMERT (paper)", sort), (*cells[:3],), True) for sort, cells in values.items()),
            *published,
        ]
    note = "Over the pairs of both tests together: a test with twice the pairs counts twice."
    title = "binary questions and choices, on rephrase and order together"
    return [PaperTable(label, title, ("model", "questions"), _MAIN_HEADS, (*lines, *published), (note,))]


def question_counts(results: CaretsResults, label: str, printed: bool) -> list[PaperTable]:
    """Table 6: the number of original questions of each sort."""
    sorts, lines = _sorts(results), []
    for test in TESTS:
        counts = results.counts(test) if test in results.tests else {}
        by_sort = [sum(groups for kind, (groups, _) in counts.items() if sorts[kind] == sort) for sort in _SORTS]
        total = sum(groups for groups, _ in counts.values())
        pairs = sum(pairs for _, pairs in counts.values())
        counted = tuple(map(PaperCell.counted, (*by_sort, total, pairs)))
        lines.append(PaperRow((test,), counted if total else (NOT_RUN,) * len(counted)))
        if printed:
            published = [cell.as_count.n or 0 for cell in _published_values()[label][test]]
            of_each = 5 if test == "visual" else 1
            cells = map(PaperCell.counted, (*published, sum(published), of_each * sum(published)))
            lines.append(PaperRow((f"{test} (paper)",), tuple(cells), True))
    note = "The paper's 190,000 pairs count each of the five edits of a picture."
    heads = (*_SORTS, "total", "pairs")
    return [PaperTable(label, "original questions in each test, and pairs", ("test",), heads, (*lines,), (note,))]


def accuracy_by_edit(results: CaretsResults, label: str, printed: bool) -> list[PaperTable]:
    """Table 7: accuracy on original pictures and after each edit."""

    def cells(model: str) -> Iterator[PaperCell]:
        yield results.cell(model, "base_accuracy", ("test",), "visual")
        for edit in _EDITS:
            yield results.cell(model, "variant_accuracy", ("test", "tag:edit"), "visual", edit)

    heads = ("original", *_EDITS.values())
    return [_table_of_models(results, label, printed, "ACC on visual, by edit", heads, cells)]


def all_metrics(results: CaretsResults, label: str, printed: bool) -> list[PaperTable]:
    """Tables 8 to 12: all metrics on one test."""
    test = _ALL_METRICS_TESTS[label]

    def cells(model: str) -> Iterator[PaperCell]:
        return (results.cell(model, metric, ("test",), test) for metric in _METRICS.values())

    notes = _ontology_notes(results) if test == "ontology" else ()
    return [_table_of_models(results, label, printed, test, tuple(_METRICS), cells, notes)]


def coverages(results: CaretsResults, label: str, printed: bool) -> list[PaperTable]:
    """Tables 13 to 17: the share of the column model's correct answers that the row model has correct too."""
    test = _COVERAGE_TESTS[label]
    title = f"coverage on {test}: share of the column's correct answers that the row has correct"
    lines = [
        PaperRow(
            (model,),
            tuple(PaperCell.empty() if of == model else results.coverage(model, of, test) for of in results.models),
        )
        for model in results.models
    ]
    note = "Over single answers, like the values of the paper; its caption of Table 13 says pairs."
    coverage_tables = [PaperTable(label, title, ("model",), results.models, (*lines,), (note,))]
    if printed:
        models = tuple(_published_values()[label])
        published = tuple(_published_rows(label, printed))
        coverage_tables.append(PaperTable(label, f"{title} (paper)", ("model",), models, published))
    return coverage_tables


def question_sorts(results: CaretsResults, label: str, printed: bool) -> list[PaperTable]:
    """Table 18: binary and multiple-choice questions, on rephrase and on order."""
    names, tests = {"kind": _sorts(results)}, ("rephrase", "order")
    lines = [
        PaperRow(
            (model, sort),
            tuple(
                results.cell(model, _METRICS[head], ("test", "kind"), test, sort, names=names)
                for test in tests
                for head in _MAIN_HEADS
            ),
        )
        for model in results.models
        for sort in _SORTS
    ]
    published = [
        PaperRow((f"{model} (paper)", sort), line.cells, True)
        for line in _published_rows(label, printed)
        for model, sort in [line.names[0].removesuffix(" (paper)").split(", ")]
    ]
    heads = tuple(f"{test} {head}" for test in tests for head in _MAIN_HEADS)
    return [PaperTable(label, "binary questions and choices", ("model", "questions"), heads, (*lines, *published))]


_Maker = Callable[[CaretsResults, str, bool], list[PaperTable]]
_MAKERS: Mapping[str, _Maker] = {
    "1": consistency,
    "figure-2": accuracy_gaps,
    "2": ontology_directions,
    "3": response_rates,
    "4": rephrase_and_order,
    "6": question_counts,
    "7": accuracy_by_edit,
    **dict.fromkeys(_ALL_METRICS_TESTS, all_metrics),
    **dict.fromkeys(_COVERAGE_TESTS, coverages),
    "18": question_sorts,
}
LABELS = tuple(_MAKERS)
"""The numbers of the tables in the paper."""


def _published_rows(label: str, printed: bool) -> list[PaperRow]:
    """The rows of the paper: always those of people, those of its models if `printed`."""
    return [
        PaperRow((f"{name} (paper)",), cells, printed=True)
        for name, cells in _published_values()[label].items()
        if printed or name.startswith(HUMAN)
    ]


def _table_of_models(
    results: CaretsResults,
    label: str,
    printed: bool,
    title: str,
    heads: tuple[str, ...],
    cells: Callable[[str], Iterable[PaperCell]],
    notes: tuple[str, ...] = (),
) -> PaperTable:
    """A table with one row per model, and the rows of the paper below."""
    rows = [PaperRow((model,), tuple(cells(model))) for model in results.models]
    return PaperTable(label, title, ("model",), heads, (*rows, *_published_rows(label, printed)), notes)


def _sorts(results: CaretsResults) -> dict[str, str]:
    """Each kind of question as binary or multi-choice, by its name, else "other"."""
    kinds = {kind for test in results.tests for kind in results.kinds(test)}
    ends = {"verification": _SORTS[0], "choice": _SORTS[1]}
    return {kind: ends.get(kind.rpartition(" ")[2], "other") for kind in sorted(kinds)}


def _ontology_notes(results: CaretsResults) -> tuple[str, ...]:
    others = [kind for kind in results.kinds("ontology") if kind != "object verification"]
    note = f"Here {', '.join(others)} count too; the ontology test of the paper has object verification only."
    return (note,) if others else ()

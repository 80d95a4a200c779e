"""Table 4 of VALSE: what the paper prints hangs together, and what a lab holds is laid out as the paper does."""

import pytest

from counterpoint.core.groups import Answer, Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.reports.papers.paper_table import PaperCell
from counterpoint.reports.papers.valse import TESTS, ValseResults, average, published_values, tables
from counterpoint.store.answers import AnswerLog
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

ODD = ("LXMERT", 0.499)
"""Counting adversarial, which is printed half a point above the mean of its sides, 61.5 and 37.3."""


def _printed(measure: str, model: str) -> list[float | None]:
    return [cell.value for cell in published_values()[measure][model]]


@pytest.mark.parametrize("model", ["LXMERT", "ViLBERT", "12-in-1", "VisualBERT"])
def test_the_printed_accuracy_is_the_mean_of_both_sides(model: str) -> None:
    accuracies, captions, foils = (_printed(measure, model) for measure in ("acc", "p_c", "p_f"))
    for acc, p_c, p_f in zip(accuracies, captions, foils, strict=True):
        if acc is not None and (model, acc) != ODD:
            assert acc == pytest.approx(((p_c or 0) + (p_f or 0)) / 2, abs=0.00101)


@pytest.mark.parametrize("model", ["LXMERT", "ViLBERT", "12-in-1", "VisualBERT"])
def test_the_printed_average_of_the_lower_side_is_the_mean_of_the_minima(model: str) -> None:
    """The column of FOIL it! is not printed, but follows from the averages of p_c and p_f."""
    sides = [_printed(measure, model) for measure in ("p_c", "p_f")]
    whole = [[*own[:10], 11 * (own[11] or 0) - sum(one or 0 for one in own[:10])] for own in sides]
    minima = [PaperCell(min(one or 0, other or 0)) for one, other in zip(*whole, strict=True)]
    lower = _printed("min_p", model)
    assert [cell.value for cell in minima[:10]] == pytest.approx(lower[:10])
    assert average(minima).value == pytest.approx(lower[11], abs=0.0011)


def test_an_average_needs_every_instrument() -> None:
    assert average([PaperCell(0.25), PaperCell(0.75)]).value == 0.5
    assert average([PaperCell(0.25), PaperCell(text="not run")]).value is None
    assert average([]).value is None


def _lab(lab: LabStore, scores: dict[str, tuple[float, float]], scale: str, tests: tuple[str, ...] = TESTS) -> LabStore:
    groups = [
        (
            test,
            Group(
                Relation.RANKS,
                tuple(Query(Picture(f"coco:{test}/{n}.jpg"), f"{side} {n}", mode=Mode.SCORE) for side in ("yes", "no")),
                (None, None),
                test=test,
            ),
        )
        for test in tests
        for n in range(4)
    ]
    table = groups_table(groups, "released")
    lab.put_suite(Manifest.of(table, generator="here", seed=0), table)
    for model, pair in scores.items():
        log: AnswerLog = lab.answers(model)
        with log:
            for _, group in groups:
                asked = zip(group.queries, pair, strict=True)
                log.add((query.id, 0, Answer.scored(score), "", 0.0) for query, score in asked)
        lab.put_run(RunRecord(f"run-{model}", model, model, {"scale": scale}))
    return lab


def _results(lab: LabStore) -> ValseResults:
    answers = {own.name: lab.read_answers(own.fingerprint) for own in lab.versions()}
    return ValseResults(lab.suite("released").groups.replace_schema_metadata(), answers)


def test_a_constant_scorer_has_no_ranking_all_ties_and_half_the_area(tmp_path: object) -> None:
    lab = _lab(LabStore(f"{tmp_path}/lab"), {"constant": (0.5, 0.5)}, "probability")
    (table,) = tables(_results(lab), ["4"])
    rows = {line.names[0]: [cell.value for cell in line.cells] for line in table.rows}
    assert rows["acc_r"] == [0.0] * 12
    assert rows["ties"] == [1.0] * 12
    assert rows["AUROC"] == [0.5] * 12
    assert (rows["p_c"], rows["p_f"], rows["min(p_c, p_f)"]) == ([0.0] * 12, [1.0] * 12, [0.0] * 12)


def test_similarities_are_ranked_and_the_rest_says_why_not(tmp_path: object) -> None:
    lab = _lab(LabStore(f"{tmp_path}/lab"), {"clip": (20.0, 10.0)}, "similarity", tests=TESTS[:3])
    (table,) = tables(_results(lab), ["4"], printed=True)
    rows = {line.names: line for line in table.rows}
    assert [cell.value for cell in rows["acc_r", "clip"].cells] == [1.0] * 3 + [None] * 8 + [1.0]
    assert {cell.text for cell in rows["acc_r", "clip"].cells[3:11]} == {"not run"}
    assert not {("acc", "clip"), ("ties", "clip")} & set(rows)
    assert rows["acc_r", "CLIP (paper)"].cells[-1].value == pytest.approx(0.64)
    assert any("similarities" in note for note in table.notes)
    assert any("over 3 of 11 instruments" in note for note in table.notes)


def test_table_4_is_over_valid_pairs_where_votes_are_told(tmp_path: object) -> None:
    lab = LabStore(f"{tmp_path}/lab")
    groups = [
        Group(
            Relation.RANKS,
            tuple(Query(Picture(f"coco:{votes}.jpg"), f"{side} {votes}", mode=Mode.SCORE) for side in ("yes", "no")),
            (None, None),
            tags=((("votes", str(votes)),),) * 2,
            test="relations",
        )
        for votes in range(4)
    ]
    table = groups_table([("relations", group) for group in groups], "released")
    lab.put_suite(Manifest.of(table, generator="here", seed=0), table)
    with lab.answers("one") as log:
        log.add((query.id, 0, Answer.scored(0.5), "", 0.0) for group in groups for query in group.queries)
    answers = {"one": lab.read_answers("one")}
    for subset, n in (("all", 4), ("valid", 2), ("unanimous", 1)):
        found = ValseResults(lab.suite("released").groups.replace_schema_metadata(), answers, subset=subset)
        assert found.cells["one", "acc_r", "relations"].n == n

"""The tables of CARETS from a lab of ours, held against loops over its groups; the paper's held against arithmetic."""

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from counterpoint.cli.paper import command
from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Answer, Gold, Group, Query, Relation, State
from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Edit, Picture
from counterpoint.reports.papers import carets
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

FIGURES = tomllib.loads(Path(carets.__file__).with_name("carets.toml").read_text("utf-8"))
MODELS = {"careful": 0.9, "hasty": 0.5}
"""How often each model is right."""
EDITS = ("blur-3", "blur-6", "blur-9", "mask", "crop")
Said = Mapping[tuple[str, int], str]
"""What each model says to each query."""
Pair = tuple[Group, int]
"""A group and the place of one of its variants."""


def _groups() -> list[Group]:
    """Pairs of five tests, more of rephrase than of order, and groups of six for the visual test."""
    found: list[Group] = []
    binary, choice = ("conjunctive verification", "disjunctive verification", "object verification"), "object choice"
    for test, count in {"rephrase": 24, "order": 12, "ontology": 12, "visual": 6, "negation": 9}.items():
        for number in range(count):
            picture = Picture(f"toy:{number % 7}.png")
            is_choice = test in ("rephrase", "order") and number % 4 == 3
            yes = ("cat", "dog")[number % 2] if is_choice else ("yes", "no")[number % 2]
            other = {"yes": "no", "no": "yes"}[yes] if test == "negation" else yes
            variants = EDITS if test == "visual" else ("",)
            shown = [picture, *(picture.edited(Edit(edit)) if edit else picture for edit in variants)]
            words = [f"{test} {number}?", *(f"{test} {number}{'' if edit else ' again'}?" for edit in variants)]
            tags = (("choices", str(2 + number % 8 // 4)),) if is_choice else ()
            own = [
                (("edit", edit),)
                if edit
                else (("direction", "down" if yes == "no" else "up"),)
                if test == "ontology"
                else ()
                for edit in variants
            ]
            found.append(
                Group(
                    Relation.DIFFERS if test == "negation" else Relation.SAME,
                    tuple(Query(*one) for one in zip(shown, words, strict=True)),
                    (Gold.of(yes), *(Gold.of(other) for _ in variants)),
                    kind=choice if is_choice else "object verification" if test == "ontology" else binary[number % 3],
                    tags=(tags, *((*tags, *one) for one in own)),
                    test=test,
                )
            )
    return found


GROUPS = _groups()


def _said() -> Said:
    return {
        (model, query.id): gold.best if luck < share else ("yes", "no", "junk")[int(luck * 1000) % 3]
        for model, share in MODELS.items()
        for group in GROUPS
        for query, gold in zip(group.queries, group.gold, strict=True)
        if gold
        for luck in [seeded_rng(model, query.id).random()]
    }


SAID = _said()


def _put(lab: LabStore, suites: Mapping[str, Iterable[Group]]) -> None:
    for name, groups in suites.items():
        table = groups_table([(group.test, group) for group in groups], name)
        lab.put_suite(Manifest.of(table, generator="here", seed=0), table)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite for each test, as suites of scenes are made."""
    lab = LabStore(tmp_path_factory.mktemp("tables") / "lab")
    _put(lab, {test: [group for group in GROUPS if group.test == test] for test in {one.test for one in GROUPS}})
    for run, model in enumerate(MODELS):
        with lab.answers(model, run=str(run)) as log:
            answers = {query: said for (name, query), said in SAID.items() if name == model}
            log.add((query, 0, _answer(said), "", 0.0) for query, said in answers.items())
        lab.put_run(RunRecord(str(run), model, model))
    return lab.folder


def _answer(said: str) -> Answer:
    return Answer(raw="Junk!", state=State.UNPARSED) if said == "junk" else Answer.of(said)


def _tables(lab: Path, *arguments: str) -> dict[str, list[dict[str, Any]]]:
    done = CliRunner().invoke(command, ["carets", str(lab), "--json", *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return {table["table"]: table["rows"] for table in json.loads(done.stdout)["tables"]}


def _pairs(*tests: str, where: Callable[[Group, int], bool] = lambda group, place: True) -> list[Pair]:
    """The pairs of some tests, each variant with its base."""
    return [
        (group, place)
        for group in GROUPS
        if group.test in tests
        for place in range(1, len(group.queries))
        if where(group, place)
    ]


def _measure(model: str, measure: str, pairs: Iterable[Pair]) -> float:
    """A measure by its definition in section 5.3 of the paper, as a loop."""
    earned = []
    for group, place in pairs:
        first, second = (SAID[model, group.queries[one].id] for one in (0, place))
        golds = group.gold[0], group.gold[place]
        right = [said == gold.best for said, gold in zip((first, second), golds, strict=True) if gold]
        alike = (first == second) == (group.test != "negation")
        earned.append(
            {
                "ACC": sum(right) / 2,
                "original ACC": right[0],
                "perturbed ACC": right[1],
                "CONS": alike,
                "C-ACC": all(right),
                "gap": sum(right) / 2 - all(right),
            }[measure]
        )
    return sum(earned) / len(earned)


def _holds(cell: Any, value: float) -> None:
    assert cell["value"] == pytest.approx(value)
    assert cell["low"] <= cell["value"] <= cell["high"]


def test_consistency_stands_under_the_right_test_and_what_was_not_run_says_so(lab: Path) -> None:
    rows = {row["model"]: row for row in _tables(lab)["1"]}
    for model in MODELS:
        for test in ("rephrase", "order", "ontology", "visual", "negation"):
            _holds(rows[model][test], _measure(model, "CONS", _pairs(test)))
        assert rows[model]["antonym"] == "not run"
    people = rows["Human (paper)"]
    assert people["printed"]
    assert people["negation"]["value"] == pytest.approx(FIGURES["12"]["Human"][3] / 100, abs=5e-4)
    assert people["antonym"]["value"] == pytest.approx(FIGURES["11"]["Human"][3] / 100, abs=5e-4)


def test_the_gap_is_what_lies_between_accuracy_and_comprehensive_accuracy(lab: Path) -> None:
    for row in _tables(lab, "--table", "figure-2")["figure-2"]:
        if row["test"] == "antonym" and not row["printed"]:
            assert row["gap"] == "not run"
        elif not row["printed"]:
            for head in ("ACC", "C-ACC", "gap"):
                _holds(row[head], _measure(row["model"], head, _pairs(row["test"])))
        if isinstance(row["gap"], dict):
            assert row["gap"]["value"] == pytest.approx(row["ACC"]["value"] - row["C-ACC"]["value"])


@pytest.mark.parametrize(("label", "test"), {"8": "rephrase", "9": "order", "10": "ontology", "12": "negation"}.items())
def test_each_test_has_a_table_of_its_own(lab: Path, label: str, test: str) -> None:
    *ours, people = _tables(lab, "--table", label)[label]
    assert [row["model"] for row in ours] == list(MODELS)
    assert people["model"] == "Human (paper)"
    for row in ours:
        for head in ("ACC", "original ACC", "perturbed ACC", "CONS", "C-ACC"):
            _holds(row[head], _measure(row["model"], head, _pairs(test)))
        halves = (row["original ACC"]["value"] + row["perturbed ACC"]["value"]) / 2
        assert row["ACC"]["value"] == pytest.approx(halves)


def test_ontology_is_cut_by_the_direction_of_the_change(lab: Path) -> None:
    for row in _tables(lab, "--table", "2")["2"][:2]:
        for head, answer in (("CONS to hypernym", "yes"), ("CONS to hyponym", "no")):
            own = _pairs("ontology", where=_answered(answer))

            _holds(row[head], _measure(row["model"], "CONS", own))


def test_response_rates_are_shares_of_single_answers_and_make_one(lab: Path) -> None:
    for row in _tables(lab, "--table", "3")["3"]:
        for kind in ("conjunctive", "disjunctive"):
            own = [group for group in GROUPS if group.test == "order" and group.kind.startswith(kind)]
            said = [SAID[row["model"], query.id] for group in own for query in group.queries]
            _holds(row[f"{kind} C-ACC"], _measure(row["model"], "C-ACC", [(group, 1) for group in own]))
            for word in ("yes", "no"):
                _holds(row[f"{kind} {word}"], said.count(word) / len(said))
            _holds(row[f"{kind} other"], said.count("junk") / len(said))


def test_two_tests_are_pooled_by_their_pairs_and_not_averaged(lab: Path) -> None:
    found = _tables(lab, "--table", "4", "--table", "18")
    for row in (row for row in found["4"] if not row["printed"]):
        both = _pairs("rephrase", "order", where=_of_sort(row["questions"]))
        for head in ("ACC", "CONS", "C-ACC"):
            _holds(row[head], _measure(row["model"], head, both))
    for row in (row for row in found["18"] if not row["printed"]):
        for test in ("rephrase", "order"):
            own = _pairs(test, where=_of_sort(row["questions"]))
            for head in ("ACC", "CONS", "C-ACC"):
                _holds(row[f"{test} {head}"], _measure(row["model"], head, own))
    assert [row["ACC"]["value"] for row in found["4"] if row["printed"]] == pytest.approx([0.828, 0.836, 0.834, 0.839])


def _of_sort(questions: str) -> Callable[[Group, int], bool]:
    if questions in ("binary", "multi-choice"):
        return lambda group, place: group.kind.endswith("choice") == (questions == "multi-choice")
    return lambda group, place: ("choices", questions[0]) in group.tags[0]


def _edited(edit: str) -> Callable[[Group, int], bool]:
    return lambda group, place: ("edit", edit) in group.tags[place]


def _answered(answer: str) -> Callable[[Group, int], bool]:
    return lambda group, place: group.gold[0] == Gold.of(answer)


def test_the_visual_test_is_cut_by_edit_and_each_edit_is_a_pair(lab: Path) -> None:
    found = _tables(lab, "--table", "7", "--table", "6", "--printed")
    for row in found["7"][:2]:
        _holds(row["original"], _measure(row["model"], "original ACC", _pairs("visual")))
        names = {"mask": "channel mean", "crop": "crop", "blur-3": "blur 3", "blur-6": "blur 6", "blur-9": "blur 9"}
        for edit, head in names.items():
            own = _pairs("visual", where=_edited(edit))
            _holds(row[head], _measure(row["model"], "perturbed ACC", own))
    sizes = {row["test"]: row for row in found["6"]}
    assert [sizes["visual"][head] for head in ("binary", "multi-choice", "total", "pairs")] == [6, 0, 6, 30]
    assert [sizes["rephrase"][head] for head in ("binary", "multi-choice", "total", "pairs")] == [18, 6, 24, 24]
    assert sizes["antonym"]["total"] == "not run"
    assert sum(row["pairs"] for test, row in sizes.items() if "paper" in test) == 194_136


def test_coverage_goes_both_ways_over_single_answers(lab: Path) -> None:
    for label, test in (("13", "rephrase"), ("14", "order"), ("15", "ontology"), ("17", "negation")):
        rows = {row["model"]: row for row in _tables(lab, "--table", label)[label]}
        right = {
            model: {
                query.id
                for group in GROUPS
                if group.test == test
                for query, gold in zip(group.queries, group.gold, strict=True)
                if gold == Gold.of(SAID[model, query.id])
            }
            for model in MODELS
        }
        for model, of in (("careful", "hasty"), ("hasty", "careful")):
            _holds(rows[model][of], len(right[model] & right[of]) / len(right[of]))
            assert rows[model][model] == "–"
    assert _tables(lab, "--table", "16")["16"][0]["hasty"] == "not run"


def test_tables_are_printed_for_terminals_markdown_and_latex_with_their_notes(lab: Path) -> None:
    def shown(*arguments: str) -> str:
        return CliRunner().invoke(command, ["carets", str(lab), *arguments], catch_exceptions=False).output

    assert shown("--table", "1").startswith("Table 1: CONS on all tests\n")
    assert "Figure 2: ACC" in shown()
    assert "not run" in shown("--table", "11")
    assert "LXMERT (paper)" not in shown("--table", "8")
    assert "LXMERT (paper)" in shown("--table", "8", "--printed")
    assert "\n*Over single answers" in shown("--table", "13", "--markdown")
    latex = shown("--table", "13", "--latex")
    assert latex.splitlines()[-1].startswith("% Over single answers")
    assert r"\toprule" in latex


def test_a_lab_without_the_tests_and_a_test_in_two_suites_are_answered_with_a_sentence(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    lab.put_run(RunRecord("1", "mine", "mine"))
    with lab.answers("mine", run="1") as log:
        log.add((query.id, 0, Answer.of("yes"), "", 0.0) for query in GROUPS[0].queries)
    plain = groups_table([("plain", GROUPS[0])], "plain")
    lab.put_suite(Manifest.of(plain, generator="here", seed=0), plain)
    with pytest.raises(StoreError, match="has none of the tests rephrase, order"):
        _tables(lab.folder)
    _put(lab, {"rephrase": GROUPS[:2], "released": GROUPS[:3]})
    with pytest.raises(StoreError, match="rephrase is a test of two suites, released and rephrase") as caught:
        _tables(lab.folder)
    assert "--suite" in caught.value.hint
    ours, _ = _tables(lab.folder, "--suite", "released", "--table", "8")["8"]
    assert ours["ACC"]["n"] == 1, "two pairs were not asked"


def test_the_figures_of_the_paper_hold_together_once_its_misprints_are_put_right() -> None:
    for label, test in {"8": 0, "9": 1, "10": 2, "11": 5, "12": 4}.items():
        for name, (acc, original, perturbed, cons, _) in FIGURES[label].items():
            assert acc == pytest.approx((original + perturbed) / 2, abs=0.011)
            assert FIGURES["1"][name][test] == pytest.approx(cons, abs=0.051)
    (rephrased, *_), ordered = FIGURES["18"]["LXMERT, binary"], FIGURES["18"]["LXMERT, binary"][3]
    assert FIGURES["4"]["binary"][0] == pytest.approx((2 * rephrased + ordered) / 3, abs=0.051)


@pytest.mark.parametrize(("label", "whole"), [("13", "8"), ("14", "9"), ("15", "10"), ("16", "11"), ("17", "12")])
def test_the_coverage_that_the_paper_prints_is_over_single_answers_and_not_over_pairs(label: str, whole: str) -> None:
    def apart(measure: int) -> float:
        """By how much two figures differ, at most, that both tell what two models have right together."""
        models = list(FIGURES[label])
        found: float = max(
            abs(FIGURES[label][one][column] * of_other / FIGURES[label][other][row] / of_one - 1)
            for row, one in enumerate(models)
            for column, other in enumerate(models[:row])
            for of_one, of_other in [(FIGURES[whole][one][measure], FIGURES[whole][other][measure])]
        )
        return found

    accuracy, comprehensive = 0, 4
    assert apart(accuracy) < 0.05 < 0.15 < apart(comprehensive)

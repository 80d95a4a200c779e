"""Findings of a lab: what a model does not understand, said in words, with examples and the other models."""

import json
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

import counterpoint as cp
from counterpoint.cli.main import commands
from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Picture
from counterpoint.lab.finding_words import describe_feature
from counterpoint.metrics.findings.features import SearchSpace, SliceFeature, find_features
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import RunRecord

NOUNS = ("dog", "cat", "bus", "cup", "tree")
GROUPS = 200


def _group(number: int) -> Group:
    noun, picture = NOUNS[number % 5], Picture(f"photos:{number // 2}.png")
    texts = f"Is there a {noun}?", f"Is there no {noun}?" if number % 4 == 0 else f"Is a {noun} visible?"
    right = "yes" if number % 3 else "no"
    other = {"yes": "no", "no": "yes"}[right] if number % 4 == 0 else right
    relation = Relation.DIFFERS if number % 4 == 0 else Relation.SAME
    return Group(relation, tuple(Query(picture, text) for text in texts), (Gold.of(right), Gold.of(other)))


def _answers(groups: list[Group], *, keeps: bool) -> list[tuple[int, str]]:
    """Right but for every seventh base; a model that keeps its answer gives a negated question that of the base."""
    given = []
    for number, group in enumerate(groups):
        golds = [gold.best for gold in group.gold if gold]
        first = golds[0] if number % 7 else "maybe"
        second = first if keeps and group.relation == Relation.DIFFERS else golds[1]
        given += [(group.queries[0].id, first), (group.queries[1].id, second)]
    return given


@pytest.fixture(scope="module")
def findings_lab(tmp_path_factory: pytest.TempPathFactory) -> cp.Lab:
    folder = tmp_path_factory.mktemp("findings")
    lab, groups = cp.Lab(folder / "lab"), [_group(number) for number in range(GROUPS)]
    lab.add_groups(groups, "presence")
    for name, keeps in (("stubborn", True), ("careful", False)):
        file = folder / f"{name}.csv"
        lines = [f"{hex_id(query)},{answer}" for query, answer in _answers(groups, keeps=keeps)]
        file.write_text("query_id,answer\n" + "\n".join(lines) + "\n", "utf-8")
        lab.import_predictions(file, name=name, rule="exact")
    return lab


def test_a_finding_is_a_sentence_with_examples_patterns_and_the_other_models(findings_lab: cp.Lab) -> None:
    found = findings_lab.findings("stubborn")
    assert found.is_significant
    (first,) = found
    assert first.n == 50
    assert first.sentence == (
        "Right in 0 % of 50 groups in which the answers must differ, against 86 % elsewhere; 70 % of all its failures."
    )
    assert first.others == {"careful": pytest.approx(0.84)}
    assert "keeps the answer to the base" in " ".join(first.patterns)
    assert len({own.members[0].query.picture for own in first.examples}) == 3
    assert {own.verdict for own in first.examples} <= {"broken", "wrong"}
    assert len(first.groups) == 50


def test_a_lab_with_one_model_need_not_be_told_its_name(findings_lab: cp.Lab, tmp_path: Path) -> None:
    with pytest.raises(cp.CounterpointError, match="several models") as raised:
        findings_lab.findings()
    assert "name one of careful, stubborn with --model" in raised.value.hint
    lab = cp.Lab(tmp_path / "lab")
    lab.add_groups([_group(number) for number in range(GROUPS)], "presence")
    file = tmp_path / "answers.csv"
    answers = _answers([_group(number) for number in range(GROUPS)], keeps=True)
    file.write_text("query_id,answer\n" + "\n".join(f"{hex_id(query)},{answer}" for query, answer in answers), "utf-8")
    lab.import_predictions(file, name="alone", rule="exact")
    done = CliRunner().invoke(commands, ["findings", str(lab.folder)], catch_exceptions=False)
    assert "What alone does not understand" in done.output
    assert "alone is the only model of this lab" in done.output
    with pytest.raises(cp.CounterpointError, match="alone and alone are the same version"):
        lab.findings(against="alone")


def test_findings_keep_to_the_width_of_a_terminal(findings_lab: cp.Lab) -> None:
    text = findings_lab.findings("stubborn").text(width=60)
    assert max(map(len, text.splitlines())) <= 60
    assert " ".join(findings_lab.findings("stubborn").text().split()) == " ".join(text.split())


def test_a_model_without_a_weakness_has_largest_gaps_that_are_not_significant(findings_lab: cp.Lab) -> None:
    found = findings_lab.findings("careful")
    assert not found.is_significant
    assert "largest gaps, not yet significant" in found.text()


def test_groups_left_out_for_failed_answers_are_counted(findings_lab: cp.Lab, tmp_path: Path) -> None:
    lab = cp.Lab(shutil.copytree(findings_lab.folder, tmp_path / "lab"))
    groups, store = [_group(number) for number in range(150)], LabStore(lab.folder)
    store.put_run(RunRecord("away", "away", "away 1"))
    with store.answers("away 1", run="away") as log:
        for number, (query, value) in enumerate(_answers(groups, keeps=False)):
            log.add([(query, 0, Answer.of(value) if number % 6 else Answer.failed("HTTP 500"), "", 0.0)])
    found = lab.findings("away")
    assert found.searched == 100
    assert "50 groups were left out: a query of each failed" in found.notes()
    assert "50 groups were left out" in lab.findings("careful", against="away").text()
    assert not any("left out" in note for note in lab.findings("careful").notes())


def test_what_changed_between_two_models_is_told(findings_lab: cp.Lab) -> None:
    found = findings_lab.findings("careful", against="stubborn")
    assert found[0].sentence.startswith(
        "84 points better in 50 groups in which the answers must differ; elsewhere unchanged"
    )


def test_a_change_is_shown_by_groups_that_were_fixed_or_broken(findings_lab: cp.Lab) -> None:
    failed = {
        model: {group.group_id for group in findings_lab.failures(model, limit=GROUPS)}
        for model in ("careful", "stubborn")
    }
    for model, other in (("careful", "stubborn"), ("stubborn", "careful")):
        (own,) = findings_lab.findings(model, against=other)
        shown = {group.group_id for group in own.examples}
        assert len(shown) == 3
        assert shown <= failed["stubborn"] - failed["careful"]


def test_features_are_made_once_for_suites_that_do_not_change(
    findings_lab: cp.Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(findings_lab.folder, tmp_path / "lab")
    made: list[int] = []

    def find_and_count(table: pa.Table) -> SearchSpace:
        made.append(table.num_rows)
        return find_features(table)

    monkeypatch.setattr("counterpoint.lab.findings.find_features", find_and_count)
    for model in ("careful", "stubborn"):
        cp.Lab(folder).findings(model)
    assert made == [2 * GROUPS]
    cp.Lab(folder).add_groups([_group(number) for number in range(GROUPS - 20)], "presence", replace=True)
    assert cp.Lab(folder).findings("stubborn").searched == GROUPS - 20
    assert made == [2 * GROUPS, 2 * GROUPS - 40]


def test_a_gate_refuses_new_findings(findings_lab: cp.Lab) -> None:
    rule = "findings: none new against baseline"
    worse = findings_lab.gate("stubborn", [rule], baseline="careful")
    (check,) = worse.checks
    assert (worse.exit_code(), check.test.n, check.test.value < -0.5) == (3, 50, True)
    assert "in which the answers must differ" in worse.text()
    assert "in which the answers must differ" in worse.junit()
    among_many = findings_lab.gate("stubborn", [rule, *["accuracy >= 0.01"] * 20], baseline="careful")
    assert among_many.checks[0].p == check.p
    better = findings_lab.gate("careful", ["findings: none new against stubborn"])
    assert (better.verdict, better.baseline, better.checks[0].test.n) == ("holds", "stubborn", GROUPS)
    with pytest.raises(cp.CounterpointError, match="baseline"):
        findings_lab.gate("stubborn", [rule])
    with pytest.raises(cp.CounterpointError, match="findings are searched in all answers"):
        findings_lab.gate_sequentially("random", [rule], baseline="careful")


def test_halves_confirm_a_finding(findings_lab: cp.Lab) -> None:
    assert findings_lab.findings("stubborn", confirm="split")[0].n == 50


def test_findings_show_in_a_notebook_and_as_data(findings_lab: cp.Lab) -> None:
    found = findings_lab.findings("stubborn")
    HTMLParser().feed(found._repr_html_())
    assert found[0].sentence in found._repr_html_()
    assert found.to_arrow()["n"].to_pylist() == [50]
    assert "examples" in found.to_dict()["findings"][0]


def test_the_command_prints_sentences_and_json(findings_lab: cp.Lab) -> None:
    arguments = ["findings", str(findings_lab.folder), "--model", "stubborn"]
    printed = CliRunner().invoke(commands, arguments)
    assert "Right in 0 % of 50 groups" in printed.stdout
    written = json.loads(CliRunner().invoke(commands, [*arguments, "--json"]).stdout)
    assert written["findings"][0]["features"] == [{"column": "relation", "value": "differs"}]


def test_a_model_is_not_compared_with_itself_nor_confirmed_otherwise(findings_lab: cp.Lab) -> None:
    with pytest.raises(cp.CounterpointError, match="same version"):
        findings_lab.findings("careful", against="careful")
    with pytest.raises(cp.UnknownName, match="thirds"):
        findings_lab.findings("careful", confirm="thirds")


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("tag:there", "0", "where nothing that is asked for is in the picture"),
        ("tag:direction", "up", "that use the more general word"),
        ("tag:attribute", "yes", "that name an attribute"),
        ("test", "order", "of order (its order does not matter)"),
        ("tag:weather", "rain", "whose weather is “rain”"),
    ],
)
def test_features_are_said_in_words(column: str, value: str, words: str) -> None:
    assert describe_feature(SliceFeature(column, value), {"order": "its order does not matter"}) == words

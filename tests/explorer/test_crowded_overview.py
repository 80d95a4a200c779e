"""The first page of a lab of many models and suites: examples of failures, then a dense leaderboard of families."""

import re
from pathlib import Path
from typing import Any

import pytest
from clients import local_client, reader_of
from starlette.testclient import TestClient

from benchmarks.crowded_lab import SUITES, make_lab
from counterpoint.explorer.app import create_app

MODELS, FOLDED = 6, (*SUITES[:7], "plain", "question-bias")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    lab = make_lab(tmp_path_factory.mktemp("lab"), MODELS, FOLDED, groups=24)
    return local_client(create_app(lab, cache=tmp_path_factory.mktemp("cache"), background=False))


def _twin(client: TestClient, query: str = "") -> Any:
    return client.get(f"/overview.json{query}").json()


def test_findings_and_failing_suites_stand_above_the_leaderboard(client: TestClient) -> None:
    twin, page = _twin(client), client.get("/overview").text
    assert len(twin["examples"]) == 3
    assert page.index('class="findings"') < page.index('class="dense"')
    findings = [example for example in twin["examples"] if example["address"].endswith("/findings")]
    assert findings == twin["examples"][: len(findings)] != []
    assert all(re.match(r"is right in \d+ % of \d+ groups .+ of all its failures", own["sentence"]) for own in findings)
    for example in twin["examples"]:
        assert example["model"] not in ("question-only", "always-yes")
        assert client.get(example["address"]).status_code == 200
    for example in twin["examples"][len(findings) :]:
        failed, pairs = map(int, re.findall(r"\d+", example["about"].partition(": ")[2]))
        found = client.get(example["address"].replace("/browse", "/browse.json")).json()
        assert 0 < found["found"] <= failed <= pairs  # a group may have several pairs


@pytest.mark.prove
def test_findings_are_shown_on_different_pictures(tmp_path: Path) -> None:
    lab = make_lab(
        tmp_path / "lab", 8, ("negation", "order", "antonym", "visual", "rephrase", "contrast-sets"), groups=60
    )
    client = local_client(create_app(lab, cache=tmp_path / "cache", background=False))
    examples = _twin(client)["examples"]
    assert [own["address"].endswith("/findings") for own in examples] == [True] * 3
    assert len({client.get(own["entry"]["picture"]).content for own in examples}) == 3


def test_few_columns_leave_room_for_long_names_and_many_do_not(client: TestClient) -> None:
    names = [
        r'<span class="roomy">Qwen3-VL-235B-A22B-Instruct-AWQ-\S+</span>',
        r'<span class="tight">Qwen3-VL-\S+</span>',
    ]
    few, many = (client.get(f"/overview{query}").text for query in ("", "?family=all"))
    assert [len(re.findall(name, few)) for name in names] == [1, 1]
    assert 'class="roomy"' not in many
    assert 'type="search" aria-label="Search models"' in few


def test_families_have_one_column_each_and_open_to_their_suites(client: TestClient) -> None:
    closed, opened = _twin(client), _twin(client, "?family=CARETS")
    assert [column["label"] for column in closed["columns"]] == ["overall", "CARETS", "Own", "VALSE", "Bias"]
    labels = [column["label"] for column in opened["columns"]]
    assert labels[1:8] == ["CARETS", "antonym", "negation", "ontology", "order", "rephrase", "visual"]
    page = client.get("/overview").text
    assert len(page.encode()) < 150_000
    assert "lower is better" in page


def test_a_dense_leaderboard_ends_with_the_day_of_the_last_run(client: TestClient) -> None:
    page, days = client.get("/overview").text, [line["last_date"] for line in _twin(client)["lines"]]
    assert len(set(days)) == MODELS - 2
    assert all(f">{day}</td>\n    </tr>" in page for day in days)
    assert 'class="number">last run</th></tr>' in page


def test_models_that_do_not_look_are_a_floor_and_never_bold(client: TestClient) -> None:
    twin = _twin(client, "?family=all")
    assert {line["model"] for line in twin["floor"]} == {"question-only", "always-yes"}
    assert not any(cell["tie"] for line in twin["floor"] for cell in line["cells"])
    assert len(twin["lines"]) == MODELS - 2
    assert "are never bold" in client.get("/overview").text


def test_a_pinned_model_comes_first_and_old_versions_can_be_left_out(client: TestClient) -> None:
    lines = _twin(client)["lines"]
    last = lines[-1]["slug"]
    assert _twin(client, f"?pin={last}")["lines"][0]["slug"] == last
    latest = [line["model"] for line in _twin(client, "?versions=latest")["lines"]]
    assert sum("@step-" in line["model"] for line in lines) > 1
    assert sum("@step-" in model for model in latest) == 1


def test_families_say_what_share_of_the_answers_of_all_their_suites_was_refused(client: TestClient) -> None:
    details = [
        [line["detail"] for line in _twin(client, query)["lines"]] for query in ("", "?family=CARETS", "?family=all")
    ]
    assert details[0] == details[1] == details[2]
    assert any("refused" in detail for detail in details[0])


def test_cost_is_explained_where_it_is_shown(client: TestClient) -> None:
    note = "Cost is that of the runs in this lab"
    for query in ("?suite=negation&suite=existence", "?suite=negation", "?suite=negation&metric=accuracy&metric=cost"):
        twin = _twin(client, query)
        assert any(note in text for text in twin["notes"]) == bool(twin["costs"]), query


def test_a_column_sorts_the_models(client: TestClient) -> None:
    values = [line["cells"][1]["value"] for line in _twin(client, "?sort=family/CARETS")["lines"]]
    known = [value for value in values if value is not None]
    assert known == sorted(known, reverse=True)


def test_models_are_ordered_by_name_as_people_count(client: TestClient) -> None:
    names = [line["model"] for line in _twin(client, "?sort=model")["lines"]]
    steps = [int(name.partition("@step-")[2]) for name in names if "@step-" in name]
    assert len(steps) > 1
    assert steps == sorted(steps)
    assert names[::-1] == [line["model"] for line in _twin(client, "?sort=-model")["lines"]]


def test_columns_say_chance_and_which_differences_they_could_tell(client: TestClient) -> None:
    columns = {column["metric"]: column for column in _twin(client, "?suite=negation&suite=existence")["columns"]}
    assert columns["comprehensive_accuracy"]["chance"] == 0.25
    assert columns["acc_r"]["chance"] == 0.5
    undecided = [column for column in _twin(client, "?family=all")["columns"] if column["undecided"]]
    assert undecided
    page = client.get("/overview?family=all").text
    for column in undecided:
        points = f"{100 * column['detectable']:.0f}"
        assert column["undecided"] == f"too few groups to rank models that differ by less than {points} points"
        assert f'<span title="{column["undecided"]}">ties below {points}</span>' in page
    page = client.get("/overview?suite=negation").text
    assert "higher is better unless a column says otherwise" in page
    assert "chance 25" in page


def test_metrics_that_coincide_are_shown_once(client: TestClient) -> None:
    reader = reader_of(client)
    suite = "plain"  # whose groups have no variants
    values = {
        name: tuple(reader.score(suite, model.slug, name) for model in reader.models())
        for name in reader.displayed_metrics(suite)
    }
    assert len(set(values.values())) == len(values)

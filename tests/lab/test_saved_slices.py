"""Slices by name: saved from Python and from Browse, listed, and held by gates."""

import json
import re
from pathlib import Path

import pytest
from clients import local_client
from labs import GROUPS, small_lab

import counterpoint as cp
from counterpoint.core.errors import CounterpointError, StoreError, UnknownName
from counterpoint.explorer.app import create_app


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> cp.Lab:
    return cp.Lab(small_lab(tmp_path_factory.mktemp("lab")).folder)


def test_a_gate_looks_at_the_groups_of_a_slice_alone(lab: cp.Lab) -> None:
    assert lab.save_slice("evens", {"kind": "even", "suite": ""}).filter == {"kind": "even"}
    by_slice, by_kind = (
        lab.gate("hasty", [f"plain.accuracy[{where}] >= 0.2"]).checks[0] for where in ("slice=evens", "kind=even")
    )
    assert 0 < by_slice.test.n < 2 * GROUPS
    assert (by_slice.test.n, by_slice.test.value) == (by_kind.test.n, by_kind.test.value)
    assert by_slice.rule.text == "plain.accuracy[slice=evens] >= 0.2"
    over_all = lab.gate("hasty", ["accuracy[slice=evens] not worse than careful by 90 points"])
    assert over_all.checks[0].test.n == by_slice.test.n
    with pytest.raises(UnknownName, match="slice of this lab"):
        lab.gate("hasty", ["accuracy[slice=even] >= 0.2"])


def test_a_slice_is_a_column_of_the_leaderboard_with_the_score_of_the_gate(lab: cp.Lab, cache: Path) -> None:
    lab.save_slice("evens", {"kind": "even"})
    board = lab.leaderboard(slices=["evens"]).board
    assert board.columns[-1].key == "slice/evens/accuracy"
    assert [row.model for row in board.rows] == [row.model for row in lab.leaderboard().board.rows]
    gated = {row.model: lab.gate(row.model, ["accuracy[slice=evens] >= 0.2"]).checks[0].test for row in board.rows}
    cells = {row.model: row.cells["slice/evens/accuracy"] for row in board.rows}
    assert {name: (cell.value, cell.n) for name, cell in cells.items()} == {
        name: (test.value, test.n) for name, test in gated.items()
    }
    assert not any(own.slice for own in lab.leaderboard().board.columns)
    with pytest.raises(UnknownName, match="slice of this lab"):
        lab.leaderboard(slices=["nights"])
    with pytest.raises(CounterpointError, match="no columns of slices"):
        lab.leaderboard(slices=["evens"], layout="datasets")
    client = local_client(create_app(lab.store, cache=cache))
    page = client.get("/overview.json?slice=evens&open=hasty").json()
    (line,) = [line for line in page["lines"] if line["model"] == "hasty"]
    assert line["cells"][-1]["value"] == pytest.approx(cells["hasty"].value)
    assert client.get(line["cells"][-1]["address"]).status_code == 200
    assert 'name="slice" value="evens" checked' in client.get("/overview?slice=evens&suite=plain").text
    assert client.get("/overview?slice=nights").status_code == 404


@pytest.mark.parametrize(
    ("given", "problem"), [({"verdict": "fails"}, "field"), ({"kind": ""}, "every group"), ({"kind": 3}, "no text")]
)
def test_a_slice_says_what_groups_are(lab: cp.Lab, given: dict[str, str], problem: str) -> None:
    with pytest.raises(CounterpointError, match=problem):
        lab.save_slice("odd", given)
    with pytest.raises(CounterpointError, match="no name"):
        lab.save_slice("../odd", {"kind": "even"})


def test_the_filter_of_browse_is_saved_by_its_own_page_alone(lab: cp.Lab, cache: Path) -> None:
    client = local_client(create_app(lab.store, cache=cache), follow_redirects=False)
    page = client.get("/browse?kind=odd&model=hasty").text
    form = page[page.index("/browse/slices") :]
    fields = dict(re.findall(r'type="hidden" name="(token|kind)" value="([^"]+)"', form))
    assert client.post("/browse/slices", data={"name": "odds", "kind": "odd"}).status_code == 403
    answer = client.post("/browse/slices", data={**fields, "name": "odds"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/browse?kind=odd")
    assert [(own.name, own.filter) for own in lab.slices() if own.name == "odds"] == [("odds", {"kind": "odd"})]
    listed = client.get("/browse.json?kind=odd&model=hasty").json()["slices"]
    (link,) = [own for own in listed if own["label"] == "odds"]
    assert link["chosen"]
    assert client.get(link["address"]).status_code == 200


@pytest.mark.parametrize("filter_", ['"kind"', "null", '{"kind": "even", "model": "hasty"}'])
def test_a_file_that_is_no_slice_is_refused_with_its_name(lab: cp.Lab, filter_: str) -> None:
    lab.store.storage.put("slices/odd.json", f'{{"filter": {filter_}}}'.encode())
    try:
        with pytest.raises(StoreError, match=r"odd\.json holds no slice"):
            lab.slices()
    finally:
        lab.store.storage.delete("slices/odd.json")


def test_saved_slices_and_versions_are_data_as_every_result(tmp_path: Path) -> None:
    lab = cp.Lab(tmp_path / "lab")
    lab.generate("order", items=20, limit=5)
    lab.run("constant")
    saved = lab.save_slice("some", {"suite": "order", "test": "order"})
    assert saved.to_dict() == {"name": "some", "filter": {"suite": "order", "test": "order"}}
    lab.save_slice("yes", {"gold": "yes"})
    slices = lab.slices()
    assert slices.to_dict() == {"slices": [saved.to_dict(), {"name": "yes", "filter": {"gold": "yes"}}]}
    assert slices.to_arrow().to_pydict() == {
        "name": ["some", "yes"],
        "suite": ["order", None],
        "test": ["order", None],
        "gold": [None, "yes"],
    }
    assert "suite: order, test: order" in repr(slices)
    marked = lab.set_baseline("constant").to_dict()
    assert (marked["name"], marked["title"], json.loads(json.dumps(marked))) == ("constant", "constant", marked)

"""The page of one model: its metrics, its distributions, where it is strong and weak, what it costs."""

from typing import Any

import numpy as np
import pytest
from labs import GROUPS, captions_lab, small_lab
from starlette.testclient import TestClient

from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.explorer.app import create_app
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.slices import FEWEST_GROUPS, SliceDeviation, find_deviations
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.outcomes.queries import score_bin_counts, slice_sums
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    return TestClient(create_app(small_lab(tmp_path_factory.mktemp("lab")), cache=tmp_path_factory.mktemp("cache")))


def _json(client: TestClient, address: str) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return answer.json()


def _deviations(reader: LabReader) -> tuple[SliceDeviation, ...]:
    whole, *slices = slice_sums(reader, "skewed", "m", "comprehensive_accuracy")
    return find_deviations(slices, whole)


def test_every_sample_is_counted_once_and_the_bars_make_the_whole_data_set(client: TestClient) -> None:
    counts = score_bin_counts(client.app.state.reader, "plain", "hasty", "accuracy", 10)  # type: ignore[attr-defined]
    assert sum(counts.values()) == GROUPS
    assert set(counts) == {5, 9}  # right on the base alone, or on both
    charts = _json(client, "/models/hasty.json?suite=plain&metric=accuracy")["charts"]
    assert not any("bins" in figure["chart"] for figure in charts)  # two bars say no more than the table


def test_all_measures_of_the_model_have_intervals_and_cost_has_figures_or_reasons(client: TestClient) -> None:
    twin = _json(client, "/models/careful.json")
    assert {one["suite"] for one in twin["measured"]} == {"plain", "odd"}
    for one in twin["measured"]:
        assert all(
            cell["low"] <= cell["value"] <= cell["high"]
            for cell in one["cells"]
            if cell["low"] is not None  # a plug-in value such as ece has no interval
        )
    assert any(cell["low"] is not None for cell in twin["measured"][0]["cells"])
    assert all(figure["text"] or figure["reason"] for _, figure in twin["costs"])


def test_another_model_stands_beside_it_where_the_address_says_so(client: TestClient) -> None:
    twin = _json(client, "/models/careful.json?against=hasty")
    (plain,) = [one for one in twin["measured"] if one["suite"] == "plain"]
    assert len(plain["against"]) == len(plain["cells"])
    assert any("chart=profile" in chart["address"] for chart in twin["charts"])
    assert twin["charts"][0]["chart"]["title"]
    assert client.get("/models/careful.svg?chart=profile&against=hasty").status_code == 200


def test_reliability_is_drawn_where_there_are_probabilities_and_nowhere_else(client: TestClient) -> None:
    has, lacks = ([c["address"] for c in _json(client, f"/models/{m}.json")["charts"]] for m in ("careful", "hasty"))
    assert any("chart=reliability" in address for address in has)
    assert not any("chart=reliability" in address for address in lacks)


def test_a_measure_that_the_chosen_suite_lacks_gives_way_to_one_that_it_has(client: TestClient) -> None:
    boxes = {box["name"]: box for box in _json(client, "/models/careful.json?suite=plain&metric=acc_r")["boxes"]}
    assert [option["value"] for option in boxes["metric"]["options"] if option["chosen"]] == ["comprehensive_accuracy"]


@pytest.mark.parametrize(
    "address",
    [
        "/models/nobody",
        "/models/careful?against=nobody",
        "/models/careful?suite=no",
        "/models/careful?metric=no",
        "/models/careful.svg?chart=no",
    ],
)
def test_what_is_not_there_is_said(client: TestClient, address: str) -> None:
    assert client.get(address).status_code == 404


def test_a_model_that_only_ranks_has_its_page(tmp_path_factory: pytest.TempPathFactory) -> None:
    app = create_app(captions_lab(tmp_path_factory.mktemp("lab")), cache=tmp_path_factory.mktemp("cache"))
    twin = _json(TestClient(app), "/models/sharp.json?against=dull")
    assert [column["metric"] for column in twin["measured"][0]["columns"]][:3] == ["acc_r", "auroc", "min_p"]


def _skewed(folder: Any, rates: dict[str, float], seed: int) -> LabStore:
    """A model that is right as often as the kind of a question says, on sixty groups of each kind."""
    lab, rng = LabStore(folder), np.random.default_rng(seed)
    yes = Gold.of("yes")
    groups = []
    for kind in rates:
        for number in range(60):
            picture = Picture(f"toy:{number % 30}.png")
            queries = (Query(picture, f"{kind} {number}?"), Query(picture, f"Really, {kind} {number}?"))
            tags = ((("parity", str(number % 2)),),) * 2
            groups.append(("one", Group(Relation.SAME, queries, (yes, yes), kind=kind, tags=tags)))
    table = groups_table(groups, "skewed")
    lab.put_suite(Manifest.of(table, generator="labs", seed=7), table)
    with lab.answers("m 1") as log:
        for _, group in groups:
            value = "yes" if rng.random() < rates[group.kind] else "no"
            log.add((query.id, 0, Answer.of(value), "", 0.01) for query in group.queries)
    lab.put_run(RunRecord("0", "m", "m 1"))
    return lab


def test_the_kind_that_is_weak_is_found_with_where_to_see_it(tmp_path: Any) -> None:
    lab = _skewed(tmp_path / "lab", {"easy": 0.95, "middling": 0.7, "hard": 0.2}, 1)
    reader = LabReader(lab, tmp_path / "cache")
    reader.refresh()
    found = _deviations(reader)
    assert (found[0].column, found[0].value) == ("kind", "hard")
    assert (found[-1].column, found[-1].value) == ("kind", "easy")
    assert all(part.n >= FEWEST_GROUPS and part.column == "kind" for part in found)
    twin = _json(TestClient(create_app(lab, cache=tmp_path / "cache")), "/models/m.json")
    assert twin["weak"][0]["cell"]["address"].startswith("/browse?model=m&suite=skewed&kind=hard&metric=")


def test_where_all_kinds_are_alike_hardly_anything_is_found(tmp_path: Any) -> None:
    rates = {f"kind {number}": 0.6 for number in range(12)}
    reader = LabReader(_skewed(tmp_path / "lab", rates, 3), tmp_path / "cache")
    reader.refresh()
    assert not _deviations(reader)

"""Names and versions of models: how they are told apart, ordered and selected."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.store.versions import RunRecord, model_versions, select_versions, tag_version

DAY = "20261116T08000{}.000000-aa"


def _runs(*tags: str, model: str = "qwen") -> list[RunRecord]:
    return [RunRecord(DAY.format(n), model, f"{model} {tag or n}", version=tag) for n, tag in enumerate(tags)]


def test_versions_follow_the_number_that_ends_their_tag() -> None:
    found = model_versions(_runs("step-2000", "step-500", "step-1000"))
    assert [version.version for version in found] == ["step-500", "step-1000", "step-2000"]
    assert [version.title for version in found] == ["qwen@step-500", "qwen@step-1000", "qwen@step-2000"]


def test_a_number_with_dots_is_compared_part_by_part() -> None:
    assert [v.version for v in model_versions(_runs("v2.0", "v1.10", "v1.9"))] == ["v1.9", "v1.10", "v2.0"]


def test_versions_without_numbers_follow_their_first_run() -> None:
    assert [v.version for v in model_versions(_runs("step-9", "final", "step-1"))] == ["step-9", "final", "step-1"]


def test_a_run_of_an_older_lab_is_tagged_by_its_date() -> None:
    assert [v.version for v in model_versions(_runs("", ""))] == ["2026-11-16", "2026-11-16-2"]


def test_a_model_with_one_version_is_called_by_its_name_alone() -> None:
    (version,) = model_versions(_runs("step-1"))
    assert version.title == "qwen"


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("qwen", "step-3"),
        ("qwen@latest", "step-3"),
        ("qwen@previous", "step-2"),
        ("qwen@step-1", "step-1"),
        ("qwen step-1", "step-1"),
    ],
)
def test_a_name_a_place_a_tag_or_a_fingerprint_selects_a_version(name: str, version: str) -> None:
    (selected,) = select_versions(model_versions(_runs("step-1", "step-2", "step-3")), [name])
    assert selected.version == version


def test_an_unknown_model_or_version_is_answered_with_the_known_ones() -> None:
    versions = model_versions(_runs("step-1", "step-2"))
    with pytest.raises(UnknownName, match="qwem"):
        select_versions(versions, ["qwem"])
    with pytest.raises(UnknownName, match="step-7"):
        select_versions(versions, ["qwen@step-7"])
    with pytest.raises(StoreError, match="one version"):
        select_versions(model_versions(_runs("step-1")), ["qwen@previous"])


def test_an_unchanged_model_keeps_its_tag_and_a_changed_one_gets_its_date() -> None:
    versions = model_versions(_runs("step-1"))
    assert tag_version(versions, "qwen", "qwen step-1", "", "2026-11-17") == "step-1"
    assert tag_version(versions, "qwen", "qwen other", "", "2026-11-17") == "2026-11-17"
    dated = model_versions([*_runs("step-1"), RunRecord(DAY.format(5), "qwen", "qwen x", version="2026-11-17")])
    assert tag_version(dated, "qwen", "qwen other", "", "2026-11-17") == "2026-11-17-2"


def test_a_tag_belongs_to_one_fingerprint_of_a_model() -> None:
    versions = model_versions(_runs("step-1"))
    with pytest.raises(StoreError, match="another fingerprint"):
        tag_version(versions, "qwen", "qwen other", "step-1", "2026-11-17")
    assert tag_version(versions, "llava", "llava 1", "step-1", "2026-11-17") == "step-1"


def test_another_tag_for_the_same_fingerprint_selects_it_too() -> None:
    same = [RunRecord(DAY.format(n), "qwen", "qwen 1", version=tag) for n, tag in enumerate(("week-45", "week-46"))]
    (version,) = model_versions(same)
    assert (version.version, version.aliases) == ("week-45", ("week-46",))
    assert select_versions([version], ["qwen@week-46"]) == [version]


@pytest.mark.parametrize(
    ("tag", "hint"), [("a@b", "without @"), ("latest", "qwen@latest stands for"), ("previous", "give it another tag")]
)
def test_tags_that_would_not_select_a_version_are_refused(tag: str, hint: str) -> None:
    with pytest.raises(StoreError, match=r"cannot be the (name|tag) of a version") as raised:
        tag_version((), "qwen", "qwen 1", tag, "2026-11-16")
    assert hint in raised.value.hint


@pytest.mark.parametrize("name", ["", " "])
def test_a_model_has_a_name(name: str) -> None:
    """As of a shell variable that is not set."""
    with pytest.raises(StoreError, match="a model without a name"):
        tag_version((), name, "imported", "", "2026-11-16")


def test_a_fingerprint_that_another_one_replaces_is_no_version_of_its_own() -> None:
    old = RunRecord(DAY.format(0), "qwen", "qwen at http://a")
    new = RunRecord(DAY.format(1), "qwen", "qwen", {"former_fingerprints": ["qwen at http://a"]}, "v1")
    (version,) = model_versions([old, new])
    assert (version.fingerprint, version.former) == ("qwen", ("qwen at http://a",))


@given(st.lists(st.integers(0, 99), min_size=1, max_size=8, unique=True))
def test_every_version_is_selected_by_its_title(numbers: list[int]) -> None:
    versions = model_versions(_runs(*(f"step-{number}" for number in numbers))[:10])
    assert [select_versions(versions, [version.title])[0] for version in versions] == list(versions)

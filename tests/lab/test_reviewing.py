"""Sheets of a sample are written, marked and counted, and what is wrong in one is told by row."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from labs import small_lab

import counterpoint as cp
from counterpoint.review.sheets import MarkCount


@pytest.fixture
def lab(tmp_path: Path) -> cp.Lab:
    small_lab(tmp_path / "lab")
    return cp.Lab(tmp_path / "lab")


def mark(sheet: Path, marks: Callable[[int], str], delimiter: str = ",") -> None:
    """Fill in the column `mark` by the place of a row, and save the sheet as a spreadsheet program may."""
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with sheet.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        table.writeheader()
        table.writerows(row | {"mark": marks(place)} for place, row in enumerate(rows))


def rows_of(sheet: Path) -> list[dict[str, str]]:
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_a_sheet_shows_groups_with_pictures_and_hides_their_suite(lab: cp.Lab, tmp_path: Path) -> None:
    sheet = tmp_path / "out" / "sheet.csv"
    written = lab.write_sheet(sheet, ["plain"], sample=12, seed=3)
    rows = rows_of(sheet)
    assert written.groups == len(rows) == len({row["item"] for row in rows}) == 12
    texts = set(lab.groups("plain").table["text"].to_pylist())
    for row in rows:
        assert row["text"] in texts
        assert row["gold"] in ("light", "dark")
        assert row["proof"].startswith("its number is")
        assert (sheet.parent / row["picture"]).is_file()
    assert "plain" not in sheet.read_text("utf-8-sig")


def test_the_seed_draws_the_sample_and_a_larger_one_holds_the_smaller(lab: cp.Lab, tmp_path: Path) -> None:
    drawn = {}
    for name, sample, seed in (("a", 8, 1), ("b", 8, 1), ("c", 20, 1), ("d", 8, 2)):
        lab.write_sheet(tmp_path / f"{name}.csv", ["plain"], sample=sample, seed=seed)
        drawn[name] = {row["item"] for row in rows_of(tmp_path / f"{name}.csv")}
    assert drawn["a"] == drawn["b"] < drawn["c"]
    assert drawn["a"] != drawn["d"]


def test_suites_are_mixed_and_counted_apart_and_together(lab: cp.Lab, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    written = lab.write_sheet(sheet, ["plain", "odd"], sample=5, proofs=False)
    assert "proof" not in rows_of(sheet)[0]
    mark(sheet, lambda place: {0: "OK ", 1: "odd", 2: ""}.get(place, "ok"), delimiter=";")
    counted = lab.count_marks(sheet)
    total = counted.counts[-1]
    assert total.suite == "all"
    assert total.marked == sum(count.marked for count in counted.counts[:-1]) == written.groups - 1
    assert counted.unmarked == 1
    assert dict(total.causes) == {"odd": 1}
    assert "1 group has no mark" in counted.text()


def test_bounds_are_those_of_clopper_and_pearson() -> None:
    from scipy.stats import beta

    for accepted, n in ((184, 200), (185, 200), (60, 60), (0, 7), (29, 30)):
        count = MarkCount.of("s", "t", ["ok"] * accepted + ["odd"] * (n - accepted))
        low = beta.ppf(0.05, accepted, n - accepted + 1) if accepted else 0.0
        high = beta.ppf(0.95, accepted + 1, n - accepted) if accepted < n else 1.0
        assert (count.low, count.high) == pytest.approx((low, high), abs=1e-6)


def test_votes_that_groups_carry_are_held_against_the_marks(tmp_path: Path) -> None:
    lab = cp.Lab(tmp_path / "lab")
    groups = []
    for number, votes in enumerate((3, 3, 2, 1)):
        picture = cp.Picture(f"toy:{number}.png")
        texts = (f"A dog number {number}.", f"A cat number {number}.")
        queries = tuple(cp.Query(picture, text, mode=cp.Mode.SCORE) for text in texts)
        groups.append(cp.Group(cp.Relation.RANKS, queries, (None, None), tags=((("votes", str(votes)),),) * 2))
    lab.add_groups(groups, "released")
    sheet = tmp_path / "sheet.csv"
    written = lab.write_sheet(sheet, ["released"])
    assert written.missing_pictures == 4
    assert "4 pictures were not found" in written.text()
    assert {row["gold 2"] for row in rows_of(sheet)} == {"does not"}
    shown = [row["text"] for row in rows_of(sheet)]
    mark(sheet, lambda place: "ok" if "number 0" in shown[place] or "number 3" in shown[place] else "variant wrong")
    counted = lab.count_marks(sheet)
    assert (counted.votes, counted.agreed) == (
        4,
        1,
    )  # of the three that are valid one was accepted, and one that is not


def test_marks_count_for_the_suite_itself_and_not_for_a_checked_copy_of_it(tmp_path: Path) -> None:
    lab = cp.Lab(tmp_path / "lab")
    lab.generate("negation", items=8, limit=6)
    sheet = tmp_path / "sheet.csv"
    lab.write_sheet(sheet, ["negation"])
    mark(sheet, lambda place: "ok")
    lab.check("negation", name="a-checked-one")
    lab.check("negation", name="z-checked-one")
    assert {count.suite for count in lab.count_marks(sheet).counts} == {"negation"}


def test_marks_are_not_overwritten_and_what_is_wrong_is_named(lab: cp.Lab, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    lab.write_sheet(sheet, ["plain"], sample=3)
    lab.write_sheet(sheet, ["plain"], sample=3)  # nothing is lost
    assert lab.count_marks(sheet).text() == "3 groups have no mark"
    mark(sheet, lambda place: "fine" if place == 1 else "ok")
    with pytest.raises(cp.CounterpointError, match="row 3: fine is no mark"):
        lab.count_marks(sheet)
    mark(sheet, lambda place: "ok")
    with pytest.raises(cp.CounterpointError, match="has marks"):
        lab.write_sheet(sheet, ["plain"], sample=3)
    other = cp.Lab(tmp_path / "other")
    other.generate("negation", items=2)
    with pytest.raises(cp.CounterpointError, match="3 items are in no suite of the lab"):
        other.count_marks(sheet)
    (tmp_path / "no.csv").write_text("a,b\n1,2\n")
    with pytest.raises(cp.CounterpointError, match="no review sheet"):
        lab.count_marks(tmp_path / "no.csv")
    with pytest.raises(cp.CounterpointError, match="a sheet needs a suite"):
        lab.write_sheet(tmp_path / "new.csv", [])
    (tmp_path / "file").write_text("")
    with pytest.raises(cp.CounterpointError, match="cannot be written"):
        lab.write_sheet(tmp_path / "file" / "sheet.csv", ["plain"])
    with pytest.raises(cp.CounterpointError, match="cannot be read: No such file"):
        lab.count_marks(tmp_path / "missing.csv")
    lab.write_sheet(tmp_path / "bare", ["plain"], sample=2)  # a name without ending is no folder of pictures
    assert all((tmp_path / row["picture"]).is_file() for row in rows_of(tmp_path / "bare"))

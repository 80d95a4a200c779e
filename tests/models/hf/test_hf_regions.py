"""Region features: each layout of files gives the same regions, and what is wrong with one is said."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_classifiers import detected, encoded, save_table

from counterpoint.core.errors import CounterpointError, ModelError, PictureError
from counterpoint.core.pictures import Edit, Picture
from counterpoint.models.hf.regions import RegionFile

SIZE = {"width": 200, "height": 100}
PIXELS = np.array([200, 100, 200, 100], np.float32)


def saved(path: Path, **arrays: Any) -> None:
    np.savez(path, **arrays)


def coco(number: int) -> Picture:
    return Picture(f"coco:val2014/COCO_val2014_{number:012}.jpg")


def bottom_up(folder: Path) -> Path:
    return save_table(folder / "regions.tsv")


def lxmert_table(folder: Path) -> Path:
    """The ten columns of LXMERT, whose files are named as COCO names its pictures."""
    lines = []
    for number in range(4):
        found = detected(number)
        count = len(found["boxes"])
        ids, sure = encoded(np.zeros(count, np.int64)), encoded(np.ones(count, np.float32))
        cells = [f"COCO_val2014_{number:012}", "100", "200", ids, sure, ids, sure, str(count)]
        lines.append("\t".join([*cells, encoded(found["boxes"] * PIXELS), encoded(found["features"])]) + "\n")
    path = folder / "val2014_obj36.tsv"
    path.write_text("".join(lines))
    return path


def folder_of_pixels(folder: Path) -> Path:
    for number in range(4):
        found = detected(number)
        path = folder / "found" / "val2014" / f"COCO_val2014_{number:012}.npz"
        path.parent.mkdir(parents=True, exist_ok=True)
        saved(path, features=found["features"], boxes=found["boxes"] * PIXELS, **SIZE)
    return folder / "found"


def folder_of_shares(folder: Path) -> Path:
    (folder / "found").mkdir()
    for number in range(4):
        saved(folder / "found" / f"{number}.npz", **detected(number))
    return folder / "found"


def archive(folder: Path) -> Path:
    arrays = {f"coco:val2014/COCO_val2014_{n:012}.jpg/{key}": a for n in range(4) for key, a in detected(n).items()}
    saved(folder / "all.npz", **arrays)
    return folder / "all.npz"


LAYOUTS = (bottom_up, lxmert_table, folder_of_pixels, folder_of_shares, archive)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_regions(layout: Callable[[Path], Path], tmp_path: Path) -> None:
    regions = RegionFile(layout(tmp_path))
    assert len(regions) == 4
    for number in (2, 0, 3, 1, 2):
        expected = detected(number)
        assert np.array_equal(regions.features(coco(number)), expected["features"])
        assert np.allclose(regions.boxes(coco(number)), expected["boxes"], rtol=0, atol=1e-6)
        assert str(regions.features(coco(number)).dtype) == str(regions.boxes(coco(number)).dtype) == "float32"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_edited_picture_has_no_regions(layout: Callable[[Path], Path], tmp_path: Path) -> None:
    with pytest.raises(PictureError, match=r"is edited, and .* as it was"):
        RegionFile(layout(tmp_path)).features(coco(1).edited(Edit("blur", ("6",))))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_unknown_picture_is_named_beside_the_file(layout: Callable[[Path], Path], tmp_path: Path) -> None:
    path = layout(tmp_path)
    with pytest.raises(PictureError) as caught:
        RegionFile(path).features(coco(77))
    assert str(caught.value) == f"{path} has no regions for {coco(77).address} among those of 4 pictures"
    assert "the first is called" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("gqa:2354.jpg", "gqa:2354.jpg"),
        ("images/2354.jpg", "gqa:images/2354.jpg"),
        ("images/2354", "gqa:images/2354.jpg"),
        ("a.b", "own:photos/a.b.png"),
        ("2354", "gqa:images/2354.jpg"),
        ("285", "coco:val2014/COCO_val2014_000000000285.jpg"),
        ("000000000285", "coco:train2017/000000000285.jpg"),
        ("COCO_val2014_000000000285", "coco:000000000285.jpg"),
    ],
)
def test_a_picture_is_found_by_address_path_name_or_number(tmp_path: Path, name: str, address: str) -> None:
    saved(tmp_path / "all.npz", **{f"{name}/features": np.ones((1, 2), np.float32)})
    assert RegionFile(tmp_path / "all.npz").features(Picture(address)).shape == (1, 2)


def test_a_name_or_number_that_two_pictures_share_leads_to_neither(tmp_path: Path) -> None:
    names = ("test/7", "train/7", "COCO_val2014_000000000009", "9")
    saved(tmp_path / "all.npz", **{f"{name}/features": np.full((1, 2), n) for n, name in enumerate(names)})
    regions = RegionFile(tmp_path / "all.npz")
    assert regions.features(Picture("world:train/7.png"))[0, 0] == 1
    assert regions.features(Picture("coco:x/COCO_val2014_000000000009.jpg"))[0, 0] == 2
    for address in ("world:other/7.png", "coco:COCO_train2014_000000000009.jpg"):
        with pytest.raises(PictureError, match="no regions"):
            regions.features(Picture(address))


def test_features_alone_will_do_where_no_boxes_are_needed(tmp_path: Path) -> None:
    np.save(tmp_path / "5.npy", detected(1)["features"])
    np.save(tmp_path / "5_info.npy", np.zeros(1))
    regions = RegionFile(tmp_path)
    assert len(regions) == 1
    assert np.array_equal(regions.features(Picture("x:5.png")), detected(1)["features"])
    with pytest.raises(PictureError, match=r"has no boxes for x:5\.png"):
        regions.boxes(Picture("x:5.png"))


def test_the_digest_is_that_of_the_content(tmp_path: Path) -> None:
    one, other = save_table(tmp_path / "one.tsv"), save_table(tmp_path / "other.tsv")
    assert RegionFile(one).digest == RegionFile(other).digest
    changed = other.read_text()
    other.write_text(changed[:-3] + ("A" if changed[-3] != "A" else "B") + changed[-2:])
    assert RegionFile(one).digest != RegionFile(other).digest
    folder = folder_of_shares(tmp_path)
    before = RegionFile(folder).digest
    assert RegionFile(folder).digest == before
    saved(folder / "9.npz", **detected(9))
    assert RegionFile(folder).digest != before


@given(st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_headers_further_columns_and_line_ends_do_not_matter(end: str, header: bool, more: bool) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = save_table(Path(folder) / "regions.tsv.0")
        lines = path.read_text().splitlines()
        lines = [line + "\tAAAA" * more for line in lines]
        top = ["image_id\timage_w\timage_h\tnum_boxes\tboxes\tfeatures"] if header else []
        path.write_bytes((end.join([*top, *lines]) + end).encode())
        regions = RegionFile(path)
        assert len(regions) == 4
        assert np.array_equal(regions.features(Picture("x:3.png")), detected(3)["features"])


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no features": ({"boxes": np.zeros((1, 4))}, "there is no array called features"),
    "flat": ({"features": np.ones(5)}, r"features are \(5,\), and should be \(regions, numbers\)"),
    "empty": ({"features": np.ones((0, 5))}, "and should be"),
    "not numbers": ({"features": np.full((1, 5), np.nan)}, "not all features are numbers"),
    "words": ({"features": np.array([["a"]])}, "cannot be read"),
    "few boxes": ({"features": np.ones((2, 5)), "boxes": np.zeros((1, 4))}, r"boxes are \(1, 4\), and .* \(2, 4\)"),
    "pixels": ({"features": np.ones((1, 5)), "boxes": np.array([[0, 0, 50, 50]])}, "reach from 0 to 50"),
    "no size": ({"features": np.ones((1, 5)), "boxes": np.zeros((1, 4)), "width": 0, "height": 9}, "is 0 by 9 pixels"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_with_the_regions_of_a_picture_is_said_with_its_file(tmp_path: Path, what: str) -> None:
    arrays, fact = WRONG[what]
    saved(tmp_path / "5.npz", **arrays)
    with pytest.raises(PictureError, match=fact) as caught:
        RegionFile(tmp_path).features(Picture("x:5.png"))
    assert str(tmp_path / "5.npz") in str(caught.value)


def test_a_broken_file_is_said_and_pickles_are_never_opened(tmp_path: Path) -> None:
    (tmp_path / "1.npz").write_bytes(b"PK\x03\x04 and no more")
    np.save(tmp_path / "2.npy", np.array([{"boxes": 1}]), allow_pickle=True)
    for number in (1, 2):
        with pytest.raises(PictureError, match=rf"{number}\.np. cannot be read"):
            RegionFile(tmp_path).features(Picture(f"x:{number}.png"))


def test_a_broken_line_is_named_by_its_number_and_picture(tmp_path: Path) -> None:
    path = save_table(tmp_path / "regions.tsv")
    lines = path.read_text().splitlines(keepends=True)
    lines[2] = lines[2].replace("\t200\t", "\twide\t")
    lines[3] = lines[3].replace(lines[3].split("\t")[4], "AAA")
    path.write_text("".join(lines))
    regions = RegionFile(path)
    assert regions.features(Picture("x:1.png")).shape == (4, 12)
    for number in (2, 3):
        with pytest.raises(PictureError, match=f"line {number + 1}, picture {number}: "):
            regions.features(Picture(f"x:{number}.png"))


@pytest.mark.parametrize(
    ("name", "content", "fact"),
    [
        ("missing.tsv", None, "does not exist"),
        ("regions.h5", b"", "is no file of region features"),
        ("regions.tsv", b"0\t1\t2\n", "line 1: 3 columns, and there should be 6 or 10"),
        ("regions.npz", b"no archive", "is no archive of arrays"),
    ],
)
def test_a_file_that_is_none_of_the_layouts_is_refused(
    tmp_path: Path, name: str, content: bytes | None, fact: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match=fact) as caught:
        RegionFile(tmp_path / name)
    assert "a .tsv of bottom-up attention" in caught.value.hint


def test_one_archive_without_names_of_pictures_is_refused(tmp_path: Path) -> None:
    saved(tmp_path / "one.npz", **detected(1))
    with pytest.raises(CounterpointError, match="no array whose name ends in /features, but features, boxes"):
        RegionFile(tmp_path / "one.npz")

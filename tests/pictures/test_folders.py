"""Pictures in folders: every mode and every broken file, and no way out of the folder."""

import warnings
from io import BytesIO
from pathlib import Path
from typing import Any, Literal
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from counterpoint.core.errors import PictureError, UnknownName
from counterpoint.core.pictures import Edit, Picture
from counterpoint.core.ports import Pixels
from counterpoint.pictures.folders import PictureFolders, channel_means, decode, folder_means
from counterpoint.sources.dataset import has_pictures

PIXELS: Pixels = np.random.Generator(np.random.PCG64(7)).integers(0, 256, (12, 16, 3), dtype=np.uint8)
LOSSLESS: dict[str, dict[str, Any]] = {"webp": {"lossless": True}}
UPRIGHT = 0x0112  # the EXIF tag that says which way is up


def _saved(folder: Path, image: Image.Image, name: str = "a.png", **options: Any) -> Path:
    path = folder / name
    image.save(path, **options)
    return path


@pytest.mark.parametrize(
    "path", ["../secret.png", "a/../../secret.png", "/etc/passwd", "..", "a/../..", "../pictures2/a.png"]
)
def test_an_address_cannot_leave_its_folder(tmp_path: Path, path: str) -> None:
    root = tmp_path / "pictures"
    with pytest.raises(PictureError, match="leads out of the folder"):
        PictureFolders({"own": root}).path(Picture(f"own:{path}"))


def test_a_link_that_the_owner_put_in_the_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "near").mkdir()
    _saved(tmp_path / "far", Image.fromarray(PIXELS))
    (tmp_path / "near" / "linked").symlink_to(tmp_path / "far")
    shown = PictureFolders({"own": tmp_path / "near"}).pixels(Picture("own:linked/a.png"))
    assert np.array_equal(shown, PIXELS)


def test_a_picture_that_is_not_in_its_folder_is_found_in_the_root(tmp_path: Path) -> None:
    flat, deep = Picture("coco:val2017/7.png"), Picture("coco:val2017/8.png")
    (tmp_path / "val2017").mkdir()
    for name in ("7.png", "8.png", "val2017/8.png"):
        _saved(tmp_path, Image.fromarray(PIXELS), name)
    folders = PictureFolders({"coco": tmp_path})
    assert folders.path(flat) == tmp_path / "7.png"
    assert folders.path(deep) == tmp_path / "val2017" / "8.png"
    assert folders.path(Picture("coco:val2017/9.png")) == tmp_path / "val2017" / "9.png"


@pytest.mark.parametrize(("stored", "asked"), [("NFD", "NFC"), ("NFC", "NFD")])
@pytest.mark.parametrize("folder", ["straße/über", "."])
def test_a_name_is_found_whether_its_accents_are_one_character_or_two(
    tmp_path: Path, stored: Literal["NFC", "NFD"], asked: Literal["NFC", "NFD"], folder: str
) -> None:
    file = tmp_path / normalize(stored, f"{folder}/größe.png")
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (2, 2), "red").save(file)
    picture = Picture(normalize(asked, "own:straße/über/größe.png"))
    assert PictureFolders({"own": tmp_path}).path(picture).read_bytes() == file.read_bytes()
    assert has_pictures(tmp_path, [picture.path])


def test_an_unknown_namespace_is_answered_with_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownName) as caught:
        PictureFolders({"coco": tmp_path}).pixels(Picture("cocoa:7.png"))
    assert caught.value.hint == "did you mean coco?"


def test_edits_are_applied_to_what_is_decoded(tmp_path: Path) -> None:
    _saved(tmp_path, Image.fromarray(PIXELS))
    shown = PictureFolders({"own": tmp_path}).pixels(Picture("own:a.png").edited(Edit("crop", (2, 3, 5, 4))))
    assert np.array_equal(shown, PIXELS[3:7, 2:7])


def test_transparency_is_laid_on_white(tmp_path: Path) -> None:
    clear = np.dstack([PIXELS, np.zeros((12, 16), np.uint8)])
    clear[:, 8:, 3] = 255
    shown = decode(_saved(tmp_path, Image.fromarray(clear)))
    assert (shown[:, :8] == 255).all()
    assert np.array_equal(shown[:, 8:], PIXELS[:, 8:])


def test_a_palette_gives_its_colors_and_its_clear_color_is_white(tmp_path: Path) -> None:
    image = Image.new("P", (2, 1))
    image.putpalette([200, 10, 20, 30, 40, 250])
    image.putpixel((1, 0), 1)
    assert decode(_saved(tmp_path, image)).tolist() == [[[200, 10, 20], [30, 40, 250]]]
    assert decode(_saved(tmp_path, image, transparency=1)).tolist() == [[[200, 10, 20], [255, 255, 255]]]


def test_gray_has_three_equal_channels_in_eight_bits_and_in_sixteen(tmp_path: Path) -> None:
    gray = PIXELS[:, :, 0]
    expected = np.dstack([gray] * 3)
    assert np.array_equal(decode(_saved(tmp_path, Image.fromarray(gray))), expected)
    assert np.array_equal(decode(_saved(tmp_path, Image.fromarray(gray.astype(np.uint16) * 257))), expected)
    assert decode(_saved(tmp_path, Image.new("1", (3, 2), 1))).tolist() == [[[255] * 3] * 3] * 2


def test_fractions_of_gray_are_refused_since_nobody_knows_their_white(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="floating-point gray"):
        decode(_saved(tmp_path, Image.new("F", (3, 2), 0.5), "a.tif"))


def test_printing_colors_come_out_as_screen_colors(tmp_path: Path) -> None:
    red = Image.new("CMYK", (16, 16), (0, 255, 255, 0))
    (shown,) = {tuple(pixel) for pixel in decode(_saved(tmp_path, red, "a.tif")).reshape(-1, 3).tolist()}
    assert shown == (255, 0, 0)
    r, g, b = decode(_saved(tmp_path, red, "a.jpg", quality=100)).reshape(-1, 3).mean(0)
    assert r > 245
    assert max(g, b) < 10


@pytest.mark.parametrize(
    ("tag", "turns", "mirrored"), [(1, 0, False), (2, 0, True), (3, 2, False), (6, 3, False), (8, 1, False)]
)
def test_a_picture_taken_sideways_is_turned_upright(tmp_path: Path, tag: int, turns: int, mirrored: bool) -> None:
    exif = Image.Exif()
    exif[UPRIGHT] = tag
    expected = np.rot90(PIXELS[:, ::-1] if mirrored else PIXELS, turns)
    assert np.array_equal(decode(_saved(tmp_path, Image.fromarray(PIXELS), exif=exif)), expected)


@pytest.mark.parametrize(("tag", "size"), [(1, (80, 60)), (6, (60, 80))])
def test_a_photograph_is_scaled_to_fit_upright_as_if_it_were_decoded_whole(
    tmp_path: Path, tag: int, size: tuple[int, int]
) -> None:
    coarse = np.random.default_rng(0).integers(0, 256, (6, 8, 3), np.uint8)
    image = Image.fromarray(coarse).resize((1600, 1200), Image.Resampling.BICUBIC)
    exif = Image.Exif()
    exif[0x0112] = tag
    image.save(tmp_path / "a.jpg", quality=95, exif=exif)
    scaled = decode(tmp_path / "a.jpg", max_size=(80, 1000) if tag == 1 else (60, 1000))
    assert scaled.shape == (size[1], size[0], 3)
    whole = np.asarray(Image.fromarray(decode(tmp_path / "a.jpg")).resize(size, Image.Resampling.LANCZOS))
    assert np.abs(scaled.astype(int) - whole).mean() < 3
    assert decode(tmp_path / "a.jpg", max_size=(5000, 5000)).shape == decode(tmp_path / "a.jpg").shape


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF"])
def test_a_file_cut_anywhere_is_read_or_refused_in_one_sentence(tmp_path: Path, form: str) -> None:
    whole = BytesIO()
    Image.fromarray(PIXELS).save(whole, form)
    path, refusals = tmp_path / "cut", []
    for length in range(0, len(whole.getvalue()), 23):
        path.write_bytes(whole.getvalue()[:length])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of some cuts before it refuses them
            try:
                decode(path)
            except PictureError as problem:
                refusals.append(str(problem))
    assert refusals
    assert all(said.startswith(f"{path} cannot be read as a picture: ") for said in refusals)


@pytest.mark.parametrize("form", ["EPS", "PDF", "PCX", "TGA", "ICO", "PPM"])
def test_formats_that_are_not_named_are_refused_whatever_the_file_is_called(tmp_path: Path, form: str) -> None:
    path = tmp_path / "photo.png"
    Image.fromarray(PIXELS).save(path, form)
    with pytest.raises(PictureError, match=r"photo\.png cannot be read as a picture: its format is not known"):
        decode(path)


def test_a_picture_with_too_many_pixels_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    path = _saved(tmp_path, Image.fromarray(PIXELS))
    assert decode(path, max_pixels=192).shape == (12, 16, 3)
    with pytest.raises(PictureError, match="it has 16 × 12 pixels, and at most 191 are decoded"):
        decode(path, max_pixels=191)


def test_an_animation_is_its_first_frame(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (4, 4), color) for color in ("red", "blue")]
    for form in ("gif", "webp", "png"):
        path = _saved(
            tmp_path, frames[0], f"a.{form}", save_all=True, append_images=frames[1:], **LOSSLESS.get(form, {})
        )
        assert decode(path)[0, 0].tolist() == [255, 0, 0], form


def test_what_is_no_picture_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_text("not a picture")
    with pytest.raises(PictureError, match="cannot be read as a picture"):
        decode(tmp_path / "a.png")
    with pytest.raises(PictureError, match="cannot be read as a picture"):
        decode(tmp_path)
    with pytest.raises(PictureError, match="does not exist"):
        decode(tmp_path / "b.png")
    with pytest.raises(PictureError, match="cannot be read as a picture"):
        decode(tmp_path / "a\0b.png")


@st.composite
def pictures(draw: st.DrawFn) -> Pixels:
    """Small pictures of any colors."""
    height, width, seed = draw(st.integers(1, 5)), draw(st.integers(1, 5)), draw(st.integers(0, 999))
    return np.random.Generator(np.random.PCG64(seed)).integers(0, 256, (height, width, 3), dtype=np.uint8)


@given(st.lists(pictures(), min_size=1, max_size=5))
def test_means_are_those_of_all_pixels_together_in_any_order(found: list[Pixels]) -> None:
    every = np.concatenate([one.reshape(-1, 3) for one in found]).astype(float)
    means = channel_means(found)
    assert np.abs(np.array(means) - every.mean(0)).max() <= 0.5
    assert channel_means(reversed(found)) == means


def test_the_means_of_nothing_are_refused() -> None:
    with pytest.raises(PictureError, match="no pictures"):
        channel_means([])


def test_the_means_of_a_folder_are_those_of_its_pictures_wherever_they_lie_in_it(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "notes.txt").write_text("no picture")
    for name, color in (("a.png", (10, 20, 30)), ("deep/b.PNG", (20, 40, 61))):
        Image.fromarray(np.full((4, 4, 3), color, np.uint8)).save(tmp_path / name)
    assert folder_means(tmp_path) == (15, 30, 46)
    assert folder_means(tmp_path, limit=1) in {(10, 20, 30), (20, 40, 61)}
    assert folder_means(tmp_path, limit=1) == folder_means(tmp_path, limit=1)


def test_a_folder_without_pictures_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="has no pictures"):
        folder_means(tmp_path)


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (b"", "it is empty"),
        (b"\0\0\0\x1cftypavif\0\0\0\0", "it is AVIF, or a video; convert it to JPEG or PNG"),
        (b"\0\0\0\x18ftypheic\0\0\0\0", "it is HEIC, or a video; convert it to JPEG or PNG"),
        (b"<html>404</html>", "it is HTML, SVG or XML"),
    ],
)
def test_a_file_that_is_no_picture_is_told_as_what_it_is(tmp_path: Path, content: bytes, fact: str) -> None:
    (tmp_path / "a.jpg").write_bytes(content)
    for file in (tmp_path / "a.jpg", BytesIO(content)):
        with pytest.raises(PictureError, match=fact):
            decode(file)

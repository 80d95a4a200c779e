"""A server is sent the bytes of a file where they will do, and else a photograph as JPEG and a drawing as PNG."""

import logging
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from struct import pack
from typing import Any
from zlib import compress, crc32

import numpy as np
import pytest
from PIL import Image
from served import answers, served

from counterpoint.core.groups import Query, State
from counterpoint.core.pictures import Edit, Picture
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.models.endpoint.picture_encoding import LARGE_BYTES, PictureEncoder, PictureEncoding
from counterpoint.pictures.folders import PictureFolders
from counterpoint.testing import ChatServer

GRAY = Image.fromarray(np.arange(24 * 32 * 3, dtype=np.uint16).reshape(24, 32, 3).astype(np.uint8))
EDIT = Edit("flip")


def _sent(path: Path, *edits: Edit, encoding: PictureEncoding | None = None) -> tuple[str, bytes]:
    pictures = PictureFolders({"p": path.parent})
    return (encoding or PictureEncoding()).load(pictures, Picture(f"p:{path.name}", edits))


def _saved(path: Path, image: Image.Image = GRAY, **how: Any) -> Path:
    image.save(path, **how)
    return path


@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.webp"])
def test_an_unedited_file_is_sent_as_it_is(name: str, tmp_path: Path) -> None:
    path = _saved(tmp_path / name)
    kind, content = _sent(path)
    assert content == path.read_bytes()
    with ChatServer() as server:
        pictures = Prefetcher(PictureFolders({"p": tmp_path}))
        (said,) = answers(served(server, pictures), [Query(Picture(f"p:{name}"), "What is it?")])
    shown = server.received[0].body["messages"][-1]["content"][0]["image_url"]["url"]
    assert said.state is not State.FAILED
    assert shown.startswith(f"data:image/{kind};base64,")
    assert b64decode(shown.partition(",")[2]) == content


def _turned() -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = 6
    return exif


def test_a_photograph_that_decoders_may_show_differently_is_sent_upright_as_rgb(tmp_path: Path) -> None:
    kind, content = _sent(_saved(tmp_path / "turned.jpg", exif=_turned()))
    assert (kind, Image.open(BytesIO(content)).size) == ("jpeg", (24, 32))
    kind, content = _sent(_saved(tmp_path / "print.jpg", GRAY.convert("CMYK")))
    assert (kind, Image.open(BytesIO(content)).mode) == ("jpeg", "RGB")


@pytest.mark.parametrize("mode", ["RGBA", "P", "LA"])
def test_a_drawing_with_a_palette_or_transparency_is_sent_as_png_in_rgb(mode: str, tmp_path: Path) -> None:
    kind, content = _sent(_saved(tmp_path / "a.png", GRAY.convert("RGB").convert(mode)))
    assert (kind, Image.open(BytesIO(content)).mode) == ("png", "RGB")


def test_sixteen_bits_are_sent_as_eight(tmp_path: Path) -> None:
    deep = Image.fromarray((np.arange(24 * 32, dtype=np.uint16) * 80).reshape(24, 32))
    kind, content = _sent(_saved(tmp_path / "a.png", deep))
    assert (kind, content[24]) == ("png", 8)


def test_sixteen_bits_of_each_color_are_told_by_the_header(tmp_path: Path) -> None:
    rows = b"".join(b"\0" + bytes(12) for _ in range(2))
    chunks = (b"IHDR", pack(">IIBBBBB", 2, 2, 16, 2, 0, 0, 0)), (b"IDAT", compress(rows)), (b"IEND", b"")
    body = b"".join(pack(">I", len(data)) + name + data + pack(">I", crc32(name + data)) for name, data in chunks)
    path = tmp_path / "a.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    assert Image.open(BytesIO(path.read_bytes())).mode == "RGB"
    kind, content = _sent(path)
    assert (kind, content[24]) == ("png", 8)


def test_an_edited_photograph_is_sent_as_jpeg_and_an_edited_drawing_as_png(tmp_path: Path) -> None:
    for name, kind in (("a.jpg", "jpeg"), ("a.webp", "jpeg"), ("a.png", "png")):
        path = _saved(tmp_path / name)
        sent, content = _sent(path, EDIT)
        shown = np.asarray(Image.open(BytesIO(content))).astype(int)
        assert sent == kind
        difference = shown - np.asarray(Image.open(path))[:, ::-1]
        assert np.abs(difference).mean() < 2 if kind == "jpeg" else not difference.any()


def test_a_picture_beyond_the_side_is_scaled_down(tmp_path: Path) -> None:
    path = _saved(tmp_path / "a.jpg")
    kind, content = _sent(path, encoding=PictureEncoding(side=16))
    assert (kind, Image.open(BytesIO(content)).size) == ("jpeg", (16, 12))
    assert _sent(path, encoding=PictureEncoding(side=0))[1] == path.read_bytes()


def test_other_formats_encode_every_picture(tmp_path: Path) -> None:
    path = _saved(tmp_path / "a.jpg")
    kind, content = _sent(path, encoding=PictureEncoding("png", 0))
    assert kind == "png"
    assert np.array_equal(np.asarray(Image.open(BytesIO(content))), np.asarray(Image.open(path)))


def test_the_first_large_picture_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (1200, 1200, 3), np.uint8)
    path = _saved(tmp_path / "a.png", Image.fromarray(noise), compress_level=0)
    assert path.stat().st_size > LARGE_BYTES
    encoder = PictureEncoder(PictureFolders({"p": tmp_path}), PictureEncoding())
    with caplog.at_level(logging.WARNING):
        encoder(Picture("p:a.png"))
        encoder(Picture("p:a.png"))
    assert [record.getMessage() for record in caplog.records] == [
        "p:a.png is sent as 4.3 MB, which some servers refuse; lower picture_side, or set picture_format=jpeg"
    ]


def test_a_file_that_is_no_picture_fails_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"no picture")
    with ChatServer() as server:
        (said,) = answers(served(server, PictureFolders({"p": tmp_path})), [Query(Picture("p:a.jpg"), "What is it?")])
        assert not server.received
    assert "cannot be shown" in said.reason

"""Files that are no tables say what they are and how to unpack them."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from counterpoint.core.errors import SourceError
from counterpoint.sources.reading.records import Skips
from counterpoint.sources.reading.tables import read_rows
from counterpoint.sources.results.formats import detect_format

TABLE = b"id,image,question,answer\n1,a.jpg,Is it?,yes\n"


def _tar() -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        entry = tarfile.TarInfo("a.csv")
        entry.size = len(TABLE)
        archive.addfile(entry, io.BytesIO(TABLE))
    return file.getvalue()


def _zip() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.csv", TABLE)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "command"),
    [
        ("a.csv.gz", gzip.compress(TABLE), "gunzip a.csv.gz"),
        ("a.csv.xz", lzma.compress(TABLE), "unxz a.csv.xz"),
        ("a.csv.bz2", bz2.compress(TABLE), "bunzip2 a.csv.bz2"),
        ("a.tar", _tar(), "tar xf a.tar"),
        ("a.zip", _zip(), "unpack it"),
    ],
)
def test_an_archive_is_told_as_one_with_the_command_that_unpacks_it(
    tmp_path: Path, name: str, content: bytes, command: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    for read in (lambda: list(read_rows(path, Skips(), lambda names: True)), lambda: detect_format(path)):
        with pytest.raises(SourceError, match=r"is compressed|is an archive") as caught:
            read()
        assert command in caught.value.hint


def test_a_row_with_a_tab_too_many_is_skipped_with_a_hint_that_fits(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("image\tquestion\tanswer\na.jpg\tIs\tit?\tyes\nb.jpg\tIs it?\tyes\n")
    skips = Skips()
    assert [record.content["image"] for record in read_rows(path, skips, lambda names: True)] == ["b.jpg"]
    assert "tabs" in skips.lines()[0]

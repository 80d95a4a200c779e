"""Annotations in a bucket: what is made of them is what is made of the same files in a folder."""

from collections.abc import Iterator, MutableMapping
from contextlib import ExitStack
from pathlib import Path

import pytest
from object_stores import BUCKET, bucket_environment, seaweed, small_store
from proving import prove

from counterpoint import Lab, open_source
from counterpoint.core.errors import SourceError
from counterpoint.lab.world_files import write_world
from counterpoint.store.storage import open_storage

ADDRESS = f"s3://{BUCKET}/data"


@pytest.fixture(params=["small", prove("seaweed")])
def data(request: pytest.FixtureRequest, tmp_path: Path, environ: MutableMapping[str, str]) -> Iterator[Path]:
    """A data set in a folder; its files are also in a bucket of a server that the environment names."""
    with ExitStack() as stack:
        if request.param == "seaweed":
            (tmp_path / "weed").mkdir()
            server = stack.enter_context(seaweed(tmp_path / "weed"))
        else:
            server, _ = stack.enter_context(small_store())
        environ.update(bucket_environment(server) | {"XDG_CACHE_HOME": str(tmp_path / "cache")})
        folder, storage = write_world(tmp_path / "data", split="validation", items=3), open_storage(ADDRESS)
        (folder / "images").mkdir()
        for path in (folder / "validation").iterdir():
            path.rename(folder / "images" / f"validation-{path.stem}.jpg")
        for path in (path for path in folder.rglob("*") if path.is_file()):
            storage.put(path.relative_to(folder).as_posix(), path.read_bytes())
        yield folder


def _cached(folder: Path) -> dict[str, list[str]]:
    """The names of the files in the cache, by the folder that a listing has."""
    return {
        own.name: sorted(path.name for path in own.rglob("*") if path.is_file())
        for own in folder.glob("cache/*/data/*")
    }


def test_a_suite_of_annotations_in_a_bucket_is_that_of_a_folder(data: Path, tmp_path: Path) -> None:
    local, remote = Lab(tmp_path / "local"), Lab(tmp_path / "remote")
    for lab, place in ((local, data), (remote, ADDRESS)):
        lab.generate("contrast", source="gqa", data=place, split="val")
    assert remote.store.manifest("contrast") == local.store.manifest("contrast")
    assert remote.store.roots == {"gqa": f"{ADDRESS}/images"}
    assert remote.run("constant").outcome.asked == local.run("constant").outcome.asked > 0
    ((key, names),) = _cached(tmp_path).items()
    assert "validation_sceneGraphs.json" in names
    assert not any(name.endswith(".jpg") for name in names)

    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob(f"cache/*/data/{key}/*")}
    assert len(list(open_source("gqa", data=ADDRESS, split="val").scenes())) == 3
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob(f"cache/*/data/{key}/*")} == before
    open_storage(ADDRESS).put("validation_sceneGraphs.json", b"{}")
    assert list(open_source("gqa", data=ADDRESS, split="val").scenes()) == []
    assert len(_cached(tmp_path)) == 2


def test_a_single_file_is_read_by_its_address(data: Path) -> None:
    rows = "question,answer,image\nIs there a cat?,yes,1.png\nIs there a dog?,no,2.png\n"
    open_storage(f"s3://{BUCKET}/own").put("questions.csv", rows.encode())
    source = open_source("plain", data=f"s3://{BUCKET}/own/questions.csv")
    assert [question.text for question in source.questions()] == ["Is there a cat?", "Is there a dog?"]


def test_what_is_missing_is_said_with_the_address(data: Path) -> None:
    with pytest.raises(SourceError, match=f"there are no annotations at s3://{BUCKET}/nothing"):
        open_source("gqa", data=f"s3://{BUCKET}/nothing", split="val")
    open_storage(f"s3://{BUCKET}/part").put("val_sceneGraphs.json", b"{}")
    with pytest.raises(SourceError, match=f"s3://{BUCKET}/part"):
        open_source("gqa", data=f"s3://{BUCKET}/part", split="val").questions()

"""A lab in a bucket holds what the same lab holds in a folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from clients import local_client
from object_stores import BUCKET, SmallStore, bucket_environment, small_store
from proving import prove

from counterpoint import Lab
from counterpoint.cli.main import commands
from counterpoint.core.errors import StoreError
from counterpoint.explorer.app import create_app
from counterpoint.store.answers import AnswerLog
from counterpoint.store.storage import open_storage

ADDRESS = f"s3://{BUCKET}/lab"


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, type[SmallStore]]]:
    """A small S3 server: its address, and what it holds and was asked."""
    with small_store() as started:
        yield started


@pytest.fixture(scope="module")
def environment(server: tuple[str, type[SmallStore]]) -> Iterator[pytest.MonkeyPatch]:
    """The environment of this module, which names the server."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in bucket_environment(server[0]).items():
            patch.setenv(name, value)
        yield patch


@pytest.fixture(scope="module")
def labs(environment: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> tuple[Lab, Lab]:
    """The same lab in a folder and in a bucket."""
    environment.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    folder, bucket = Lab(tmp_path_factory.mktemp("folder") / "lab"), Lab(ADDRESS)
    folder.generate("negation", items=20, limit=10)
    suite = folder.store.suite("negation")
    bucket.store.put_suite(suite.manifest, suite.table)
    for lab in (folder, bucket):
        for model in ("fusion", "constant"):
            lab.run(model)
    return folder, bucket


def test_suites_scores_and_comparisons_are_those_of_a_folder(labs: tuple[Lab, Lab]) -> None:
    folder, bucket = labs
    assert bucket.address == ADDRESS
    assert bucket.store.manifest("negation") == folder.store.manifest("negation")
    assert bucket.scores().records() == folder.scores().records()
    assert bucket.compare("fusion", "constant").records() == folder.compare("fusion", "constant").records()
    assert bucket.leaderboard().records() == folder.leaderboard().records()


def test_a_second_run_asks_nothing_and_leaves_one_part(labs: tuple[Lab, Lab]) -> None:
    assert Lab(ADDRESS).run("fusion").outcome.asked == 0
    names = labs[1].store.storage.names("answers/")
    assert len({name.split("/")[1] for name in names}) == len(names) == 2


def test_what_is_stored_can_be_verified_and_repaired(labs: tuple[Lab, Lab]) -> None:
    bucket = labs[1]
    assert bucket.verify().holds
    bucket.set_baseline("fusion")
    bucket.save_slice("all", {"suite": "negation"})
    assert (bucket.models[1].is_baseline, [own.name for own in bucket.slices()]) == (True, ["all"])
    part = next(name for name in bucket.store.storage.names("answers/") if "constant" in name)
    content = bucket.store.storage.get(part)
    bucket.store.storage.put(part, content[:-10])
    assert [check.place for check in bucket.verify().broken] == [part]
    bucket.store.storage.put(part, content)


def test_pages_show_it_and_its_review_tasks(labs: tuple[Lab, Lab], tmp_path: Path) -> None:
    labs[1].review("answer", suites=["negation"])
    client = local_client(create_app(labs[1].store, cache=tmp_path))
    for page in ("/overview", "/browse", "/review"):
        assert client.get(page).status_code == 200


def test_a_bucket_is_listed_once_for_the_pages_of_some_seconds(
    server: tuple[str, type[SmallStore]], labs: tuple[Lab, Lab], tmp_path: Path
) -> None:
    app, requests = create_app(labs[1].store, cache=tmp_path, background=False), server[1].requests
    client, version = local_client(app), f"HEAD {BUCKET}/lab/baselines.json"  # the last request of a listing
    app.state.reader.listing_seconds = 3600.0
    for listings in (1, 0):
        requests.clear()
        assert client.get("/overview").status_code == 200
        assert requests.count(version) == listings
    assert create_app(labs[0].store, cache=tmp_path).state.reader.listing_seconds == 0


def test_parts_are_put_every_ten_seconds_in_a_bucket(labs: tuple[Lab, Lab]) -> None:
    for lab, seconds in zip(labs, (1.0, 10.0), strict=True):
        assert AnswerLog(lab.store.storage, "model")._policy.part_seconds == seconds


def test_a_bucket_with_other_things_is_no_lab(labs: tuple[Lab, Lab]) -> None:
    open_storage(f"s3://{BUCKET}/thesis").put("thesis.tex", b"")
    with pytest.raises(StoreError, match=r"s3://labs/thesis is no lab: it has no counterpoint-lab\.json"):
        Lab(f"s3://{BUCKET}/thesis")
    with pytest.raises(StoreError, match="there is no lab at s3://labs/new"):
        Lab(f"s3://{BUCKET}/new").contents()
    with pytest.raises(StoreError, match="is no folder of this machine"):
        _ = Lab(ADDRESS).folder


@pytest.mark.parametrize(
    ("words", "out"),
    [
        ("report --markdown --latex", "report.html"),
        ("export --suite negation --layout datasets", "data"),
        prove("export --suite negation --layout lmms-eval", "task"),
        prove("export --model fusion --layout model-card", "card"),
        prove("export-site --limit 3", "site"),
    ],
)
def test_what_is_written_at_an_address_is_what_is_written_to_a_path(
    labs: tuple[Lab, Lab], tmp_path: Path, words: str, out: str
) -> None:
    command, *options = words.split()
    places = tmp_path / "written" / out, f"s3://{BUCKET}/written-{command}-{out}/{out}"
    for place in places:
        result = CliRunner().invoke(commands, [command, ADDRESS, *options, "--out", str(place)])
        assert result.exit_code == 0, result.output
        assert str(place) in result.output
    folder, storage = tmp_path / "written", open_storage(str(places[1]).rpartition("/")[0])
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files == set(storage.names())
    for name in files:
        assert len(storage.get(name)) == pytest.approx((folder / name).stat().st_size, abs=40), name  # dates differ
    again = CliRunner().invoke(commands, [command, ADDRESS, *options, "--out", str(places[1])])
    assert again.exit_code == 0 if command == "report" else "exists already" in str(again.exception)


def test_an_output_at_a_bucket_without_a_place_or_at_no_bucket_is_refused(labs: tuple[Lab, Lab]) -> None:
    with pytest.raises(StoreError, match="s3://labs is a bucket"):
        labs[1].report(f"s3://{BUCKET}")
    with pytest.raises(StoreError, match="there is no bucket other"):
        labs[1].report("s3://other/report.html")


def test_a_pictures_root_in_a_bucket_is_fetched_once(
    labs: tuple[Lab, Lab], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PIL import Image

    from counterpoint.core.pictures import Picture
    from counterpoint.store.pictures import LabPictures

    Image.new("RGB", (3, 2), (9, 8, 7)).save(tmp_path / "a.png")
    root = open_storage(f"s3://{BUCKET}/photos")
    root.put("sub/a.png", (tmp_path / "a.png").read_bytes())
    labs[1].store.set_root("photos", root.address)
    pictures = labs[1].store.pictures()
    assert labs[1].store.roots == {"photos": root.address}
    assert pictures.pixels(Picture("photos:sub/a.png")).tolist() == [[[9, 8, 7]] * 3] * 2
    assert list(pictures.find_files(["photos:sub/a.png", "photos:none.png"])) == ["photos:sub/a.png"]
    file = pictures.file("photos:sub/a.png")
    assert file is not None
    assert file.read_bytes() == (tmp_path / "a.png").read_bytes()
    assert LabPictures({"photos": root.address}, {}).file("photos:sub/a.png") == file
    root.put("sub/a.png", b"replaced")
    assert LabPictures({"photos": root.address}, {}).file("photos:sub/a.png") != file

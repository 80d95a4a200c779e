"""Play without a browser: what is asked, what comes back, what is refused, and whose request wins."""

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from click.testing import CliRunner
from clients import local_client
from hypothesis import given
from hypothesis import strategies as st
from labs import captions_lab
from patience import SECONDS
from PIL import Image
from starlette.testclient import TestClient

from counterpoint.cli.serve import command
from counterpoint.core.errors import ModelError, PictureError
from counterpoint.core.groups import Answer, Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Model, Pictures, PlacedAnswer, Scale
from counterpoint.explorer.app import create_app
from counterpoint.explorer.play.model_threads import ModelThread, ModelThreads, RequestCancelled
from counterpoint.explorer.play.request import EDITS, MASKS, MalformedRequest, PlayRequest
from counterpoint.explorer.play.uploads import MAX_KEPT, NAMESPACE, PlayPictures, UploadedPictures, decode_upload
from counterpoint.explorer.server import load_models
from counterpoint.models.builtin.models import fusion
from counterpoint.pictures.edits import apply_edits
from counterpoint.store.lab import LabStore
from counterpoint.world.source import World


class Shade:
    """Says how light the picture is; it looks at nothing else, and counts what it was asked."""

    fingerprint = "shade"

    def __init__(self, pictures: Pictures) -> None:
        self.pictures, self.asked = pictures, list[Query]()

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        for place, query in enumerate(queries):
            self.asked.append(query)
            if query.picture is None:
                yield place, Answer.of("nothing")
            else:
                level = float(self.pictures.pixels(query.picture).mean())
                yield place, Answer.of("light" if level > 100 else "dark", top=(("light", level / 255),))


class Length:
    """Scores a caption by its length, and answers nothing."""

    fingerprint, scale = "length", Scale.SIMILARITY

    def score(self, queries: Sequence[Query]) -> Floats:
        return np.array([len(query.text) for query in queries], np.float32)


class Broken:
    """Fails in a way that nobody expects."""

    fingerprint = "broken"

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        raise KeyError("<script>secret</script>")


def _png(color: tuple[int, int, int], size: tuple[int, int] = (40, 30)) -> bytes:
    file = BytesIO()
    Image.new("RGB", size, color).save(file, "PNG")
    return file.getvalue()


def _models(pictures: Pictures) -> list[tuple[str, Model]]:
    return [("shade", Shade(pictures)), ("my/length", Length()), ("broken", Broken())]


@pytest.fixture(scope="module")
def client(lab: LabStore, cache: Path) -> TestClient:
    return local_client(create_app(lab, cache=cache, models=_models))


@pytest.fixture(scope="module")
def token(client: TestClient) -> str:
    found = re.search(r'name="play-token" content="([^"]+)"', client.get("/play").text)
    assert found
    return found[1]


@pytest.fixture(scope="module")
def light(client: TestClient) -> dict[str, str]:
    """A light picture of the lab."""
    pick = client.get("/play.json?suite=plain").json()["picks"][9]
    return {"suite": pick["suite"], "query": pick["query"]}


def test_a_group_and_a_sample_lead_to_play_where_models_are_loaded(
    client: TestClient, lab: LabStore, cache: Path, tmp_path: Path
) -> None:
    group = client.get("/suites/plain/models/careful.json").json()["groups"][3]["address"].partition("?")[0]
    twin = client.get(f"{group}.json").json()
    for address in (group, twin["sample"]):
        (link,) = re.findall(r'href="(/play\?[^"]+)"', client.get(address).text)
        shown = client.get(link.replace("&amp;", "&").replace("/play?", "/play.json?")).json()
        assert shown["inputs"]["question"] == "".join(piece["text"] for piece in twin["queries"][0]["text"])
        assert link not in local_client(create_app(lab, cache=cache)).get(address).text  # nothing to play with
    captions = local_client(create_app(captions_lab(tmp_path), cache=cache, models=_models))
    listed = captions.get("/suites/foils/models/sharp.json").json()["groups"][5]["address"].partition("?")[0]
    link = captions.get(f"{listed}.json").json()["play"].replace("/play?", "/play.json?")
    played = captions.get(link).json()["inputs"]
    assert (played["mode"], played["first"], played["second"]) == (*("captions", "There is 5 dog.", "There is 6 dog."),)


def _asked(client: TestClient, token: str, **said: Any) -> list[dict[str, Any]]:
    answer = client.post("/play/answers", json=said, headers={"X-Counterpoint-Token": token})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


def _said(events: Sequence[dict[str, Any]], model: str) -> dict[int, str]:
    return {e["row"]: e["answer"]["shown"] for e in events if e["event"] == "answer" and e["model"] == model}


def test_the_page_begins_with_a_picture_of_the_lab_and_its_question(client: TestClient) -> None:
    twin = client.get("/play.json?suite=plain").json()
    assert twin["inputs"]["question"] == "Is shade 0 light or dark?"
    assert twin["shown"]["gold"] == "dark"
    assert [model["name"] for model in twin["models"]] == ["shade", "my/length", "broken"]
    assert twin["shown"]["areas"] == [{"name": "shade", "x": 12, "y": 16, "w": 38, "h": 34}]
    assert client.get(twin["shown"]["picture"]).content.startswith(b"\x89PNG")
    page = client.get("/play?suite=plain").text
    assert "Is shade 0 light or dark?" in page
    assert "Try a model</a>" in client.get("/overview").text


def test_without_a_model_the_page_says_how_to_load_one(lab: LabStore, cache: Path) -> None:
    bare = local_client(create_app(lab, cache=cache))
    assert "--model fusion" in bare.get("/play").text
    assert "/static/play.js" not in bare.get("/play").text
    assert "Try a model</a>" not in bare.get("/overview").text


def test_a_model_answers_what_it_is_shown(client: TestClient, token: str, light: dict[str, str]) -> None:
    events = _asked(client, token, **light, question="Is it?", words=0, darker=5)
    assert [row["family"] for row in events[0]["rows"]] == ["", "picture"]
    assert _said(events, "shade") == {0: "dark", 1: "light"}
    assert "brightness(30)" in events[0]["shown"]["edits"]
    answer = next(event["answer"] for event in events if event["event"] == "answer")
    assert answer["top"][0]["value"] == "light"


def test_a_question_is_asked_in_other_words_too(client: TestClient, token: str, light: dict[str, str]) -> None:
    events = _asked(client, token, **light, question="What color is the car?", swap="car", into="bus", words=1)
    rows = events[0]["rows"]
    assert [(row["family"], row["name"]) for row in rows[1:4]] == [
        ("swap", "car → bus"),
        ("SEAR", "what-which"),
        ("SEAR", "color-colour"),
    ]
    assert [piece["text"] for piece in rows[1]["text"] if piece["changed"]] == ["bus"]
    assert {row["family"] for row in rows[4:]} == {"word noise"}
    assert set(_said(events, "shade")) == set(range(len(rows)))
    few = _asked(client, token, **light, question="What color is the car?", swap="car", into="bus", words=0)
    assert [row["family"] for row in few[0]["rows"]] == ["", "swap"]


def test_two_captions_are_scored_by_those_that_score(client: TestClient, token: str, light: dict[str, str]) -> None:
    events = _asked(client, token, **light, mode="captions", first="Short.", second="A longer one.")
    assert [model["slug"] for model in events[0]["models"]] == ["my-length"]
    assert _said(events, "my-length") == {0: "6.000", 1: "13.000"}


def test_what_a_model_breaks_is_said_and_harms_nobody(client: TestClient, token: str, light: dict[str, str]) -> None:
    for _ in range(2):
        events = _asked(client, token, **light, question="Is it?", words=0)
        end = next(event for event in events if event["event"] == "end" and event["model"] == "broken")
        assert end["problem"] == "the model failed: KeyError"
        assert _said(events, "shade") == {0: "light"}


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"gaussian": 9}, "gaussian"),
        ({"gaussian": "many"}, "gaussian"),
        ({"gaussian": -1}, "gaussian"),
        ({"gaussian": 1.5}, "gaussian"),
        ({"question": 7}, "question"),
        ({"question": "x" * 501}, "question"),
        ({"mode": "sing"}, "mode"),
        ({"mask": "paint"}, "mask"),
        ({"edits": "blur(10000)"}, "'edits' is unknown"),
        ({"visitor": ["a"]}, "visitor"),
        ({"turn": "first"}, "turn"),
        ({"turn": -1}, "turn"),
    ],
)
def test_what_cannot_be_understood_is_named(client: TestClient, token: str, said: Any, problem: str) -> None:
    headers = {"X-Counterpoint-Token": token, "Accept": "application/json"}
    answer = client.post("/play/answers", json=said, headers=headers)
    assert answer.status_code == 400
    assert problem in answer.json()["problem"].lower()


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[" * 60_000, "application/json", 400),
        (b"[]", "application/json", 400),
        (b"{}", "text/plain", 415),
        (b'{"question":"' + b"x" * 70_000 + b'"}', "application/json", 413),
    ],
)
def test_what_is_no_json_object_is_refused(
    client: TestClient, token: str, content: bytes, kind: str, status: int
) -> None:
    headers = {"X-Counterpoint-Token": token, "Content-Type": kind}
    assert client.post("/play/answers", content=content, headers=headers).status_code == status


@pytest.mark.parametrize("said", [{"suite": "nowhere", "query": "0" * 16}, {"suite": "plain", "query": "zz"}])
def test_a_picture_that_is_not_in_the_lab_is_not_found(client: TestClient, token: str, said: Any) -> None:
    headers = {"X-Counterpoint-Token": token}
    assert client.post("/play/answers", json=said, headers=headers).status_code == 404
    assert client.get("/play/picture.png", params=said).status_code == 404
    assert client.get("/play", params=said).status_code == 404


def test_a_form_without_a_script_is_answered_as_a_page(client: TestClient, token: str, light: dict[str, str]) -> None:
    fields = {**light, "token": token, "question": "Is it <b>light</b>?", "darker": "5", "mask": "", "page": "1"}
    answer = client.post("/play", data=fields)
    assert answer.status_code == 200
    assert '<td data-label="shade">' in answer.text
    assert "≠ light" in answer.text
    assert "&lt;b&gt;light" in answer.text
    assert "broken: the model failed: KeyError." in answer.text
    assert answer.headers["cache-control"] == "no-store"


def test_a_form_may_carry_a_picture(client: TestClient, token: str) -> None:
    file = ("mine.png", _png((250, 250, 250)), "image/png")
    answer = client.post("/play", data={"token": token, "question": "Is it?"}, files={"file": file})
    assert "an uploaded picture" in answer.text
    assert "light" in answer.text
    bad = client.post("/play", data={"token": token, "question": "Is it?"}, files={"file": ("a.png", b"nothing")})
    assert "the upload cannot be read as a picture" in bad.text


def test_a_picture_can_be_dropped_in_and_is_kept_in_memory_alone(client: TestClient, token: str, lab: LabStore) -> None:
    before = sorted(lab.folder.rglob("*"))
    headers = {"X-Counterpoint-Token": token, "Accept": "application/json"}
    answer = client.post("/play/pictures", content=_png((9, 9, 9)), headers=headers)
    assert answer.status_code == 201
    name = answer.json()["dropped"]
    assert client.get(answer.json()["picture"]).content.startswith(b"\x89PNG")
    assert _said(_asked(client, token, dropped=name, question="Is it?", words=0), "shade") == {0: "dark"}
    assert sorted(lab.folder.rglob("*")) == before
    refused = client.post("/play/pictures", content=b"GIF89a, almost", headers=headers)
    assert refused.status_code == 400
    assert "cannot be read as a picture" in refused.json()["problem"]
    assert client.get("/play/picture.png?dropped=somebody-elses").status_code == 404


def test_a_huge_file_and_a_huge_picture_are_refused(client: TestClient, token: str) -> None:
    headers = {"X-Counterpoint-Token": token}
    assert client.post("/play/pictures", content=b"x" * 10_000_001, headers=headers).status_code == 413
    file = BytesIO()
    Image.new("1", (8000, 6000)).save(file, "PNG")
    with pytest.raises(PictureError, match="at most 40,000,000 are decoded"):
        decode_upload(file.getvalue())


def test_pictures_that_visitors_drop_in_are_made_small_and_the_oldest_go() -> None:
    held = UploadedPictures()
    first = held.add(_png((1, 2, 3), (3000, 1500)))
    assert held.pixels(first).shape == (512, 1024, 3)
    for _ in range(MAX_KEPT):
        held.add(_png((0, 0, 0)))
    with pytest.raises(PictureError, match="no longer held"):
        held.pixels(first)


def test_a_model_that_caches_by_address_sees_the_pixels_of_each_upload() -> None:
    pictures = PlayPictures(World(), UploadedPictures())
    model = fusion(pictures)
    queries = [
        Query(Picture(f"{NAMESPACE}:{pictures.uploads.add(_png(color))}"), "What color is the wall?")
        for color in ((0, 0, 0), (200, 200, 200))
    ]
    black, gray = ([answer.top for _, answer in model.answer([query])] for query in queries)
    assert black != gray


@given(st.binary(max_size=300))
def test_bytes_that_are_no_picture_are_refused_politely(content: bytes) -> None:
    with pytest.raises(PictureError):
        decode_upload(content)


NUMBERS = {name: st.integers(0, most) for name, most in EDITS.items()}


@given(
    st.fixed_dictionaries({}, optional=NUMBERS),
    st.sampled_from(sorted(MASKS)),
    st.fixed_dictionaries({name: st.integers(0, 100) for name in "xywh"}),
)
def test_whatever_is_moved_there_is_a_picture_and_an_address_that_says_it(
    moved: dict[str, int], mask: str, box: dict[str, int]
) -> None:
    asked = PlayRequest.read({**moved, **box, "mask": mask})
    pixels = apply_edits(asked.edits, np.zeros((30, 40, 3), np.uint8))
    assert pixels.size
    again = PlayRequest.read(dict(_params(asked.address())))
    assert again.edits == asked.edits
    assert again.severities == asked.severities
    assert PlayRequest.read(dict(_params(asked.picture_address()))).edits == asked.edits


def _params(address: str) -> Iterator[tuple[str, str]]:
    yield from parse_qsl(address.partition("?")[2])


def test_hiding_a_box_hides_it_and_nothing_else() -> None:
    asked = PlayRequest.read({"mask": "hide", "x": "25", "y": "50", "w": "50", "h": "25"})
    pixels = apply_edits(asked.edits, np.full((40, 80, 3), 7, np.uint8))
    hidden = np.zeros((40, 80), bool)
    hidden[20:30, 20:60] = True
    assert ((pixels != 7).all(axis=2) == hidden).all()


def test_a_text_that_is_too_long_is_malformed_with_help() -> None:
    with pytest.raises(MalformedRequest) as problem:
        PlayRequest.read({"first": "x" * 501})
    assert "500" in problem.value.hint


class Slow:
    """Waits for leave before it answers, as a large model would."""

    fingerprint = "slow"

    def __init__(self) -> None:
        self.leave, self.begun, self.asked = threading.Semaphore(0), threading.Semaphore(0), list[str]()

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        for place, query in enumerate(queries):
            self.begun.release()
            assert self.leave.acquire(timeout=SECONDS)
            self.asked.append(query.text)
            yield place, Answer.of(query.text)


class Heard:
    """What comes back, and when it is over."""

    def __init__(self) -> None:
        self.answers, self.over = list[str](), threading.Event()
        self.problem: Exception | None = None

    def hear(self, slug: str, place: int, answer: Answer) -> None:
        self.answers.append(answer.value)

    def done(self, slug: str, problem: Exception | None) -> None:
        self.problem = problem
        self.over.set()


def test_the_newest_request_of_a_visitor_ends_the_older_ones() -> None:
    slow = Slow()
    players, first, second, other = ModelThreads([("slow", slow)]), Heard(), Heard(), Heard()
    texts = [Query(None, text) for text in ("a", "b", "c", "d", "e")]
    players.ask("ann", {"slow": texts}, first.hear, first.done)
    assert slow.begun.acquire(timeout=SECONDS)
    players.ask("bob", {"slow": [Query(None, "bob's")]}, other.hear, other.done)
    players.ask("ann", {"slow": [Query(None, "new")]}, second.hear, second.done)
    slow.leave.release(20)
    for heard in (first, second, other):
        assert heard.over.wait(SECONDS)
    assert isinstance(first.problem, RequestCancelled)
    assert (first.answers, second.answers, other.answers) == ([], ["new"], ["bob's"])
    assert slow.asked == ["a", "bob's", "new"]
    players.close()


def test_a_request_that_was_overtaken_ends_itself_and_not_the_newer_one() -> None:
    slow = Slow()
    players, older, newer, next_ = ModelThreads([("slow", slow)]), Heard(), Heard(), Heard()
    players.ask("ann", {"slow": [Query(None, "newer")]}, newer.hear, newer.done, turn=2)
    assert slow.begun.acquire(timeout=20)
    players.ask("ann", {"slow": [Query(None, "older")]}, older.hear, older.done, turn=1)
    slow.leave.release(20)
    assert older.over.wait(20)
    players.ask("ann", {"slow": [Query(None, "next")]}, next_.hear, next_.done, turn=3)
    assert newer.over.wait(20)
    assert next_.over.wait(20)
    assert isinstance(older.problem, RequestCancelled)
    assert (older.answers, newer.answers, next_.answers) == ([], ["newer"], ["next"])
    assert slow.asked == ["newer", "next"]
    players.close()


class Remote:
    """An async model that never answers, and knows whether it was let go."""

    fingerprint = "remote"

    def __init__(self) -> None:
        self.begun, self.let_go = threading.Event(), threading.Event()

    async def answer(self, queries: Sequence[Query]) -> AsyncIterator[PlacedAnswer]:
        self.begun.set()
        try:
            await asyncio.Event().wait()
            yield 0, Answer.of("late")
        finally:
            self.let_go.set()


def test_a_request_on_its_way_is_let_go_when_it_no_longer_matters() -> None:
    remote, heard = Remote(), Heard()
    players = ModelThreads([("remote", remote)])
    stop = players.ask("ann", {"remote": [Query(None, "Is it?")]}, heard.hear, heard.done)
    assert remote.begun.wait(SECONDS)
    stop()
    assert heard.over.wait(SECONDS)
    assert isinstance(heard.problem, RequestCancelled)
    assert remote.let_go.wait(SECONDS)
    players.close()


def test_a_model_that_can_do_nothing_is_refused() -> None:
    class Mute:
        fingerprint = "mute"

    with pytest.raises(ModelError, match="neither"):
        ModelThread(Mute(), "mute", "mute")


def test_two_models_of_one_name_can_be_told_apart() -> None:
    players = ModelThreads([("slow", Slow()), ("slow", Slow())])
    assert [model.slug for model in players.models] == ["slow", "slow-2"]
    players.close()


def test_the_built_in_models_play(lab: LabStore, cache: Path) -> None:
    names = partial(load_models, [("fusion", {}), ("two-tower", {})])
    client = local_client(create_app(lab, cache=cache, models=names))
    found = re.search(r'name="play-token" content="([^"]+)"', client.get("/play").text)
    assert found
    pick = client.get("/play.json?suite=plain").json()["picks"][0]
    chosen = {"suite": "plain", "query": pick["query"]}
    events = _asked(client, found[1], **chosen, question="Is there a zeppelin?", words=0)
    assert len(_said(events, "fusion")) == 1
    assert events[0]["notes"] == ["fusion does not know the word zeppelin."]
    scores = _asked(client, found[1], **chosen, mode="captions", first="There is a dog.", second="There is a cat.")
    assert {event["model"] for event in scores if event["event"] == "answer"} == {"fusion", "two-tower"}
    words = [str(lab.folder), "--model", "fusion", "--model", "two-tower", "--model-args", "a=b"]
    assert "2 --model and 1 --model-args" in str(CliRunner().invoke(command, words).exception)


def test_pictures_of_the_lab_are_named_by_query_and_never_by_path(client: TestClient) -> None:
    for address in ("/play/picture.png?dropped=../../secret", "/play/picture.png?suite=../x&query=" + "0" * 16):
        assert client.get(address).status_code == 404
    assert Picture("dropped:../../secret").namespace == "dropped"

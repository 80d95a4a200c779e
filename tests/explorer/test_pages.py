"""The pages and their twins, without a browser: what they show, what they refuse, what they leave alone."""

import re
from collections import deque
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from clients import local_client
from labs import GROUPS, HOSTILE, MODELS, small_lab
from proving import scaled
from starlette.testclient import TestClient

from counterpoint.core.groups import Answer, Query
from counterpoint.core.pictures import Picture
from counterpoint.explorer.app import create_app
from counterpoint.store.lab import LabStore

LOST = f"/suites/odd/pictures/{Query(Picture('toy:../secret.png'), 'Where?').id:016x}.webp"

MOST = scaled(180, 60)  # pages that are visited, those linked from the first ones before the others
LEAST = GROUPS if MOST > GROUPS * 3 else 0  # pages of groups that are among them

PAGES = [
    "/overview",
    "/overview?suite=plain",
    "/overview?suite=odd&metric=all_right",
    "/suites/plain/models/careful",
    "/suites/odd/models/b-bold-b-model",
]


@pytest.fixture(scope="module")
def client(lab: LabStore, cache: Path) -> TestClient:
    return local_client(create_app(lab, cache=cache))


def _json(client: TestClient, address: str) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200, answer.text
    return answer.json()


def _links(page: str) -> Iterator[str]:
    yield from (unescape(link) for link in re.findall(r'(?:href|src)="([^"#]+)', page))


def test_whatever_a_page_links_to_is_there(client: TestClient) -> None:
    waiting, seen = deque(PAGES), set[str]()
    while waiting and len(seen) < MOST:
        address = waiting.popleft()
        if address in seen:
            continue
        seen.add(address)
        answer = client.get(address)
        assert answer.status_code == (404 if address.startswith(LOST) else 200), address
        if answer.headers["content-type"].startswith("text/html"):
            assert not re.search(r"<img(?![^>]*\ssrc=)", answer.text), address
            links = [link for link in _links(answer.text) if not link.endswith(".svg")]
            filters = [link for link in links if link.startswith("/browse")]  # of which there is no end
            waiting.extend(link for link in links if link not in filters[3:])
    assert len([address for address in seen if re.search(r"/groups/[0-9a-f]{16}\?", address)]) > LEAST


def test_a_page_is_compressed_for_those_who_take_it_so(client: TestClient) -> None:
    small, plain = (client.get("/browse", headers={"accept-encoding": coding}) for coding in ("gzip", "identity"))
    assert small.text == plain.text
    assert "content-encoding" not in plain.headers
    assert small.headers["vary"] == "Accept-Encoding"
    assert int(small.headers["content-length"]) * 4 < int(plain.headers["content-length"])


def test_the_twin_of_a_page_says_the_same_numbers(client: TestClient) -> None:
    twin, page = _json(client, "/overview.json?suite=plain"), client.get("/overview?suite=plain").text
    shown = [f"{100 * cell['value']:.1f}" for line in twin["lines"] for cell in line["cells"] if cell["n"]]
    assert re.findall(r'<span class="value">([\d.]+)</span>', page) == shown
    assert twin["lab"]["models"] == len(MODELS)
    careful = next(line for line in twin["lines"] if line["model"] == "careful")
    assert [cell["value"] for cell in careful["cells"][:3]] == [1, 1, 1]


def test_answers_are_counted_by_right_answer(client: TestClient) -> None:
    address = "/suites/plain/models/careful"
    assert _json(client, f"{address}.json")["confusions"] == {
        "columns": ["dark", "light"],
        "rows": [
            {"gold": "dark", "counts": [30, 0], "total": 30, "correct": 30},
            {"gold": "light", "counts": [0, 30], "total": 30, "correct": 30},
        ],
    }
    assert 'class="number share-5 diagonal">30</td>' in client.get(address).text
    assert "Answers by gold" not in client.get("/suites/odd/models/b-bold-b-model").text


def test_what_does_not_apply_is_a_dash_with_its_reason(client: TestClient) -> None:
    twin = _json(client, "/overview.json?suite=odd")
    blank = [cell for line in twin["lines"] for cell in line["cells"] if cell["value"] is None]
    assert blank
    assert all(cell["reason"] for cell in blank)
    assert "–</span>" in client.get("/overview?suite=odd").text


def test_a_metric_without_intervals_is_shown_on_every_page(client: TestClient) -> None:
    twin = _json(client, "/overview.json?suite=plain&metric=ece")
    cells = [line["cells"][0] for line in twin["lines"] if line["cells"][0]["value"] is not None]
    assert cells
    assert all(cell["low"] is None for cell in cells)
    assert "no interval" in client.get("/overview?suite=plain&metric=ece").text


def test_no_model_is_bold_where_pictures_are_too_few_to_tell_models_apart(client: TestClient) -> None:
    twin = _json(client, "/overview.json?suite=plain&metric=comprehensive_accuracy")
    assert [line["model"] for line in twin["lines"] if line["cells"][0]["tie"]] == []


def test_texts_from_data_sets_and_models_are_escaped(client: TestClient) -> None:
    (entry,) = _json(client, "/suites/odd/models/b-bold-b-model.json?test=hostile")["groups"]
    for address in ("/overview", "/suites/odd/models/b-bold-b-model?test=hostile", entry["address"]):
        page = client.get(address).text
        assert "<script>alert" not in page
        assert "<b>bold" not in page
    assert "&lt;script&gt;alert" in page
    assert HOSTILE in str(_json(client, entry["address"].replace("?", ".json?"))["proof"])
    assert re.search(r"(<pre[^>]*>|reply “)&lt;script&gt;", client.get(_said_by_bold(client)).text)


def _said_by_bold(client: TestClient) -> str:
    """The page of a group to which the third model gave a hostile answer."""
    listed = _json(client, "/suites/plain/models/b-bold-b-model.json")["groups"]
    return str(next(e["address"] for e in listed if any((q["answer"] or {}).get("raw") == HOSTILE for q in e["lines"])))


@pytest.mark.parametrize("address", [*PAGES, "/nowhere", "/static/style.css", "/overview.json"])
def test_every_answer_forbids_scripts_that_are_not_ours(client: TestClient, address: str) -> None:
    policy = client.get(address).headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("address", PAGES)
def test_no_page_has_a_script_or_a_style_inside(client: TestClient, address: str) -> None:
    page = client.get(address).text
    assert re.findall(r"<script[^>]*>", page) == ['<script type="module" src="/static/script.js">']
    assert "<style" not in page
    assert not re.search(r"\s(?:style|on\w+)=", page)


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_pages_can_only_be_read(client: TestClient, method: str) -> None:
    assert client.request(method, "/overview").status_code == 405


@pytest.mark.parametrize(
    "address",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/suites/..%2f..%2fetc/models/careful",
        "/suites/plain/pictures/..%2f..%2f0.webp",
        "/suites/plain/pictures/0123456789abcdef.webp",
        "/suites/plain/groups/0123456789abcdef",
        "/suites/plain/groups/zzz",
        "/suites/nowhere/models/careful",
        "/suites/plain/models/nobody",
        "/overview?suite=nowhere",
        "/suites/plain/models/careful?verdict=nice",
        "/counterpoint-lab.json",
    ],
)
def test_what_is_not_there_is_said_and_no_path_leaves_the_lab(client: TestClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 404
    assert "Page not found" in answer.text or answer.headers["content-type"] == "application/json"


def test_a_picture_outside_its_root_is_not_shown(client: TestClient, lab: LabStore) -> None:
    (lab.folder / "secret.png").write_bytes((lab.folder / "pictures" / "0.png").read_bytes())
    lost = Query(Picture("toy:../secret.png"), "Where?")
    answer = client.get(f"/suites/odd/pictures/{lost.id:016x}.webp")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "image/svg+xml"  # a drawing that says that it was not found
    assert "picture not found" in answer.text
    (lab.folder / "secret.png").unlink()


def test_pictures_are_shown_as_models_saw_them(client: TestClient) -> None:
    blurred = next(q for q in _json(client, _address(client, "noise")).get("pictures") if "blur" in q["caption"])
    answer = client.get(blurred["address"])
    assert answer.content[8:12] == b"WEBP"


def _address(client: TestClient, test: str) -> str:
    (entry,) = _json(client, f"/suites/odd/models/careful.json?test={test}")["groups"]
    return str(entry["address"].replace("?", ".json?"))


def test_looking_at_a_lab_changes_nothing_in_it(client: TestClient, lab: LabStore) -> None:
    def files() -> list[tuple[str, int]]:
        return sorted((str(path), path.stat().st_mtime_ns) for path in lab.folder.rglob("*") if path.is_file())

    before = files()
    for address in PAGES:
        for link in _links(client.get(address).text):
            client.get(link) if link.endswith("width=320") else None
    assert files() == before


def test_pages_of_a_list_hold_every_group_once(client: TestClient) -> None:
    address, found = "/suites/plain/models/careful.json", []
    while address:
        twin = _json(client, address)
        found += [entry["group_id"] for entry in twin["groups"]]
        address = twin["after"].replace("careful?", "careful.json?").partition("#")[0]
    assert len(found) == len(set(found)) == GROUPS == twin["found"]


@pytest.mark.parametrize(("verdict", "count"), [("right", 8), ("broken", 22), ("wrong", 0), ("inconsistent", 22)])
def test_a_list_can_be_narrowed_to_a_verdict(client: TestClient, verdict: str, count: int) -> None:
    assert _json(client, f"/suites/plain/models/hasty.json?verdict={verdict}")["found"] == count


def test_next_and_previous_stay_within_the_filter(client: TestClient) -> None:
    listed = _json(client, "/suites/plain/models/hasty.json?verdict=right")["groups"]
    here, walked = listed[0]["address"], []
    while here:
        twin = _json(client, here.replace("?", ".json?"))
        walked.append(twin["group_id"])
        here = twin["after"]
    assert walked == [entry["group_id"] for entry in listed]
    assert (twin["place"], twin["found"]) == (8, 8)


def test_a_group_shows_gold_proof_boxes_and_every_model(client: TestClient) -> None:
    twin = _json(
        client,
        _json(client, "/suites/plain/models/hasty.json?verdict=broken")["groups"][0]["address"].replace("?", ".json?"),
    )
    assert twin["proof"].startswith("its number is")
    assert twin["pictures"][0]["boxes"] == [{"name": "shade", "x": 10, "y": 10, "width": 30, "height": 20}]
    assert twin["answers"][0]["model"] == "hasty"
    assert {line["model"] for line in twin["answers"]} == set(MODELS)
    assert [piece["text"] for piece in twin["queries"][1]["text"] if piece["changed"]]
    careful = next(line for line in twin["answers"] if line["model"] == "careful")
    assert (careful["answers"][0]["raw"], careful["answers"][0]["rule"]) == ("light.", "words")
    assert careful["consistent"] is True


@pytest.mark.parametrize(
    ("test", "related"), [("negation", True), ("contrast", None), ("foil", True), ("blind", True), ("alone", None)]
)
def test_every_relation_has_a_page(client: TestClient, test: str, related: bool | None) -> None:
    twin = _json(client, _address(client, test))
    careful = next(line for line in twin["answers"] if line["model"] == "careful")
    assert careful["consistent"] is related
    assert bool(careful["reason"]) is (related is None)


def test_a_page_that_has_not_changed_is_not_sent_again_and_a_changed_lab_is(tmp_path: Path) -> None:
    lab = small_lab(tmp_path / "lab", models=1)
    client = local_client(create_app(lab, cache=tmp_path / "cache"))
    tag = client.get("/suites").headers["etag"]  # the overview has findings, which are searched beside it
    assert client.get("/suites", headers={"if-none-match": tag}).status_code == 304
    with lab.answers("careful 1") as log:
        log.add([(1, 0, Answer.of("more"), "", 0.0)])
    answer = client.get("/suites", headers={"if-none-match": tag})
    assert answer.status_code == 200
    assert answer.headers["etag"] != tag


def test_a_request_under_a_strangers_name_is_refused(client: TestClient) -> None:
    assert client.get("/overview", headers={"host": "evil.example"}).status_code == 400


def test_an_empty_lab_says_so(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    lab.set_root("toy", tmp_path)
    assert "no suite yet" in local_client(create_app(lab, cache=tmp_path)).get("/overview").text


def test_a_damaged_lab_is_named_and_not_hidden(tmp_path: Path) -> None:
    lab = small_lab(tmp_path / "lab", models=1)
    (lab.folder / "suites" / "plain" / "groups.parquet").write_bytes(b"nothing")
    answer = local_client(create_app(lab, cache=tmp_path), raise_server_exceptions=False).get("/overview")
    assert answer.status_code == 500
    assert "groups.parquet" in answer.text


def test_missing_pictures_are_said_with_the_command_that_mends_it(tmp_path: Path) -> None:
    lab = small_lab(tmp_path / "lab", models=1)
    client = local_client(create_app(lab, cache=tmp_path / "cache"))
    assert "does not exist" not in client.get("/overview").text
    lab.set_root("toy", tmp_path / "gone")
    page = local_client(create_app(lab, cache=tmp_path / "cache")).get("/overview").text
    assert "counterpoint pictures lab toy=FOLDER" in page


def test_a_name_that_is_not_known_is_answered_by_links_to_near_ones(client: TestClient) -> None:
    page = client.get("/suites/plan")
    assert page.status_code == 404
    assert 'href="/suites/plain"' in page.text
    assert 'href="/models/careful"' in client.get("/models/carefull").text

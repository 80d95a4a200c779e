"""Votes over HTTP: who may vote, what a vote may say, and that every acknowledged one is in the lab once."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from clients import local_client
from full_disk import full_disk
from review_labs import Voter, review_lab
from starlette.applications import Starlette
from starlette.testclient import TestClient

import counterpoint as cp
from counterpoint.core.votes import GoldCorrection
from counterpoint.explorer.app import create_app
from counterpoint.explorer.pages.review.voting import parse_cookie
from counterpoint.explorer.security import HEADER
from counterpoint.store.lab import LabStore
from counterpoint.store.votes import all_votes, read_votes

PASSWORD = "correct horse"


@pytest.fixture
def store(tmp_path: Path) -> LabStore:
    return review_lab(tmp_path / "private")


@pytest.fixture
def app(store: LabStore, tmp_path: Path) -> Starlette:
    return create_app(store, cache=tmp_path / "cache")


@pytest.fixture
def client(app: Starlette) -> Iterator[TestClient]:
    with local_client(app) as client:
        yield client


def set_up(store: LabStore, task: str = "judge", suite: str = "foils", **how: Any) -> None:
    cp.Lab(store.folder).review(task, suites=[suite], **how)


def invited(app: Starlette, store: LabStore, name: str, task: str = "judge") -> Voter:
    client = local_client(app)
    answer = client.get(cp.Lab(store.folder).invite(name).path)
    assert answer.status_code == 200
    return Voter(client, task)


def test_three_people_judge_and_the_votes_say_what_they_saw(app: Starlette, store: LabStore) -> None:
    set_up(store)
    for name in ("ann", "bob", "cid"):
        voter = invited(app, store, name)
        voter.look()
        while voter.state["items"]:
            voter.vote(voter.right() if name != "cid" else "both")
        assert (voter.state["done"], voter.state["left"], voter.state["seconds"]) == (6, 0, 1.5)
    votes = read_votes(store.storage, "judge", "foils").to_pylist()
    assert Counter((vote["voter"], vote["choice"]) for vote in votes) == {
        ("ann", "caption"): 6,
        ("bob", "caption"): 6,
        ("cid", "both"): 6,
    }
    assert {vote["shown"] for vote in votes} == {"caption-first", "foil-first"}
    assert {vote["query"] for vote in votes} == {None}


def test_nothing_that_a_voter_is_sent_tells_the_right_choice(app: Starlette, store: LabStore) -> None:
    set_up(store, gold_suite="known")
    voter = invited(app, store, "ann")
    state = voter.look()
    sent = str(state) + voter.client.get("/review/judge").text
    assert not [
        word for word in ("caption", "foil-first", "gold'", "expected") if word in sent.replace("'gold': ''", "")
    ]


def test_a_vote_sent_again_is_one_vote_and_going_back_replaces(
    client: TestClient, app: Starlette, store: LabStore
) -> None:
    set_up(store)
    voter = Voter(client)
    voter.look()
    item = voter.item
    ballot = voter.ballot("first")
    assert [voter.send(ballot).status_code for _ in range(3)] == [201, 201, 201]
    newer = voter.ballot("neither", item, replaces=ballot["vote"])
    assert voter.send(newer).json()["done"] == 1
    assert len(all_votes(store.storage)) == 2
    assert [(vote["vote"], vote["choice"]) for vote in read_votes(store.storage).to_pylist()] == [
        (newer["vote"], "neither")
    ]
    (past,) = voter.look()["history"]
    assert (past["vote"], past["choice"], past["item"]["group"]) == (newer["vote"], "neither", item["group"])
    with local_client(create_app(store)) as restarted:  # a new server knows the votes
        again = Voter(restarted)
        assert again.look()["history"] == [past]
        assert item["group"] not in [waiting["group"] for waiting in again.state["items"]]
        assert again.send(newer).status_code == 201
    assert len(all_votes(store.storage)) == 2


def test_an_old_token_is_refused_until_the_page_asks_again(client: TestClient, store: LabStore) -> None:
    set_up(store)
    voter = Voter(client)
    voter.look()
    ballot = voter.ballot("first")
    token = voter.state["token"]
    for headers in ({HEADER: "old"}, {}, {HEADER: token, "Sec-Fetch-Site": "cross-site"}):
        assert client.post("/review/judge/votes", json=ballot, headers=headers).status_code == 403
    assert client.post("/review/judge/votes", content=b"x", headers={HEADER: token}).status_code == 415
    assert all_votes(store.storage) == []


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"choice": "caption"}, 400),
        ({"choice": ""}, 400),
        ({"vote": "short"}, 400),
        ({"vote": "Z" * 32}, 400),
        ({"replaces": "0" * 32}, 400),
        ({"group": "0" * 16}, 404),
        ({"group": "7"}, 400),
        ({"suite": "other"}, 404),
        ({"note": "x" * 4001}, 400),
        ({"choice": ["first"]}, 400),
    ],
)
def test_a_vote_that_makes_no_sense_is_refused(
    client: TestClient, store: LabStore, changed: dict[str, Any], status: int
) -> None:
    set_up(store)
    voter = Voter(client)
    voter.look()
    answer = voter.send(voter.ballot("first") | changed)
    assert answer.status_code == status
    assert answer.json()["problem"]
    assert all_votes(store.storage) == []


def test_odd_seconds_and_half_characters_are_kept_as_well_as_can_be(client: TestClient, store: LabStore) -> None:
    set_up(store)
    voter = Voter(client)
    for seconds in (-1, 1e300, 10**400, "soon", True):
        voter.look()
        body = f'{{"note": "\\ud83d", "seconds": {str(seconds).lower() if seconds != "soon" else "null"}, '
        body += str(voter.ballot("both")).replace("'", '"').replace('"seconds": 1.5', '"value": ""')[1:]
        headers = {HEADER: voter.state["token"], "Content-Type": "application/json"}
        assert client.post("/review/judge/votes", content=body, headers=headers).status_code == 201
    votes = all_votes(store.storage)
    assert [vote.seconds for vote in votes] == [0, 86_400, 86_400, 0, 0]
    assert {vote.note for vote in votes} == {"?"}


def test_queries_are_answered_by_choices_or_freely_and_always_ambiguous(client: TestClient, store: LabStore) -> None:
    set_up(store, "answer", "questions", per_item=1)
    voter, seen = Voter(client, "answer"), {}
    voter.look()
    while voter.state["items"]:
        item = voter.item
        choices = tuple(choice["value"] for choice in item["choices"])
        seen["".join(piece["text"] for piece in item["texts"][0]["text"])] = choices
        assert item["free"] == (choices == ("ambiguous",))
        voter.vote(" Blue   Shade" if item["free"] else choices[0], value=" Blue   Shade" if item["free"] else "")
    assert seen["Is it light?"] == ("yes", "no", "ambiguous")
    assert seen["Is it gray or red here?"] == ("gray", "red", "ambiguous")
    assert seen["What is it?"] == ("ambiguous",)
    votes = all_votes(store.storage)
    groups = [vote.group_id for vote in votes]
    assert all(first != second for first, second in pairwise(groups))
    assert Counter((vote.choice, vote.value) for vote in votes)["blue shade", " Blue   Shade"] == 2


def test_an_audit_shows_gold_proof_boxes_and_what_people_said(
    client: TestClient, app: Starlette, store: LabStore
) -> None:
    set_up(store, "answer", "questions", per_item=1)
    people = invited(app, store, "ann", "answer")
    people.look()
    while people.state["items"]:
        people.vote("ambiguous")
    set_up(store, "audit", "questions", per_item=1)
    voter = Voter(client, "audit")
    item = voter.look()["items"][0]
    assert [(text["gold"] != "", text["said"]) for text in item["texts"]] == [(True, "ambiguous 1")] * 2
    assert item["proof"] == "it is annotated"
    assert item["boxes"] == [{"name": "shade", "x": 10, "y": 10, "width": 30, "height": 20}]
    assert len(item["causes"]) == 5
    assert voter.send(voter.ballot("wrong")).status_code == 400, "a reason is needed"
    assert voter.send(voter.ballot("right", reason="unknown")).status_code == 400
    wrong = [{"query": text["query"], "answer": answer} for text, answer in zip(item["texts"], ("no", ""), strict=True)]
    assert voter.send(voter.ballot("right", corrections=wrong)).status_code == 400
    for refused in (wrong * 2, [{"query": "0" * 16}], ["no"], "no"):
        about: dict[str, Any] = {"reason": "missing-annotation", "corrections": refused}
        assert voter.send(voter.ballot("wrong", **about)).status_code == 400, refused
    voter.vote("wrong", reason="missing-annotation", note="there is none", corrections=wrong)
    voter.vote("right")
    first, second = all_votes(store.storage)[-2:]
    expected = tuple(GoldCorrection(int(own["query"], 16), own["answer"]) for own in wrong)
    assert (first.choice, first.reason, first.corrections) == ("wrong", "missing-annotation", expected)
    assert (second.choice, second.reason, second.corrections) == ("right", "", ())
    assert [past["corrections"] for past in voter.look()["history"]] == [wrong, []]


def test_an_audit_that_a_page_of_an_earlier_release_sends_is_kept(client: TestClient, store: LabStore) -> None:
    set_up(store, "audit", "questions", per_item=1)
    voter = Voter(client, "audit")
    wrong = voter.look()["items"][0]["texts"][1]["query"]
    voter.vote("wrong", reason="missing-annotation", value="no", query=wrong)
    assert all_votes(store.storage)[0].wrong_golds == (GoldCorrection(int(wrong, 16), "no"),)
    assert voter.look()["history"][0]["corrections"] == [{"query": wrong, "answer": "no"}]


def test_voters_qualify_and_are_told_when_they_do_not(app: Starlette, store: LabStore) -> None:
    set_up(store, gold_suite="known", per_item=1)
    careless = invited(app, store, "careless")
    careless.look()
    for _ in range(4):
        assert careless.state["standing"] == "qualifying"
        assert careless.item["suite"] == "known"
        careless.vote("neither")
    assert (careless.state["standing"], careless.state["items"]) == ("disqualified", [])
    careful = invited(app, store, "careful")
    careful.look()
    while careful.state["items"]:
        careful.vote(careful.right())
    assert careful.state["standing"] == "qualified"
    assert read_votes(store.storage)["voter"].to_pylist() == ["careful"] * 6
    assert read_votes(store.storage, gold_items=True).num_rows == 14


def test_the_author_sees_how_far_people_are(client: TestClient, app: Starlette, store: LabStore) -> None:
    assert "No task is set up" in client.get("/review").text
    set_up(store, gold_suite="known", per_item=1)
    assert "Nobody has voted yet" in client.get("/review").text
    for name in ("careful", "careless"):
        voter = invited(app, store, name)
        voter.look()
        for _ in range(6):
            if voter.state["items"]:
                voter.vote(voter.right() if name == "careful" else "neither")
    told = client.get("/review.json").json()
    (task,) = told["tasks"]
    assert (task["items"], task["done"], task["votes"], task["left_out"]) == (6, 2, 2, 0)
    assert [(voter["voter"], voter["votes"], voter["gold_right"], voter["standing"]) for voter in told["voters"]] == [
        ("careful", 2, 4, "qualified"),
        ("careless", 0, 0, "disqualified"),
    ]
    assert "votes left out" in client.get("/review").text


def test_beyond_this_machine_nobody_votes_without_a_link(store: LabStore, tmp_path: Path) -> None:
    set_up(store)
    app = create_app(store, host="0.0.0.0", cache=tmp_path / "cache", password=PASSWORD)
    stranger = local_client(app, follow_redirects=False)
    for path in ("/review/judge", "/review/judge/items"):
        assert stranger.get(path).status_code == 401
    assert stranger.get("/review/join?voter=ann&secret=guess").status_code == 403
    assert stranger.get("/review/join?voter=&secret=").status_code == 403
    with_password = {"Authorization": f"Bearer {PASSWORD}"}
    assert stranger.get("/review/judge/items", headers=with_password).status_code == 401
    ann = invited(app, store, "ann")
    assert ann.look()["voter"] == "ann"
    picture = ann.item["picture"]
    assert ann.client.get(picture).headers["content-type"] == "image/webp"
    assert stranger.get(picture).status_code == 401
    for path in ("/overview", "/suites/foils", picture.replace("/review/pictures/foils", "/suites/foils/pictures")):
        assert ann.client.get(path, headers={"accept": "application/json"}).status_code == 401, path
    assert store.folder.name not in ann.client.get("/review/judge").text
    cp.Lab(store.folder).invite("ann")  # a new link ends the old one
    assert ann.client.get("/review/judge/items").status_code == 401


def test_what_a_proxy_passes_on_is_not_of_this_machine(client: TestClient, store: LabStore) -> None:
    set_up(store)
    assert client.get("/review/judge/items").status_code == 200
    for header in ("X-Forwarded-For", "Via", "Forwarded"):
        assert client.get("/review/judge/items", headers={header: "10.0.0.7"}).status_code == 401
    for cookie in ("", ".", ".guess", "x", "YXV0aG9y.guess"):  # the last names the author
        headers = {"X-Forwarded-For": "10.0.0.7", "Cookie": f"counterpoint-voter={cookie}"}
        assert client.get("/review/judge/items", headers=headers).status_code == 401, cookie
    client.get(cp.Lab(store.folder).invite("ann").path)
    assert client.get("/review/judge/items", headers={"X-Forwarded-For": "10.0.0.7"}).json()["voter"] == "ann"


def test_only_pictures_of_items_are_shown_to_voters(client: TestClient, store: LabStore) -> None:
    set_up(store)
    voter = Voter(client)
    voter.look()
    other = f"{store.suite('questions').groups['query'][0].as_py():016x}"
    assert client.get(f"/review/pictures/questions/{other}.webp").status_code == 404
    (store.folder / "pictures" / "0.png").unlink()
    codes = {
        client.get(f"/review/pictures/foils/{q.as_py():016x}.webp").status_code
        for q in store.suite("foils").groups["query"]
    }
    assert codes == {200, 404}


def test_a_task_that_nobody_set_up_and_one_set_up_anew(client: TestClient, store: LabStore) -> None:
    assert client.get("/review/judge").status_code == 404
    assert client.get("/review/judge/items").status_code == 404
    assert client.get(cp.Lab(store.folder).invite("ann").path).status_code == 404
    client.cookies.clear()
    set_up(store, sample=2)
    voter = Voter(client)
    assert voter.look()["left"] == 2
    voter.vote("first")
    set_up(store, sample=4)
    assert (voter.look()["done"], voter.state["left"]) == (1, 3)


def test_a_vote_that_finds_a_full_disk_is_not_acknowledged(client: TestClient, store: LabStore) -> None:
    set_up(store)
    voter = Voter(client)
    voter.look()
    ballot = voter.ballot("first")
    with full_disk():
        refused = voter.send(ballot)
    assert refused.status_code == 503
    assert "could not be saved" in refused.json()["problem"]
    assert voter.look()["done"] == 0
    assert voter.send(ballot).status_code == 201
    assert [vote.vote for vote in all_votes(store.storage)] == [ballot["vote"]]


@pytest.mark.parametrize("cookie", ["", ".", "%%%.x", "YW5u", "\u00e9.x"])
def test_a_cookie_that_is_none_names_nobody(cookie: str) -> None:
    assert parse_cookie(cookie)[0] in ("", "ann")

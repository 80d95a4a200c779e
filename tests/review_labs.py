"""A lab with captions, questions and golds for people to vote on, and a voter without a browser."""

from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
from PIL import Image

from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import SceneObject
from counterpoint.explorer.security import HEADER
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest

PICTURES = 12
TYPED = ("judge", "answer", "audit")


def review_lab(folder: Path, foils: int = 6) -> LabStore:
    """Suites of foils, of known foils to qualify on, and of questions with and without choices."""
    lab, pictures = LabStore(folder), folder / "pictures"
    pictures.mkdir(parents=True)
    for number in range(PICTURES):
        Image.fromarray(np.full((60, 80, 3), 20 * number, np.uint8)).save(pictures / f"{number}.png")
    suites = {
        "foils": list(captions("cars", foils)),
        "known": list(captions("trucks", 4)),
        "questions": list(questions()),
    }
    for name, groups in suites.items():
        table = groups_table([(name, group) for group in groups], name)
        lab.put_suite(Manifest.of(table, generator="review_labs", seed=7), table)
    lab.set_root("toy", pictures)
    return lab


def captions(thing: str, count: int) -> Iterator[Group]:
    """A caption and its foil about each picture; the caption has an even number."""
    for number in range(count):
        picture = Picture(f"toy:{number % PICTURES}.png")
        texts = (f"There are exactly {2 * number} {thing}.", f"There are exactly {2 * number + 1} {thing}.")
        queries = tuple(Query(picture, text, Mode.SCORE) for text in texts)
        yield Group(Relation.RANKS, queries, (None, None), kind=f"kind {number % 2}")


def questions() -> Iterator[Group]:
    """A yes-no question, one with choices, and an open one, each asked in two ways."""
    box = SceneObject("1", "shade", box=Box(10, 10, 30, 20))
    asked: tuple[tuple[str, tuple[str, ...], str], ...] = (
        ("Is it light", (), "yes"),
        ("Is it gray or red", ("gray", "red"), "gray"),
        ("What is it", (), "shade"),
    )
    for number, (text, choices, gold) in enumerate(asked):
        picture = Picture(f"toy:{number}.png")
        queries = tuple(Query(picture, f"{text}{end}", choices=choices) for end in ("?", " here?"))
        golds = (Gold.of(gold),) * 2
        about: dict[str, Any] = {"objects": (box,), "size": Size(80, 60)}
        yield Group(Relation.SAME, queries, golds, proof="it is annotated", kind="kind", **about)


class Voter:
    """A person who votes over HTTP, by a client of Starlette, or of httpx over a real server."""

    def __init__(self, client: Any, task: str = "judge") -> None:
        self.client, self.task = client, task
        self.state: dict[str, Any] = {}

    def look(self) -> dict[str, Any]:
        """What the page asks for first."""
        answer = self.client.get(f"/review/{self.task}/items")
        assert answer.status_code == 200, answer.text
        self.state = answer.json()
        return self.state

    @property
    def item(self) -> dict[str, Any]:
        item: dict[str, Any] = self.state["items"][0]
        return item

    def ballot(self, choice: str, item: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        """A vote as the page sends it."""
        about = {name: (item or self.item)[name] for name in ("suite", "group", "query")}
        return {"vote": token_hex(16), **about, "choice": choice, "seconds": 1.5, **more}

    def send(self, ballot: dict[str, Any]) -> Any:
        headers = {HEADER: self.state["token"], "Accept": "application/json"}
        answer = self.client.post(f"/review/{self.task}/votes", json=ballot, headers=headers)
        if answer.status_code == 201:
            self.state |= answer.json()
        return answer

    def vote(self, choice: str, **more: Any) -> str:
        """Vote on the item on the screen, and return the id of the vote."""
        ballot = self.ballot(choice, **more)
        answer = self.send(ballot)
        assert answer.status_code == 201, answer.text
        return str(ballot["vote"])

    def right(self) -> str:
        """The key of the caption, which has an even number."""
        first = "".join(piece["text"] for piece in self.item["texts"][0]["text"])
        return "first" if int(first.split()[3]) % 2 == 0 else "second"

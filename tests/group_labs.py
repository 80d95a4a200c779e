"""A small lab whose suites ask around the same questions: noise, exchanged pictures, foils, and stochastic passes."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from counterpoint.core.groups import Answer, Gold, Group, Mode, Query, Relation
from counterpoint.core.pictures import Box, Edit, Picture, Size
from counterpoint.core.ports import MEAN_TRIAL
from counterpoint.core.scenes import SceneObject
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

MODELS = ("steady", "shaky", "silent")
PICTURES = 24
SEVERITIES = ("3", "1", "2")  # not in their order
EXCHANGED = 8
PASSES = 4


def lab_of_groups(folder: Path) -> LabStore:
    """Four suites and three models: one that is steady, one that noise shakes, one that was asked nothing."""
    lab, pictures = LabStore(folder), folder / "pictures"
    pictures.mkdir(parents=True)
    for number in range(PICTURES):
        Image.fromarray(np.full((60, 80, 3), 10 * number, np.uint8)).save(pictures / f"{number}.png")
    lab.put_run(RunRecord("0", "steady", "steady 1"))
    lab.set_root("toy", pictures)
    suites = {"noise": list(noisy()), "swaps": list(exchanged()), "foils": list(foils()), "words": list(reworded())}
    for name, groups in suites.items():
        table = groups_table([(name, group) for group in groups], name)
        lab.put_suite(Manifest.of(table, generator="group_labs", seed=7), table)
    for number, model in enumerate(MODELS):
        lab.put_run(RunRecord(str(number), model, f"{model} 1"))
        with lab.answers(f"{model} 1") as log:
            for query, trial, answer in _said(model, [group for groups in suites.values() for group in groups]):
                log.add([(query, trial, answer, "", 0.01)])
    return lab


def base(number: int) -> Query:
    """The question that every suite asks about a picture."""
    return Query(Picture(f"toy:{number}.png"), f"Is shade {number} light?")


def noisy() -> Iterator[Group]:
    """Each question at three severities of blur."""
    box = SceneObject("1", "shade", box=Box(10, 10, 30, 20))
    for number in range(PICTURES):
        first = base(number)
        assert first.picture is not None
        variants = [Query(first.picture.edited(Edit("blur", (one,))), first.text) for one in SEVERITIES]
        tags = ((), *((("edit", "blur"), ("severity", one), ("trial", "1")) for one in SEVERITIES))
        yield Group(
            Relation.SAME,
            (first, *variants),
            (Gold.of("yes"),) * 4,
            proof="blur changes no shade",
            objects=(box,),
            size=Size(80, 60),
            tags=tags,
        )


def exchanged() -> Iterator[Group]:
    """Each question about eight other pictures."""
    for number in range(PICTURES):
        others = [Picture(f"toy:{(number + step) % PICTURES}.png") for step in range(1, EXCHANGED + 1)]
        box = SceneObject("1", "shade", box=Box(10, 10, 30, 20))
        queries = (base(number), *(Query(other, base(number).text) for other in others))
        yield Group(Relation.SWAP, queries, (Gold.of("yes"), *(None,) * EXCHANGED), objects=(box,), size=Size(80, 60))


def foils() -> Iterator[Group]:
    """A caption above a foil; the third one is a tie."""
    for number in range(PICTURES):
        texts = (f"A light shade {number}.", f"A dark shade {number}.")
        queries = tuple(Query(Picture(f"toy:{number}.png"), text, Mode.SCORE) for text in texts)
        yield Group(Relation.RANKS, queries, (None, None))


def reworded() -> Iterator[Group]:
    """Each question in other words, and its opposite."""
    for number in range(PICTURES):
        first = base(number)
        yes = Gold.of("yes")
        yield Group(Relation.SAME, (first, Query(first.picture, f"Would you call shade {number} light?")), (yes, yes))


def _said(model: str, groups: list[Group]) -> Iterator[tuple[int, int, Answer]]:
    """Steady is right throughout; shaky fails at severity 3, on every second picture, and in every fourth pass."""
    seen = set[int]()
    for group in groups if model != "silent" else []:
        for role, query in enumerate(group.queries):
            assert query.picture is not None
            number = int(query.picture.address.removeprefix("toy:").removesuffix(".png"))
            if query.id in seen:
                continue
            seen.add(query.id)
            fails = model == "shaky" and role > 0 and (number % 2 == 0 or "3" in str(query.picture.edits))
            if query.mode is Mode.SCORE:
                yield (
                    query.id,
                    0,
                    Answer.scored(0.5 if number == 2 else 0.75 if role == 0 else 0.875 if fails else 0.25),
                )
                continue
            value = "no" if fails else "yes"
            yield query.id, 0, Answer(raw=f"{value}.", value=value, rule="words", top=((value, 0.75), ("maybe", 0.2)))
            if model == "shaky" and role == 0:
                for trial in range(1, PASSES + 1):
                    yield query.id, trial, Answer.of("yes" if trial < PASSES else "no")
                yield query.id, MEAN_TRIAL + PASSES, Answer(raw="yes", value="yes", top=(("yes", 0.7), ("no", 0.3)))

"""A small lab made by hand, with everything that can go wrong in one: for tests of pages and reports."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from PIL import Image

from counterpoint.core.groups import Answer, Gold, Group, Mode, Query, Relation, State
from counterpoint.core.pictures import Box, Edit, Picture, Size
from counterpoint.core.scenes import SceneObject
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

HOSTILE = "<script>alert('x')</script> & \u202eright to left"
MODELS = {"careful": "careful 1", "hasty": "hasty 1", "<b>bold</b>/model": "bold 1"}
GROUPS = 30


def small_lab(folder: Path, models: int = len(MODELS)) -> LabStore:
    """Two suites, three models or the first of them, ten pictures; the second suite has what is rare."""
    lab = LabStore(folder)
    pictures = folder / "pictures"
    pictures.mkdir(parents=True)
    for number in range(10):
        shade = np.full((60, 80, 3), 20 * number, np.uint8)
        Image.fromarray(shade).save(pictures / f"{number}.png")
    lab.put_run(RunRecord("0", "careful", "careful 1"))
    lab.set_root("toy", pictures)
    suites = {"plain": list(plain_groups()), "odd": list(odd_groups())}
    for name, groups in suites.items():
        table = groups_table(groups, name)
        lab.put_suite(Manifest.of(table, generator="labs", seed=7), table)
    for run, (model, fingerprint) in enumerate(list(MODELS.items())[:models]):
        answered(lab, model, fingerprint, [group for groups in suites.values() for _, group in groups])
        lab.put_run(
            RunRecord(str(run), model, fingerprint, {"counts": {"asked": 90}, "seconds": 0.5, "disagreement": 0.02})
        )
    return lab


def plain_groups() -> Iterable[tuple[str, Group]]:
    """Thirty groups of two kinds: is it light, and which of two."""
    box = SceneObject("1", "shade", box=Box(10, 10, 30, 20))
    for number in range(GROUPS):
        picture = Picture(f"toy:{number % 10}.png")
        texts = (f"Is shade {number} light or dark?", f"Is shade {number} dark or light?")
        gold = Gold.of("light" if number % 2 else "dark")
        yield (
            "swap" if number % 3 else "turn",
            Group(
                Relation.SAME,
                tuple(Query(picture, text) for text in texts),
                (gold, gold),
                proof=f"its number is {number}",
                kind="even" if number % 2 == 0 else "odd",
                objects=(box,),
                size=Size(80, 60),
                tags=((("number", str(number)),),) * 2,
            ),
        )


def odd_groups() -> Iterable[tuple[str, Group]]:
    """One group of each rare sort."""
    first, second = Picture("toy:1.png"), Picture("toy:2.png")
    blurred = first.edited(Edit("blur", ("2",)))
    yes, no = Gold.of("yes"), Gold.of("no")
    yield "negation", Group(Relation.DIFFERS, (Query(first, "Is it?"), Query(first, "Is it not?")), (yes, no))
    yield "hostile", Group(Relation.SAME, (Query(first, HOSTILE), Query(first, "Is it?")), (yes, yes), proof=HOSTILE)
    yield "noise", Group(Relation.SAME, (Query(first, "What?"), Query(blurred, "What?")), (yes, yes))
    yield "blind", Group(Relation.SWAP, (Query(first, "Who?"), Query(None, "Who?")), (None, None))
    yield "contrast", Group(Relation.GOLD, (Query(first, "Or?"), Query(second, "Or?")), (yes, no), kind="pair")
    captions = tuple(Query(first, text, Mode.SCORE) for text in ("A shade.", "A dog."))
    yield "foil", Group(Relation.RANKS, captions, (None, None))
    yield "alone", Group(Relation.SAME, (Query(second, "Why?", choices=("yes", "no"), context="Hello."),), (yes,))
    yield "lost", Group(Relation.SAME, (Query(Picture("toy:../secret.png"), "Where?"),) * 1, (yes,))


def answered(lab: LabStore, model: str, fingerprint: str, groups: Iterable[Group]) -> None:
    """What the models say: careful is right, hasty is right about bases only, the third is odd in every way."""
    given: dict[int, Answer] = {}
    for number, group in enumerate(groups):
        for role, (query, gold) in enumerate(zip(group.queries, group.gold, strict=True)):
            right = gold.best if gold else "yes"
            if query.mode is Mode.SCORE:
                answer = Answer.scored(0.9 - 0.5 * role)
            elif model == "careful":
                answer = Answer(raw=f"{right}.", value=right, rule="words", top=((right, 0.8), ("maybe", 0.1)))
            elif model == "hasty":
                answer = Answer.of(right if role == 0 or number % 4 == 0 else "maybe")
            else:
                answer = _odd(number % 4)
            given.setdefault(query.id, answer)
    with lab.answers(fingerprint) as log:
        log.add((query, 0, answer, "", 0.01) for query, answer in given.items() if "bold" not in model or query % 5)


def _odd(number: int) -> Answer:
    return (
        Answer(raw=HOSTILE, value="", rule="words", state=State.UNPARSED),
        Answer(raw="I would rather not.", state=State.REFUSED),
        Answer.failed("time-out after 30 s"),
        Answer.of("dark"),
    )[number]


def captions_lab(folder: Path) -> LabStore:
    """One suite of captions and foils and nothing else, with two models that score."""
    lab = LabStore(folder)
    lab.put_run(RunRecord("0", "sharp", "sharp 1"))
    pairs = [(f"There is {number} dog.", f"There is {number + 1} dog.") for number in range(40)]
    groups = [
        (
            "counting",
            Group(
                Relation.RANKS,
                tuple(Query(Picture(f"toy:{number}.png"), text, Mode.SCORE) for text in pair),
                (None, None),
                kind="small" if number < 20 else "large",
            ),
        )
        for number, pair in enumerate(pairs)
    ]
    table = groups_table(groups, "foils")
    lab.put_suite(Manifest.of(table, generator="labs", seed=7), table)
    for run, (model, right) in enumerate({"sharp": 4, "dull": 2}.items()):
        with lab.answers(f"{model} 1") as log:
            for number, (_, group) in enumerate(groups):
                scores = (0.9, 0.2) if number % 5 < right else (0.2, 0.9)
                log.add(
                    (query.id, 0, Answer.scored(score), "", 0.02)
                    for query, score in zip(group.queries, scores, strict=True)
                )
        lab.put_run(RunRecord(str(run), model, f"{model} 1", {"scale": "probability", "parameters": 1_200_000}))
    return lab

"""A lab whose every text wants to harm whoever reads it: for tests of all views."""

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

SCRIPT = "<script>window.harmed = 1</script>"
IMAGE = "\"'><img src=x onerror=window.harmed=1>"
TURNED = "\u202eright to left\u2066\u200f"
LONG = "W" * 300
TEMPLATE = "{{ 7 * 191 }}{% raw %}"
LINK = "javascript:window.harmed=1"
QUOTE = "'; DROP TABLE groups; --"
TEXTS = (SCRIPT, IMAGE, TURNED, LONG, TEMPLATE, LINK, QUOTE)
MODELS = {f"{SCRIPT}/{IMAGE}": "one 1", f"{TURNED} {LONG}": "two 1", "plain": "three 1"}


def hostile_lab(folder: Path) -> LabStore:
    """One suite of each relation, three models; the pictures are harmless."""
    lab, pictures = LabStore(folder), folder / "pictures"
    pictures.mkdir(parents=True)
    for number in range(3):
        Image.fromarray(np.full((60, 80, 3), 80 * number, np.uint8)).save(pictures / f"{number}.png")
    lab.put_run(RunRecord("0", "plain", "three 1"))
    lab.set_root("toy", pictures)
    suites = {str(relation): [_group(relation, place) for place in range(len(TEXTS))] for relation in Relation}
    for name, groups in suites.items():
        table = groups_table([(TEXTS[place], group) for place, group in enumerate(groups)], name)
        lab.put_suite(Manifest.of(table, generator=SCRIPT, seed=7, parameters={IMAGE: SCRIPT}), table)
    for run, (model, fingerprint) in enumerate(MODELS.items()):
        given = {
            query.id: _answer(model, place, role, query)
            for groups in suites.values()
            for place, group in enumerate(groups)
            for role, query in enumerate(group.queries)
        }
        with lab.answers(fingerprint) as log:
            log.add((query, 0, answer, "", 0.01) for query, answer in given.items())
        lab.put_run(RunRecord(str(run), model, fingerprint, {"counts": {"asked": 9}, "seconds": 0.5}))
    return lab


def _group(relation: Relation, place: int) -> Group:
    text, other = TEXTS[place], TEXTS[(place + 1) % len(TEXTS)]
    picture, mode = Picture(f"toy:{place % 3}.png"), Mode.SCORE if relation is Relation.RANKS else Mode.ANSWER
    asked = Query(
        picture, f"{relation} {text}", mode, choices=(text, "no") if mode is Mode.ANSWER else (), context=other
    )
    varied = Query(picture.edited(Edit("blur", ("2",))), f"{relation} {other}", mode)
    gold = None if mode is Mode.SCORE else Gold.of(text)
    return Group(
        relation,
        (asked, varied),
        (gold, gold),
        proof=other,
        kind=TEXTS[-1 - place],
        objects=(SceneObject("1", other, box=Box(10, 10, 30, 20)),),
        size=Size(80, 60),
        tags=(((text, other),), ((other, text),)),
    )


def _answer(model: str, place: int, role: int, query: Query) -> Answer:
    text = TEXTS[(place + role) % len(TEXTS)]
    if query.mode is Mode.SCORE:
        return Answer.scored(0.9 - 0.5 * role)
    if place == 1:
        return Answer(raw=text, state=State.REFUSED if role else State.UNPARSED)
    if place == 2 and role:
        return Answer.failed(text)
    said = text if model == "plain" or not role else QUOTE
    return Answer(raw=text, value=said, rule=SCRIPT, top=((said, 0.7), (IMAGE, 0.2)))

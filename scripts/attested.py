"""Count with which words the categories and prepositions of captions stand, for sources with few captions.

Writes `data/attested.toml` of the foils from captions in COCO's layout: contexts that occur at least twice. Give it the
captions that rules may be tuned on, as `benchmarks.caption_halves` writes them.

    python scripts/attested.py tune.json
"""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from counterpoint.core.grouping import group_pairs
from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture
from counterpoint.suites.valse.caption_foils import DATA
from counterpoint.suites.valse.objects import ObjectSurvey, categories, sibling_words
from counterpoint.suites.valse.relations import PrepositionSurvey

LEAST = 2
HEAD = """\
# Written by scripts/attested.py from captions of COCO 2017 (CC BY 4.0): what stands together at least twice.
"""


def read_captions(path: Path) -> Iterator[Caption]:
    """The captions of a file in COCO's layout."""
    for row in json.loads(path.read_text("utf-8"))["annotations"]:
        yield Caption(str(row["id"]), Picture(f"coco:{row['image_id']}"), row["caption"])


def object_lines(survey: ObjectSurvey) -> Iterator[str]:
    """A table for each tie, and in it the words of each category that is exchanged."""
    named = {categories()[word][0] for word in categories() if sibling_words(word)}
    rows = [
        (tie, (name, word))
        for (name, row), count in survey.contexts.items()
        for tie, _, word in [row.partition(" ")]
        if count >= LEAST and name in named and tie != "near" and word.isalpha()
    ]
    for tie, pairs in sorted(group_pairs(rows).items()):
        yield f"\n[objects.{tie}]\n"
        yield from _lines(pairs)


def relation_lines(survey: PrepositionSurvey) -> Iterator[str]:
    """The places of each kind of prepositions."""
    yield "\n[relations]\n"
    yield from _lines(
        (kind, f"{verb}/{landmark}/{subject}")
        for (kind, verb, (landmark, subject)), count in survey.attested.items()
        if count >= LEAST
    )


def _lines(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, words in sorted(group_pairs(pairs).items()):
        yield f'"{name}" = "{", ".join(sorted(set(words)))}"\n'


if __name__ == "__main__":
    captions = list(read_captions(Path(sys.argv[1])))
    lines = [*object_lines(ObjectSurvey(captions, known=())), *relation_lines(PrepositionSurvey(captions, known=()))]
    (DATA / "attested.toml").write_text(HEAD + "".join(lines), "utf-8")

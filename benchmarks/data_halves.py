"""Split captions, questions or dialogues by picture: one half to tune rules on, the other to report on.

The layout of the file decides the rule. Captions of COCO go by `caption_halves`. Questions and annotations of VQA v2
and dialogues of VisDial are tuned on where the number of their picture is even. The question sets of ConVQA are tuned
on at every other place of the file, the first included. What was read of which half is stated with the figures.

    python -m benchmarks.data_halves visdial_1.0_val_97.json tune.json report.json
"""

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.caption_halves import split_captions


def is_tuned(number: int) -> bool:
    """Whether questions and dialogues on a picture belong to the half to tune on.

    >>> [is_tuned(number) for number in (42, 73, 185565)]
    [True, False, False]
    """
    return number % 2 == 0


def keep_half(content: dict[str, Any], tuned: bool) -> dict[str, Any]:
    """The content of a file of questions, annotations, dialogues or question sets, with one half of its pictures.

    >>> keep_half({"7": [["on"]], "4": [["in"]], "9": [["by"]]}, tuned=True)
    {'7': [['on']], '9': [['by']]}
    """
    if "data" in content:  # turns name their texts by place, so both halves keep all texts
        return content | {"data": keep_half(content["data"], tuned)}
    for key in ("dialogs", "annotations", "questions"):
        if key in content:
            return content | {key: [row for row in content[key] if is_tuned(row["image_id"]) == tuned]}
    return {picture: sets for place, (picture, sets) in enumerate(content.items()) if is_tuned(place) == tuned}


def main(source: Path, tune: Path, report: Path) -> None:
    """Write both halves in the layout of the file."""
    content = json.loads(source.read_text("utf-8"))
    if "images" in content:
        split_captions(source, tune, report)
        return
    for path, tuned in ((tune, True), (report, False)):
        path.write_text(json.dumps(keep_half(content, tuned)), "utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))

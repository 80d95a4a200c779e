"""Split a file of COCO captions by picture: one half to tune rules on, the other to report on.

A picture belongs to the report half by a hash of its number alone, unless a test of this repository reads its captions.
Rules for foils may be changed after reading foils of the first half; those of the second are read once, when the rules
stand, and what was read is stated with the date of the rules.

    python -m benchmarks.caption_halves annotations/captions_val2017.json tune.json report.json
"""

import json
import sys
from pathlib import Path

from counterpoint.core.ids import content_id

READ_BY_TESTS = 2000
"""Captions at the head of the file whose pictures are not reported on: tests read them."""


def is_reported(number: int) -> bool:
    """Whether a picture belongs to the half to report on.

    >>> [is_reported(number) for number in (139, 285, 632, 724)]
    [False, False, False, True]
    """
    return content_id(["reported", number]) % 2 == 0


def split_captions(captions: Path, tune: Path, report: Path) -> tuple[int, int]:
    """Write both halves in the layout of the file, and return their numbers of pictures."""
    content = json.loads(captions.read_text("utf-8"))
    heads = {row["image_id"] for row in content["annotations"][:READ_BY_TESTS]}
    sizes = []
    for path, wanted in ((tune, False), (report, True)):
        images = [
            image for image in content["images"] if (is_reported(image["id"]) and image["id"] not in heads) == wanted
        ]
        numbers = {image["id"] for image in images}
        annotations = [row for row in content["annotations"] if row["image_id"] in numbers]
        path.write_text(json.dumps(content | {"images": images, "annotations": annotations}), "utf-8")
        sizes.append(len(images))
    return sizes[0], sizes[1]


if __name__ == "__main__":
    tuned, reported = split_captions(*map(Path, sys.argv[1:4]))
    print(f"{tuned:,} pictures to tune on, {reported:,} to report on")

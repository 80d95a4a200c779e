"""Pictures of coloured blocks, and questions about them."""

import numpy as np

from counterpoint.core.errors import PictureError
from counterpoint.core.groups import Mode, Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pixels

TEXTS = ("Is there a dog?", "What color is the big car to the left of the tree?", "How many?", "Is the door open?")


class Blocks:
    """Pictures of coloured blocks, which follow from the number in the address; `broken` cannot be read."""

    def __init__(self) -> None:
        self.shown: list[Picture] = []

    def pixels(self, picture: Picture) -> Pixels:
        if picture.path == "broken":
            raise PictureError("broken")
        self.shown.append(picture)
        width, height = (400, 300) if picture.path == "large" else (320, 240)
        number = int(picture.path) if picture.path.isdecimal() else 99
        blocks = np.random.default_rng(number).integers(0, 256, (height // 20, width // 20, 3))
        return blocks.astype(np.uint8).repeat(20, 0).repeat(20, 1)


def asked(pictures: int = 6, mode: Mode = Mode.ANSWER) -> list[Query]:
    return [Query(Picture(f"blocks:{number}"), text, mode) for text in TEXTS for number in range(pictures)]

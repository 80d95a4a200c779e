"""Edits of a model's features: noise scaled by reference queries, and exchange with another sample."""

from collections.abc import Sequence
from enum import StrEnum

from counterpoint.core.groups import Query
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.pictures import Edit, Picture

MAX_REFERENCES = 500
"""Queries from which, at most, the standard deviation of a feature is estimated (Beyond Accuracy, 3.2)."""


class Side(StrEnum):
    """Which features are edited: those of the picture, or those of the text."""

    PICTURE = "picture"
    TEXT = "text"

    @property
    def noise(self) -> str:
        """The name of the edit that adds noise."""
        return f"{self}-noise"

    @property
    def exchange(self) -> str:
        """The name of the edit that takes the features of another sample."""
        return f"{self}-exchange"


def noise_edit(side: Side, scale: str, references: str, seed: int) -> Edit:
    """Gaussian noise of `scale` standard deviations of each feature, as measured on the reference queries.

    >>> str(noise_edit(Side.TEXT, "1", "00ff", seed=7))
    'text-noise(1,00ff)#7'
    """
    return Edit(side.noise, (scale, references), seed)


def exchange_picture(picture: Picture) -> Edit:
    """The features of another, unedited picture instead of the query's own."""
    assert not picture.edits, "features are exchanged with an unedited picture"
    return Edit(Side.PICTURE.exchange, (picture.address,))


def exchange_text(text: str, context: str = "") -> Edit:
    """The features of another text instead of the query's own."""
    return Edit(Side.TEXT.exchange, (text, context))


def reference_name(queries: Sequence[Query]) -> str:
    """The content id by which an edit names its reference queries."""
    return hex_id(content_id([hex_id(query.id) for query in queries]))

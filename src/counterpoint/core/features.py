"""Edits of a model's features: noise that is measured by reference queries, and what another sample would give."""

from collections.abc import Sequence
from enum import StrEnum

from counterpoint.core.groups import Query
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.pictures import Edit, Picture

MAX_REFERENCES = 500
"""From how many queries, at most, the spread of a feature is estimated (Beyond Accuracy, 3.2)."""


class Side(StrEnum):
    """Whose features are edited: those of the picture, or those of the text."""

    PICTURE = "picture"
    TEXT = "text"

    @property
    def noise(self) -> str:
        """The name of the edit that adds noise."""
        return f"{self}-noise"

    @property
    def exchange(self) -> str:
        """The name of the edit that puts in what another sample has."""
        return f"{self}-exchange"


def noise_edit(side: Side, scale: str, references: str, seed: int) -> Edit:
    """Gaussian noise of so many standard deviations of each feature, as some reference queries spread.

    >>> str(noise_edit(Side.TEXT, "1", "00ff", seed=7))
    'text-noise(1,00ff)#7'
    """
    return Edit(side.noise, (scale, references), seed)


def exchange_picture(picture: Picture) -> Edit:
    """The features of another picture, as it is, in the place of the query's own."""
    assert not picture.edits, "another sample is taken as it is"
    return Edit(Side.PICTURE.exchange, (picture.address,))


def exchange_text(text: str, context: str = "") -> Edit:
    """The features of another text in the place of the query's own."""
    return Edit(Side.TEXT.exchange, (text, context))


def reference_name(queries: Sequence[Query]) -> str:
    """What an edit calls its reference queries: other queries have another name."""
    return hex_id(content_id([hex_id(query.id) for query in queries]))

"""What a source tells of pictures beyond what was drawn from it: their other questions, and their captions."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from counterpoint.core.errors import CounterpointError
from counterpoint.core.items import Caption, Question
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import Source
from counterpoint.sources.skips import Skips


def items_about(source: Any, pictures: Collection[Picture]) -> Iterator[Question | Caption]:
    """Everything that a source tells of some pictures in questions and captions, as far as it has these.

    A sample leaves most questions about its pictures out; here they are. Captions are optional: where their file, or a
    column of them, is missing, there are none.
    """
    if isinstance(source, Source):
        whole = replace(source, most=None, skips=Skips())
        if source.most is not None:
            yield from _about(whole.questions(), pictures)
        if has_captions(source):
            yield from _about(whole.captions(), pictures)
    elif hasattr(source, "captions"):
        yield from _about(source.captions(), pictures)


def has_captions(source: Source) -> bool:
    """Whether captions can be read from what is there."""
    if "captions" not in source.dataset.read:
        return False
    try:
        if parts := {file.part for file in source.dataset.files if "captions" in file.kinds}:
            return not parts.isdisjoint(source.files("captions").paths)
        return next(replace(source, most=None, skips=Skips()).captions(), None) is not None
    except CounterpointError:
        return False


def _about(items: Iterator[Any], pictures: Collection[Picture]) -> Iterator[Any]:
    return (item for item in items if item.picture in pictures)

"""In which color backgrounds are painted: as people say it, as a folder of pictures has it, or as a source knows it."""

from pathlib import Path
from typing import Any

import click

from counterpoint.core.errors import CounterpointError
from counterpoint.pictures.channel_means import Means, folder_means
from counterpoint.suites.carets.visual import VisualSuite
from counterpoint.suites.suite import Suite


def means_given(ctx: click.Context, param: click.Parameter, given: str) -> Means | None:
    """Red, green and blue as in 121,113,104, or the means of the pictures in a folder."""
    if not given:
        return None
    if Path(given).is_dir():
        return folder_means(Path(given))
    try:
        red, green, blue = (int(one) for one in given.split(","))
    except ValueError:
        raise click.BadParameter(f"{given} is neither three numbers, such as 121,113,104, nor a folder") from None
    if not all(0 <= one <= 255 for one in (red, green, blue)):
        raise click.BadParameter(f"{given} is no color: its numbers go from 0 to 255")
    return red, green, blue


def told(suite: Suite[Any, Any], means: Means | None, source: Any) -> tuple[Suite[Any, Any], Means | None]:
    """A suite that has been told in which color it paints, and that color; a color is never guessed."""
    if not isinstance(suite, VisualSuite):
        if means is not None:
            raise CounterpointError(f"{suite.name} paints nothing over, so it has no use for channel means")
        return suite, None
    known: Means | None = means or getattr(source, "means", None)
    if known is None:
        raise CounterpointError(
            f"{suite.name} paints in the mean color of the training pictures of a source, which nobody has told",
            hint="say --means R,G,B, or --means FOLDER with training pictures to measure it there",
        )
    return suite.with_means(known), known

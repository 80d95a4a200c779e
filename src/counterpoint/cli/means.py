"""In which color backgrounds are painted: as people say it or as a folder of pictures has it."""

from pathlib import Path

import click

from counterpoint.pictures.channel_means import Means, folder_means


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

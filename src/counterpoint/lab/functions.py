"""Public functions that need no lab; a lab has methods of the same names, which report to its own callback."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint.lab.progress import ProgressCallback, ignore_progress

if TYPE_CHECKING:
    from counterpoint.lab.augmentation import TrainingSet
    from counterpoint.lab.descriptions import DataDescription, ExpectedFiles
    from counterpoint.lab.results import LabResult
    from counterpoint.lab.translation import BackTranslations


def open_source(
    source: str,
    *,
    data: Path | str | None = None,
    split: str = "test",
    items: int | None = None,
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
) -> Any:
    """Open a source by its name: `scenes()`, `questions()`, `captions()` and so on read it, `skips` counts bad records.

    >>> [scene.place for scene in open_source("world", items=2).scenes()]
    ['street', 'kitchen']
    """
    from counterpoint.lab.source_items import SourceRequest, load_source

    path = None if data is None else Path(data)
    return load_source(SourceRequest(source, path, split, items or 1000, seed, columns or {}), whole=items is None)


def describe_data(
    name: str, *, progress: ProgressCallback = ignore_progress, **request: Any
) -> ExpectedFiles | DataDescription:
    """Describe a source: the files that a data set expects, or with `data=FOLDER` what is in them.

    Further arguments are `split`, `kinds`, `items`, `seed`, `rules`, `columns`, `against` and `top`.

    >>> describe_data("world", items=3, kinds=("scenes",)).records()[0]["items"]
    3
    """
    from counterpoint.lab.descriptions import DescribeRequest, describe_source

    return describe_source(DescribeRequest(name, **request), progress)


def translate(
    out: Path | str, there: str, back: str, *, progress: ProgressCallback = ignore_progress, **request: Any
) -> BackTranslations:
    """Write back-translations of a source's questions to a file, for `generate(texts=…)`.

    `there` and `back` are translators, such as hf/NAME or apertium/eng-spa. Further arguments are `source`, `data`,
    `split`, `items` and `seed`.
    """
    from counterpoint.lab.translation import TranslateRequest, back_translate_source

    return back_translate_source(TranslateRequest(Path(out), there, back, **request), progress)


def augment(
    out: Path | str, layout: str, *, progress: ProgressCallback = ignore_progress, **request: Any
) -> TrainingSet:
    """Write training questions in the form of some `suites`, about pictures that no excluded lab uses.

    Further arguments are `source`, `data`, `split`, `items`, `limit`, `seed`, `exclude`, `prompt` and `pictures`.
    """
    from counterpoint.lab.augmentation import AugmentRequest, write_training_set

    return write_training_set(None, AugmentRequest(Path(out), layout, **request), progress)


def study(name: str, *, progress: ProgressCallback = ignore_progress, **request: Any) -> LabResult:
    """Run a study that needs no lab: plain (accuracy on the built-in world), rad, rad-coverage.

    >>> study("rad").records()[0]["intercept"]
    False
    """
    from counterpoint.lab.studies import run_study

    return run_study(None, name, request, progress)


def write_world(out: Path | str, *, progress: ProgressCallback = ignore_progress, **request: Any) -> Path:
    """Write the built-in world as files in the formats of public data sets; returns the folder.

    Further arguments are `split`, `items` and `seed`; one seed writes one world on every machine.
    """
    from counterpoint.lab.world_files import WorldRequest, write_world_files

    return write_world_files(WorldRequest(Path(out), **request), progress)


def draw_contact_sheet(path: Path | str, *, scenes: int = 24, columns: int = 6) -> None:
    """Draw the first scenes of the built-in world's test split side by side into one picture."""
    from counterpoint.world.contact_sheets import contact_sheet
    from counterpoint.world.source import World

    world, path = World("test", scenes), Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    contact_sheet(((world[k].scene.place, world[k].draw()) for k in range(scenes)), columns=columns).save(path)

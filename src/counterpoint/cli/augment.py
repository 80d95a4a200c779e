"""`counterpoint augment`: the questions of the suites for other pictures, in the layouts that training code reads."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from counterpoint import catalog
from counterpoint._version import __version__
from counterpoint.cli.progress import counted
from counterpoint.core.errors import CounterpointError
from counterpoint.core.groups import Query
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.items import GroundedQuestion, Question
from counterpoint.core.pictures import Picture
from counterpoint.exports.shards import drafted
from counterpoint.exports.training_files import FORMS, Lessons, written
from counterpoint.lab.generation import Recipe, fingerprint, opened
from counterpoint.pictures.png import encode_png
from counterpoint.sources.dataset import Source
from counterpoint.store.lab import LabStore
from counterpoint.studies.augmentation import apart, made_on, mixed
from counterpoint.studies.augmentation import fingerprint as content_of

IMAGES = "images"
"""The folder of the pictures that are drawn, beside the files that speak of them."""
TAKEN = ("scenes", "grounded")
"""What suites may be made from whose questions are worth learning: scenes, and questions about them."""
MANIFEST = "manifest.json"
"""What says how the questions were made, beside them."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be written, and where."""

    folder: Path
    form: str
    limit: int | None
    prompt: str
    pictures: bool


@dataclass(frozen=True, slots=True)
class Tests:
    """What is not to be learned: the labs that were named, their suites with fingerprints, and their pictures."""

    suites: tuple[Mapping[str, Any], ...]
    addresses: frozenset[str]


@click.command("augment")
@click.argument("lab", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option("--suite", "names", multiple=True, help="A suite of the catalog; may be given several times.")
@click.option("--source", default="world", show_default=True, help="A source of the catalog, or module:object.")
@click.option("--split", default="train", show_default=True, help="Which part of the source.")
@click.option("--data", type=click.Path(exists=True, path_type=Path), help="Where the files of the source are.")
@click.option(
    "--scenes", default=1000, show_default=True, type=click.IntRange(1), help="At most so many scenes, or questions."
)
@click.option("--seed", default=0, show_default=True, help="Another seed asks other questions.")
@click.option("--limit", type=click.IntRange(1), help="At most so many questions; all that there are by default.")
@click.option("--not-in", "others", multiple=True, type=click.Path(path_type=Path), help="A lab to stay apart from.")
@click.option("--to", "folder", required=True, type=click.Path(path_type=Path), help="The folder to write to.")
@click.option("--as", "form", required=True, type=click.Choice(tuple(FORMS)), help="Whose layout it is to have.")
@click.option("--prompt", default="", help="Chat: what is said around a question, {text}; ours by default.")
@click.option("--no-pictures", is_flag=True, help="Do not draw the pictures of the world into the folder.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest as one JSON object.")
def command(
    lab: Path | None,
    names: tuple[str, ...],
    source: str,
    split: str,
    data: Path | None,
    scenes: int,
    seed: int,
    limit: int | None,
    others: tuple[Path, ...],
    folder: Path,
    form: str,
    prompt: str,
    no_pictures: bool,
    as_json: bool,
) -> None:
    """Write questions to train on, as the suites of LAB ask them and in their mix, or as the named suites do.

    No picture is used that a suite of LAB, or of a lab named by --not-in, uses: one that is would be an error. The
    manifest beside the files says how they were made, and holds what is needed to check that.
    """
    weights = _weights(lab, names)
    tests = tested([one for one in (lab, *others) if one is not None])
    recipe = Recipe("", source, split, scenes)
    order = Order(folder, form, limit, prompt, not no_pictures)
    manifest = augmented(recipe, weights, tests, order, data=data, seed=seed)
    if as_json:
        click.echo(json.dumps(manifest, ensure_ascii=False))
        return
    for name, count in manifest["suites"].items():
        click.echo(f"{name:<26}{count:>8}")
    away = manifest["apart"]
    click.echo(f"{manifest['questions']:,} questions about {manifest['pictures']:,} pictures are in {folder}")
    if tests.suites:
        click.echo(f"  none of these is among the {away['tested']:,} pictures of {len(tests.suites)} suites")


def _weights(lab: Path | None, names: Sequence[str]) -> dict[str, float]:
    """The suites to take questions from, each with its share: as in a lab, or alike."""
    if names:
        return dict.fromkeys(names, 1.0)
    if lab is None:
        raise CounterpointError("nothing says which questions to write", hint="name a LAB, or a suite: --suite order")
    made = [LabStore(lab).opened().manifest(name) for name in LabStore(lab).opened().suites()]
    known = {row: name for name, row in catalog.rows("suites").items()}
    return {known.get(one.generator, one.generator): float(one.groups) for one in made}


def tested(labs: Iterable[Path]) -> Tests:
    """Every suite of some labs, and every picture that one of them shows."""
    rows, addresses = list[Mapping[str, Any]](), set[str]()
    for folder in labs:
        lab = LabStore(folder).opened()
        for name in lab.suites():
            stored = lab.suite(name)
            shown = stored.table["picture"].drop_null().unique().to_pylist()
            rows.append({"suite": name, "fingerprint": stored.manifest.fingerprint, "pictures": len(shown)})
            addresses.update(shown)
    return Tests(tuple(rows), frozenset(addresses))


def augmented(
    recipe: Recipe,
    weights: Mapping[str, float],
    tests: Tests,
    order: Order,
    *,
    data: Path | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Make the questions, show that they are about other pictures, and write all of it, or nothing; the manifest."""
    suites = {name: catalog.find("suites", name) for name in weights}
    for name, suite in suites.items():
        if suite.takes not in TAKEN:
            hint = "name suites that are made from scenes, or from questions about them"
            raise CounterpointError(f"{name} is made from {suite.takes}", hint=hint)
    source = opened(recipe, data, seed)
    items = {takes: _read(source, takes, recipe) for takes in sorted({suite.takes for suite in suites.values()})}
    scenes = [one.scene if isinstance(one, GroundedQuestion) else one for some in items.values() for one in some]
    proof = apart((scene.picture.address for scene in scenes), tests.addresses)
    made = {name: made_on(suite, items[suite.takes], seed) for name, suite in suites.items()}
    by_suite = mixed(made, seed=seed, limit=order.limit, weights=weights)
    questions = [question for asked in by_suite.values() for question in asked]
    if not questions:
        raise CounterpointError(f"nothing can be asked about {len(scenes)} scenes of {recipe.source}")
    pictures = sorted({question.picture.address for question in questions})
    manifest: dict[str, Any] = {
        "made_with": __version__,
        "as": order.form,
        "source": recipe.source,
        "split": recipe.split,
        "scenes": len(scenes),
        "seed": seed,
        "questions": len(questions),
        "pictures": len(pictures),
        "suites": {name: len(asked) for name, asked in by_suite.items()},
        "fingerprint": content_of(questions),
        "annotations": hex_id(content_id([fingerprint(scene) for scene in scenes])),
        "apart": {**asdict(proof), "suites": list(tests.suites)},
    }
    with drafted(order.folder) as draft:
        lessons = Lessons(questions, recipe.split, partial(_words, order.prompt))
        drawn = _pictures(source, pictures, draft) if order.pictures else ""
        manifest |= {"files": written(lessons, order.form, draft), "images": drawn}
        text = json.dumps(manifest, ensure_ascii=False, indent=2)
        (draft / MANIFEST).write_text(f"{text}\n", encoding="utf-8")
    return manifest


def _read(source: Any, takes: str, recipe: Recipe) -> list[Any]:
    """What suites are made from, all of it."""
    if not hasattr(source, "scenes"):
        raise CounterpointError(f"{recipe.source} has no scenes", hint="counterpoint data says what a source has")
    return list(counted(getattr(source, takes)(), "reading", total=recipe.scenes))


def _words(prompt: str, question: Question) -> str:
    """A question as our own adapters would put it to a model, so that it is trained as it is asked."""
    from counterpoint.models.prompts import Prompt

    return Prompt().asking(prompt).words(Query(question.picture, question.text))


def _pictures(source: Any, addresses: Sequence[str], folder: Path) -> str:
    """Draw what is no file; the folder of what is one; all paths in the files start there."""
    if isinstance(source, Source):
        return str(source.dataset.picture_root(source.folder) or "")
    for address in counted(addresses, "drawing"):
        path = folder / IMAGES / Picture(address).path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_png(source.pixels(Picture(address))))
    return IMAGES

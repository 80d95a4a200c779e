"""Training questions in the form of a lab's suites, about pictures that none of its suites uses."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from counterpoint import catalog
from counterpoint._version import __version__
from counterpoint.core.errors import CounterpointError
from counterpoint.core.groups import Query
from counterpoint.core.items import GroundedQuestion, Question
from counterpoint.core.pictures import Picture
from counterpoint.core.quantities import counted
from counterpoint.core.scenes import Scene
from counterpoint.exports.training_files import TrainingQuestions, write_training_files
from counterpoint.lab.name_lists import with_name_lists
from counterpoint.lab.progress import ProgressCallback, ignore_progress, track
from counterpoint.lab.results import LabResult
from counterpoint.lab.source_items import SourceRequest, items_fingerprint, load_source
from counterpoint.pictures.folders import encode_png
from counterpoint.reports.tables import ResultTable
from counterpoint.sources.dataset import Source
from counterpoint.store.folder import atomic_folder
from counterpoint.store.lab import LabStore
from counterpoint.studies.augmentation import fingerprint, mix_questions, prove_disjoint, training_groups
from counterpoint.suites.suite import Suite

IMAGES = "images"
"""The folder of drawn pictures, beside the files."""
MANIFEST = "manifest.json"
"""The file that records how the questions were made."""
_KINDS = ("scenes", "grounded")  # what suites may take whose questions can be learned from


@dataclass(frozen=True, slots=True)
class AugmentRequest:
    """Which training questions are written, and where."""

    out: Path
    layout: str  # one of TRAINING_LAYOUTS
    suites: tuple[str, ...] = ()  # of the catalog; by default those of the lab, in its proportions
    source: str = "world"
    data: Path | str | None = None
    split: str = "train"
    items: int = 1000  # scenes or questions read
    limit: int | None = None  # questions
    seed: int = 0
    exclude: tuple[Path, ...] = ()  # labs whose pictures must not be used
    prompt: str = ""  # the wording around a question in chats
    pictures: bool = True  # draw the pictures of the world

    @property
    def reading(self) -> SourceRequest:
        """What is read."""
        return SourceRequest(self.source, self.data, self.split, self.items, self.seed)


@dataclass(frozen=True, slots=True, repr=False)
class TrainingSet(LabResult[dict[str, Any]]):
    """Training questions that were written, with the manifest beside them."""

    out: Path
    manifest: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The manifest."""
        return dict(self.manifest)

    def records(self) -> list[dict[str, Any]]:
        """Questions by suite."""
        return [{"suite": name, "questions": count} for name, count in self.manifest["suites"].items()]

    def tables(self) -> list[ResultTable]:
        """Questions by suite."""
        rows = [(name, f"{count:,}") for name, count in self.manifest["suites"].items()]
        return [ResultTable(f"Training questions in {self.out}", ("suite", "questions"), rows)]

    def notes(self) -> list[str]:
        """How many questions there are, and that their pictures are in no suite of the labs."""
        count, pictures, disjoint = (self.manifest[key] for key in ("questions", "pictures", "disjoint"))
        verb = "is" if count == 1 else "are"
        written = f"{counted(count, 'question')} about {counted(pictures, 'picture')} {verb} in {self.out}"
        if not disjoint["suites"]:
            return [written]
        tested = f"{counted(disjoint['tested'], 'picture')} of {counted(len(disjoint['suites']), 'suite')}"
        return [written, f"none of these is among the {tested}"]


def augment(
    out: Path | str, layout: str, *, progress: ProgressCallback = ignore_progress, **request: Any
) -> TrainingSet:
    """Write training questions in the form of some `suites`, about pictures that no excluded lab uses.

    Further arguments are `source`, `data`, `split`, `items`, `limit`, `seed`, `exclude`, `prompt` and `pictures`.
    """
    return write_training_set(None, AugmentRequest(Path(out), layout, **with_name_lists(request)), progress)


def write_training_set(
    lab: LabStore | None, request: AugmentRequest, progress: ProgressCallback = ignore_progress
) -> TrainingSet:
    """Write training questions of the named suites, or of those of a lab in its proportions.

    A picture that a suite of the lab or of an excluded lab shows is an error; then nothing is written.
    """
    weights = _weights(lab, request.suites)
    tested, addresses = _test_pictures([*([lab] if lab else []), *map(LabStore, request.exclude)])
    suites, source = _find_suites(request, weights), load_source(request.reading)
    if not hasattr(source, "scenes"):
        raise CounterpointError(f"{request.source} has no scenes", hint="counterpoint list sources shows what each has")
    items = {
        kind: list(track(getattr(source, kind)(), "reading", progress, total=request.items))
        for kind in sorted({suite.takes for suite in suites.values()})
    }
    scenes = [item.scene if isinstance(item, GroundedQuestion) else item for kind in items.values() for item in kind]
    proof = prove_disjoint((scene.picture.address for scene in scenes), addresses)
    groups = {name: training_groups(suite, items[suite.takes], request.seed) for name, suite in suites.items()}
    by_suite = mix_questions(groups, seed=request.seed, limit=request.limit, weights=weights)
    if not any(by_suite.values()):
        raise CounterpointError(f"nothing can be asked about {counted(len(scenes), 'scene')} of {request.source}")
    manifest = _manifest(request, scenes, by_suite) | {"disjoint": {**asdict(proof), "suites": tested}}
    return _write_files(request, source, [own for chosen in by_suite.values() for own in chosen], manifest, progress)


def _find_suites(request: AugmentRequest, names: Iterable[str]) -> dict[str, Suite[Any, Any]]:
    """The suites by name, all of them made from scenes."""
    find = catalog.resolve if request.suites else catalog.find  # what a lab names is never imported
    suites = {name: find("suites", name) for name in names}
    for name, suite in suites.items():
        if suite.takes not in _KINDS:
            hint = "name suites that are made from scenes, or from questions about them"
            raise CounterpointError(f"{name} is made from {suite.takes}", hint=hint)
    return suites


def _manifest(
    request: AugmentRequest, scenes: Sequence[Scene], by_suite: Mapping[str, Sequence[Question]]
) -> dict[str, Any]:
    questions = [question for chosen in by_suite.values() for question in chosen]
    return {
        "made_with": __version__,
        "layout": request.layout,
        "source": request.source,
        "split": request.split,
        "scenes": len(scenes),
        "seed": request.seed,
        "questions": len(questions),
        "pictures": len({question.picture.address for question in questions}),
        "suites": {name: len(chosen) for name, chosen in by_suite.items()},
        "fingerprint": fingerprint(questions),
        "annotations": items_fingerprint(scenes),
    }


def _write_files(
    request: AugmentRequest,
    source: Any,
    questions: Sequence[Question],
    manifest: dict[str, Any],
    progress: ProgressCallback,
) -> TrainingSet:
    """Write files, pictures and manifest, all or nothing."""
    from counterpoint.models.prompts import Prompt  # of our own adapters: a model is trained as it is asked

    prompt, pictures = Prompt().with_question(request.prompt), sorted({own.picture.address for own in questions})
    with atomic_folder(request.out) as draft:
        drawn = _draw_pictures(source, track(pictures, "drawing", progress), draft) if request.pictures else ""
        lessons = TrainingQuestions(questions, request.split, lambda own: prompt.text(Query(own.picture, own.text)))
        manifest |= {"files": write_training_files(lessons, request.layout, draft), "images": drawn}
        text = json.dumps(manifest, ensure_ascii=False, indent=2)
        (draft / MANIFEST).write_text(f"{text}\n", encoding="utf-8")
    return TrainingSet(request.out, manifest)


def _weights(lab: LabStore | None, names: Sequence[str]) -> dict[str, float]:
    """The suites to take questions from with their proportions: equal, or those of a lab."""
    if names:
        return dict.fromkeys(names, 1.0)
    if lab is None:
        raise CounterpointError("nothing says which questions to write", hint="name a LAB, or a suite: --suite order")
    manifests = [lab.opened().manifest(name) for name in lab.suites()]
    known = {row: name for name, row in catalog.rows("suites").items()}
    return {known.get(manifest.generator, manifest.generator): float(manifest.groups) for manifest in manifests}


def _test_pictures(labs: Iterable[LabStore]) -> tuple[list[dict[str, Any]], frozenset[str]]:
    """The suites of some labs with their fingerprints, and the addresses of all pictures that they show."""
    rows, addresses = list[dict[str, Any]](), set[str]()
    for lab in labs:
        for name in lab.opened().suites():
            stored = lab.suite(name)
            pictures = stored.table["picture"].drop_null().unique().to_pylist()
            rows.append({"suite": name, "fingerprint": stored.manifest.fingerprint, "pictures": len(pictures)})
            addresses.update(pictures)
    return rows, frozenset(addresses)


def _draw_pictures(source: Any, addresses: Iterable[str], folder: Path) -> str:
    """Draw pictures that are no files; the folder in which the paths of the files start."""
    if isinstance(source, Source):
        return str(source.dataset.picture_root(source.folder) or "")
    for address in addresses:
        path = folder / IMAGES / Picture(address).path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode_png(source.pixels(Picture(address))))
    return IMAGES

"""What a reader may make of a damaged file: sound values and counted skips, or our error, which names the file."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any

from damage import Damaged, damaged
from hypothesis import HealthCheck, Phase, given, settings
from source_samples import SAMPLES, Sample, put

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError
from counterpoint.core.groups import Relation
from counterpoint.core.items import Caption, Dialogue, Frame, Question, ReadyGroup
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import Scene
from counterpoint.sources.dataset import DataSet, Source
from counterpoint.sources.reading.records import LONGEST
from counterpoint.sources.results.formats import detect_format, read_predictions, used_columns
from counterpoint.sources.results.predictions import Prediction, RejectedRecord


def damaged_endings(
    sample: Sample, folder: Path, examples: int, ending_of: Callable[[Damaged], "Ending"]
) -> "set[Ending]":
    """How reading ends for some damaged versions of a sample's files in a folder."""
    contents = sample.contents
    put(contents, folder)
    endings: set[Ending] = set()

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(damaged(sample.files))
    def read(version: Damaged) -> None:
        with put_in(folder, contents, version):
            endings.add(ending_of(version))

    read()
    return endings


class Ending(StrEnum):
    """How the reading of a damaged file ended well."""

    WHOLE = "read whole"
    SKIPS = "read with skips"
    REFUSED = "refused"


def data_sets() -> dict[str, DataSet]:
    """Everything in the catalog that is read from files."""
    found = {name: catalog.find("sources", name) for name in catalog.rows("sources")}
    return {name: one for name, one in found.items() if isinstance(one, DataSet)}


def missing() -> list[str]:
    """What has no sample yet, each with what to add."""
    return [
        f"{name} has no sample of {kind}: add a Sample({kind!r}, …) with small files in its layout to SAMPLES[{name!r}]"
        for name, dataset in data_sets().items()
        for kind in dataset.read
        if kind not in {sample.kind for sample in SAMPLES.get(name, ())}
    ]


@contextmanager
def put_in(folder: Path, contents: Mapping[str, bytes], damaged: Damaged) -> Iterator[None]:
    """The folder of a sample with its damaged file, and afterwards as it was."""
    path = folder / damaged.name
    path.unlink()
    if damaged.content is not None:
        path.write_bytes(damaged.content)
    elif not damaged.is_gone:
        path.mkdir()
    try:
        yield
    finally:
        if path.is_dir():
            shutil.rmtree(path)
        put({damaged.name: contents[damaged.name]}, folder)


def ending(dataset: DataSet, sample: Sample, folder: Path, damaged: Damaged) -> Ending:
    """Read a folder with a damaged file; anything but our error, or a value that is not sound, is raised."""
    source = Source(dataset, folder, sample.split)
    names = [name.rpartition("/")[2] for name in sample.files]
    if damaged.content is None or damaged.name == "README.md":  # then it is the folder that has no such file
        names.append(folder.name)
    try:
        values = list(getattr(source, sample.kind)())
    except CounterpointError as problem:
        _text(problem.hint)
        _names_one(names, str(problem))
        return Ending.REFUSED
    for value in values:
        _SOUND[sample.kind](value, sample)
    twice = [own for own, count in Counter(value.id for value in values).items() if count > 1]
    assert not twice, f"these ids are there more than once: {twice}"
    for places in source.skips.places.values():
        for place in places:
            _names_one([*names, folder.name], place)
    list(map(_text, source.skips.lines()))
    return Ending.SKIPS if source.skips.total else Ending.WHOLE


def prediction_ending(sample: Sample, folder: Path, damaged: Damaged) -> Ending:
    """Read a damaged file of predictions; anything but our error, or a value that is not sound, is raised."""
    (name,) = sample.files
    try:
        used_columns(folder / name, detect_format(folder / name))
        records = list(read_predictions(folder / name))
    except CounterpointError as problem:
        _text(problem.hint)
        _names_one([name], str(problem))
        _short(str(problem).replace(str(folder), ""))
        return Ending.REFUSED
    for record in records:
        _names_one([name], record.place)
        _text(record.id)
        if isinstance(record, RejectedRecord):
            _text(record.why, blank=False)
            _short(record.why)
        else:
            _prediction(record)
    return Ending.SKIPS if any(isinstance(record, RejectedRecord) for record in records) else Ending.WHOLE


def _prediction(record: Prediction) -> None:
    _texts((record.raw, record.picture, record.text, *record.options, *(answer for answer, _ in record.top)))
    _texts(record.options)
    assert record.score is None or (type(record.score) is float and record.score == record.score), record
    assert type(record.trial) is int, record
    assert 0 <= record.trial < 2**16, record


def _names_one(names: Iterable[str], said: str) -> None:
    assert any(name in said for name in names), f"it names no file: {said}"
    _text(said)


def _text(value: str, *, blank: bool = True) -> None:
    """A text is one, says something unless it may be blank, and can be written."""
    assert type(value) is str, f"{value!r} is no text"
    assert blank or value.strip(), f"{value!r} says nothing"
    value.encode()


def _short(message: str) -> None:
    assert len(message) < 400, f"too long to be read: {message}"


def _texts(values: Iterable[str]) -> None:
    assert type(values) is tuple, f"{values!r} is no tuple"
    for value in values:
        _text(value)


def _known(own: str, picture: Picture) -> None:
    _text(own, blank=False)
    _text(picture.address)
    assert picture.namespace, f"{picture} has no namespace"
    assert picture.path, f"{picture} has no path"


def _size(size: Size) -> None:
    assert type(size.width) is type(size.height) is int
    assert 0 < size.width <= LONGEST, size
    assert 0 < size.height <= LONGEST, size


def _box(box: Box | None, size: Size | None) -> None:
    if box is not None:
        assert size is not None, "a box without a size"
        assert all(type(one) is int for one in (box.x, box.y, box.width, box.height)), box
        assert 0 <= box.x < box.right <= size.width, f"{box} is not within {size}"
        assert 0 <= box.y < box.bottom <= size.height, f"{box} is not within {size}"


def _scene(scene: Scene, sample: Sample) -> None:
    _known(scene.id, scene.picture)
    _size(scene.size)
    ids = [one.id for one in scene.objects]
    assert len(set(ids)) == len(ids), f"objects share an id: {ids}"
    for one in scene.objects:
        _text(one.id)
        _text(one.name, blank=False)
        _texts(one.attributes)
        _box(one.box, scene.size)
    for link in scene.relations:
        _text(link.name, blank=False)
        assert {link.subject, link.object} <= set(ids), f"{link} leads nowhere"
    _texts((scene.place, scene.weather))
    assert scene.content_id


def _question(question: Question, sample: Sample) -> None:
    _known(question.id, question.picture)
    _text(question.text, blank=False)
    assert question.gold.answers or not sample.answers, "no answer is right"
    for answer, credit in question.gold.answers:
        _text(answer)
        assert type(credit) is float, f"{credit!r} is no credit"
        assert 0 <= credit <= 1, f"{credit!r} is no credit"
    _texts((question.kind, question.scene, question.proof, question.full_answer, question.same_as, question.context))
    _texts(question.votes)
    _texts(question.choices)
    if sample.offered and question.choices:
        assert question.gold.best in question.choices, "the right answer is not offered"
        assert len(set(question.choices)) == len(question.choices), "an answer is offered twice"
    for place, step in enumerate(question.program):
        _texts((step.operation, step.argument))
        assert all(type(of) is int and 0 <= of < place for of in step.inputs), f"{step} builds on no earlier step"
    for tag in question.tags:
        _texts(tag)
        assert len(tag) == 2, tag


def _caption(caption: Caption, sample: Sample) -> None:
    _known(caption.id, caption.picture)
    _text(caption.text, blank=False)
    _texts((caption.foil, caption.word, caption.foil_word))


def _dialogue(dialogue: Dialogue, sample: Sample) -> None:
    _known(dialogue.id, dialogue.picture)
    _text(dialogue.caption)
    for place, turn in enumerate(dialogue.turns, 1):
        _text(turn.question)
        _text(turn.answer)
        _texts(turn.options)
        assert turn.answer in turn.options or not turn.options or (place == len(dialogue.turns) and not turn.answer)


def _frame(frame: Frame, sample: Sample) -> None:
    _known(frame.id, frame.picture)
    _text(frame.verb, blank=False)
    assert frame.roles, "a frame without roles"
    assert frame.size is not None
    _size(frame.size)
    for role in frame.roles:
        _text(role.name)
        _text(role.noun, blank=False)
        _box(role.box, frame.size)


def _group(ready: ReadyGroup, sample: Sample) -> None:
    group = ready.group
    assert group.id
    assert ready.content_id
    _texts((group.test, group.kind, group.proof))
    for query, gold, tags in zip(group.queries, group.gold, group.tags, strict=True):
        assert query.picture is not None
        assert (gold is None) == (group.relation is Relation.RANKS), "texts are ranked, and have no answers"
        _known(ready.id, query.picture)
        _text(query.text, blank=False)
        for answer, credit in gold.answers if gold else ():
            _text(answer, blank=False)
            assert type(credit) is float, f"{credit!r} is no credit"
            assert 0 < credit <= 1, f"{credit!r} is no credit"
        for tag in tags:
            _texts(tag)
            assert len(tag) == 2, tag


_SOUND: dict[str, Callable[[Any, Sample], None]] = {
    "scenes": _scene,
    "questions": _question,
    "captions": _caption,
    "dialogues": _dialogue,
    "frames": _frame,
    "groups": _group,
}

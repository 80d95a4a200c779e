"""VisDial v1.0: dialogues of ten questions and answers about a picture that the questioner does not see."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from counterpoint.core.items import Dialogue, Turn
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import DataSet, File, SplitFiles, split_names
from counterpoint.sources.formats.coco import NAMESPACE as COCO
from counterpoint.sources.reading.json_files import elements, parts
from counterpoint.sources.reading.json_stream import JsonValue
from counterpoint.sources.reading.records import Record, Skips, read_each

NAMESPACE = "visdial"
_FOLDERS = {"val": "VisualDialog_val2018", "test": "VisualDialog_test2018"}


def dialogues(files: SplitFiles, skips: Skips) -> Iterator[Dialogue]:
    """Every dialogue with the answers offered at each turn, which share their texts; its id is that of its picture.

    A file is read twice, since the texts stand in lists before or behind the dialogues. The last turn of a dialogue of
    `test` has no answer. Pictures of `train` are those of COCO's train2014 and val2014, and the file does not say of
    which: one that is in a folder val2014 beside the file is taken to be there, any other to be in train2014.
    """
    path = files["dialogues"]
    texts: dict[str, list[JsonValue]] = {"data.questions": [], "data.answers": []}
    for name, text in parts(path, *texts):
        texts[name].append(text)  # whatever it is, since its place counts
    contents = enumerate(elements(path, "data.dialogs"))
    yield from read_each(contents, f"{path.name}, dialogue", skips, lambda one: _dialogue(one, files, *texts.values()))


def _dialogue(
    record: Record, files: SplitFiles, questions: Sequence[JsonValue], answers: Sequence[JsonValue]
) -> Dialogue:
    image = record.number("image_id")
    if image < 0:
        raise record.wrong("image_id", "the number of a picture")
    turns = list(record.records("dialog", needed=True))
    last = len(turns) - 1
    return Dialogue(
        str(image),
        _picture(image, files.split, files.get("pictures of val2014")),
        record.text("caption", "").strip(),
        tuple(_turn(turn, questions, answers, is_last=place == last) for place, turn in enumerate(turns)),
    )


def _picture(image: int, split: str, held_out: Path | None) -> Picture:
    if split in _FOLDERS:
        return Picture(f"{NAMESPACE}:{_FOLDERS[split]}/{_FOLDERS[split]}_{image:012}.jpg")
    name = f"COCO_val2014_{image:012}.jpg"
    if held_out and (held_out / name).is_file():
        return Picture(f"{COCO}:val2014/{name}")
    return Picture(f"{COCO}:train2014/COCO_train2014_{image:012}.jpg")


def _turn(turn: Record, questions: Sequence[JsonValue], answers: Sequence[JsonValue], *, is_last: bool) -> Turn:
    options = tuple(_text_at(turn, "answer_options", position, answers) for position in turn.list("answer_options"))
    question = _text_at(turn, "question", turn.content.get("question"), questions)
    if is_last and turn.content.get("answer") is None:
        return Turn(question, "", options)
    answer = _text_at(turn, "answer", turn.content.get("answer"), answers)
    if options and answer not in options:
        raise turn.wrong("answer", "one of the answer_options")
    return Turn(question, answer, options)


def _text_at(turn: Record, name: str, position: object, texts: Sequence[JsonValue]) -> str:
    if type(position) is int and 0 <= position < len(texts) and type(text := texts[position]) is str:
        return text
    raise turn.wrong(name, f"the position of a text among {len(texts)}")


_ORIGIN = "the Visual Dialog site, VisDial v1.0"
_SPLITS = ("train", "val", "test")

visdial = DataSet(
    name="visdial",
    title="VisDial",
    files=(
        File("dialogues", split_names(_SPLITS, "visdial_1.0_{}.json", "visdial_1.0_{}*.json"), _ORIGIN),
        File("pictures of val2014", {"train": ("images/val2014",)}, "the COCO site, 2014 Val images", needed=False),
    ),
    read={"dialogues": dialogues},
    namespace=NAMESPACE,
    pictures=("images",),
    holds=(*_FOLDERS.values(), "train2014", "val2014"),
    origin=f"{_ORIGIN}; pictures of train are those of COCO 2014",
)

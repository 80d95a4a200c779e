"""GQA, scene graphs of photographs and questions with programs, and GQA-OOD, its questions by frequency of answers."""

from typing import TypeAlias

from counterpoint.sources.dataset import DataSet, File
from counterpoint.sources.formats import gqa_questions, gqa_scenes

_Names: TypeAlias = dict[str, tuple[str, ...]]

_SITE = "the GQA site at Stanford"
_GRAPHS: _Names = {split: (f"{split}_sceneGraphs.json", "*sceneGraphs*.json") for split in ("train", "val")}
_BALANCED: _Names = {
    split: (f"{split}_balanced_questions.json", f"{split}_questions*.json", f"{ours}_questions.json", "questions*.json")
    for split, ours in {"train": "train", "val": "validation", "testdev": "test"}.items()  # as the world names them
}
_ALL: _Names = {f"{split}_all": (f"{split}_all_questions.json",) for split in ("val", "testdev")}
_PIECES: _Names = {"train_all": ("train_all_questions", "train_all_questions_*.json", "train_all_questions.json")}

gqa = DataSet(
    name="gqa",
    title="GQA",
    files=(
        File(
            "scenes",
            _GRAPHS | {f"{split}_all": names for split, names in _GRAPHS.items()},
            f"{_SITE}, Scene Graphs",
            kinds=("scenes",),
        ),
        File("questions", _BALANCED | _PIECES | _ALL, f"{_SITE}, Questions", kinds=("questions",)),
    ),
    read={
        "scenes": lambda files, skips: gqa_scenes.scenes(files["scenes"], skips),
        "questions": lambda files, skips: gqa_questions.questions(files["questions"], skips),
    },
    namespace=gqa_scenes.NAMESPACE,
    pictures=("images", "allImages/images"),
    origin=f"{_SITE}, Images",
    rules="gqa",
    withheld=("test", "test_all", "challenge", "challenge_all", "submission"),
    exhaustive="nothing for sure: what nobody annotated counts as absent where nothing annotated speaks against it",
)

_PARTS = tuple(f"{split}_{part}" for split in ("testdev", "val") for part in ("all", "head", "tail"))

gqa_ood = DataSet(
    name="gqa-ood",
    title="GQA-OOD",
    files=(
        File(
            "questions",
            {part: (f"data/ood_{part}.json", f"{part}.json") for part in _PARTS},
            "the GQA-OOD repository, data",
        ),
    ),
    read={"questions": lambda files, skips: gqa_questions.questions(files["questions"], skips)},
    namespace=gqa_scenes.NAMESPACE,
    pictures=gqa.pictures,
    origin=gqa.origin,
    rules="gqa",
)

"""GQA-OOD: questions of GQA whose answer is common or rare in its group: all of them, the head, and the tail."""

from counterpoint.sources import gqa_questions
from counterpoint.sources.dataset import DataSet, File
from counterpoint.sources.gqa_scenes import NAMESPACE

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
    namespace=NAMESPACE,
    pictures=("images", "allImages/images"),
    origin="the GQA site at Stanford, Images",
    rules="gqa",
)

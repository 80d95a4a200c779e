"""GQA: scene graphs of photographs, and questions made from them with programs."""

from counterpoint.sources import gqa_scenes
from counterpoint.sources.dataset import DataSet, File

_GRAPHS = "the GQA site at Stanford, Scene Graphs"

gqa = DataSet(
    name="gqa",
    title="GQA",
    files=(
        File(
            "scenes",
            {split: (f"{split}_sceneGraphs.json", "*sceneGraphs*.json") for split in ("train", "val")},
            _GRAPHS,
        ),
    ),
    read={"scenes": lambda files, skips: gqa_scenes.scenes(files["scenes"], skips)},
    namespace="gqa",
    pictures=("images", "allImages/images"),
    origin="the GQA site at Stanford, Images",
    rules="gqa",
)

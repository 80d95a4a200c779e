"""Picture encoders of answer classifiers: patches of pixels, or regions of an object detector."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from counterpoint.core.errors import CounterpointError, ModelError, PictureError
from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pictures, picture_loader
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.picture_processing import PictureProcessor, ProcessedPicture, group_by_shape
from counterpoint.models.hf.regions import RegionFile


@dataclass(frozen=True)
class EncodedPicture:
    """The patches or regions of one picture, and their boxes where the model takes these; on the device."""

    parts: Any  # parts × width
    boxes: Any = None  # parts × 4


class PatchEncoder:
    """ViLT: patches of pixels, embedded with their positions.

    The model itself shuffles the patches, and samples from them where it was made for fewer. Here they stay in order,
    and the sample is seeded by the picture, so that answers are deterministic.
    """

    content = ""

    def __init__(self, checkpoint: Checkpoint, model: Any, pictures: Pictures) -> None:
        self._processor = PictureProcessor.of(checkpoint)
        self._load = picture_loader(pictures, self._processor.fit)
        self._place, self._dtype = checkpoint.place, checkpoint.torch_dtype
        self._embeddings, self._most = model.vilt.embeddings, model.config.max_image_length

    def encode(self, pictures: Sequence[Picture]) -> Iterator[tuple[Picture, EncodedPicture | PictureError]]:
        """Pictures of one size share a batch."""
        failing: dict[Picture, PictureError] = {}
        for group in group_by_shape(self._processed(pictures, failing), max(1, len(pictures))):
            batch = self._processor.batch([processed for _, processed in group], self._place, self._dtype)
            for (picture, _), parts in zip(group, self._embedded(batch["pixel_values"]), strict=True):
                yield picture, EncodedPicture(self._chosen(parts, picture))
        yield from failing.items()

    def _processed(
        self, pictures: Sequence[Picture], failing: dict[Picture, PictureError]
    ) -> Iterator[tuple[Picture, ProcessedPicture]]:
        for picture in pictures:
            try:
                yield picture, self._load(picture)
            except (CounterpointError, OSError) as problem:
                failing[picture] = PictureError(f"{picture.address} cannot be shown: {problem}")

    def inputs(self, parts: Any, present: Any, boxes: Any) -> dict[str, Any]:
        """The inputs of the model from padded parts and their mask, after its dropout of patches."""
        return {"image_embeds": self._embeddings.dropout(parts), "pixel_mask": present}

    def _embedded(self, pixels: Any) -> Any:
        """Pictures of one size as patches after a CLS token: pictures × patches × width."""
        import torch

        places = self._embeddings.position_embeddings
        with torch.inference_mode():
            embedded = self._embeddings.patch_embeddings(pixels)
            side = round((places.shape[1] - 1) ** 0.5)
            grid = places[:, 1:].transpose(1, 2).reshape(1, -1, side, side)
            grid = torch.nn.functional.interpolate(grid, embedded.shape[2:], mode="bilinear", align_corners=True)
            patches = (embedded + grid).flatten(2).transpose(1, 2)
            whole = (self._embeddings.cls_token + places[:, :1]).expand(len(patches), -1, -1)
            return torch.cat([whole, patches], 1)

    def _chosen(self, parts: Any, picture: Picture) -> Any:
        count, most = len(parts) - 1, self._most
        if not isinstance(most, int) or not 0 <= most < count:
            return parts
        return parts[[0, *sorted(seeded_rng("patches", picture.content).sample(range(1, count + 1), most))]]


class RegionLoader:
    """Loads the regions of a picture from a file, with boxes where the model takes these: LXMERT, not VisualBERT."""

    def __init__(self, checkpoint: Checkpoint, config: Any, regions: str) -> None:
        if not regions:
            fact = f"{checkpoint.name} reads regions that a detector saw in a picture, and not its pixels"
            raise ModelError(fact, hint="--model-args regions=FILE says where they are; see how-to/use-region-features")
        self.boxed = config.model_type == "lxmert"
        self._width = config.visual_feat_dim if self.boxed else config.visual_embedding_dim
        self._regions, self._name = RegionFile(regions), checkpoint.name
        self.content = f"regions={self._regions.digest}"

    def __call__(self, picture: Picture) -> ProcessedPicture:
        """The features of the regions, and their boxes."""
        features = self._regions.features(picture)
        if features.shape[1] != self._width:
            fact = f"the regions of {picture.address} have {features.shape[1]} numbers each"
            raise PictureError(f"{fact}, and {self._name} takes {self._width}")
        return ProcessedPicture(
            {"features": features} | ({"boxes": self._regions.boxes(picture)} if self.boxed else {})
        )


class RegionEncoder:
    """Regions from a file, for LXMERT and VisualBERT."""

    def __init__(self, checkpoint: Checkpoint, model: Any, regions: str) -> None:
        self._load = RegionLoader(checkpoint, model.config, regions)
        self._place, self._dtype = checkpoint.place, checkpoint.torch_dtype
        self.content = self._load.content

    def encode(self, pictures: Sequence[Picture]) -> Iterator[tuple[Picture, EncodedPicture | PictureError]]:
        """Regions from the file, picture by picture."""
        import torch

        for picture in pictures:
            try:
                arrays = self._load(picture).inputs.values()
            except PictureError as problem:
                yield picture, problem
            else:
                tensors = (torch.tensor(array, dtype=self._dtype, device=self._place) for array in arrays)
                yield picture, EncodedPicture(*tensors)

    def inputs(self, parts: Any, present: Any, boxes: Any) -> dict[str, Any]:
        """The inputs by the names of the model; VisualBERT sets the token types itself."""
        named = {"visual_feats": parts, "visual_pos": boxes} if self._load.boxed else {"visual_embeds": parts}
        return {**named, "visual_attention_mask": present}


PatchOrRegionEncoder: TypeAlias = PatchEncoder | RegionEncoder
"""How one architecture encodes pictures; its `content` is what a fingerprint covers beyond the checkpoint."""

"""Picture encoders of answer classifiers: patches of pixels, or regions of an object detector."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from counterpoint.core.errors import CounterpointError, ModelError, PictureError
from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Floats, Pictures
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.picture_processing import PictureProcessor, ProcessedPicture, group_by_shape, picture_loader
from counterpoint.models.hf.regions import RegionFile


@dataclass(frozen=True)
class EncodedPicture:
    """The patches or regions of one picture, and their boxes where the model takes these; on the device."""

    parts: Any  # parts × width
    boxes: Any = None  # parts × 4


class PictureEncoder(Protocol):
    """How one architecture encodes pictures."""

    @property
    def content(self) -> str:
        """What a fingerprint covers beyond the checkpoint."""
        ...

    def encode(self, pictures: Sequence[Picture]) -> Iterator[tuple[Picture, EncodedPicture | PictureError]]:
        """Each picture with its parts, or with an error."""
        ...

    def inputs(self, parts: Any, present: Any, boxes: Any) -> dict[str, Any]:
        """The inputs of the model: padded parts, their mask, and boxes."""
        ...


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
        for some in group_by_shape(self._processed(pictures, failing), max(1, len(pictures))):
            batch = self._processor.batch([processed for _, processed in some], self._place, self._dtype)
            for (picture, _), parts in zip(some, self._embedded(batch["pixel_values"]), strict=True):
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
        """The patches, after the dropout that the model applies to them."""
        return {"image_embeds": self._embeddings.dropout(parts), "pixel_mask": present}

    def _embedded(self, pixels: Any) -> Any:
        """Pictures of one size as patches after a CLS token: pictures × patches × width."""
        import torch

        places = self._embeddings.position_embeddings
        with torch.inference_mode():
            found = self._embeddings.patch_embeddings(pixels)
            side = round((places.shape[1] - 1) ** 0.5)
            grid = places[:, 1:].transpose(1, 2).reshape(1, -1, side, side)
            grid = torch.nn.functional.interpolate(grid, found.shape[2:], mode="bilinear", align_corners=True)
            patches = (found + grid).flatten(2).transpose(1, 2)
            whole = (self._embeddings.cls_token + places[:, :1]).expand(len(patches), -1, -1)
            return torch.cat([whole, patches], 1)

    def _chosen(self, parts: Any, picture: Picture) -> Any:
        count, most = len(parts) - 1, self._most
        if not isinstance(most, int) or not 0 <= most < count:
            return parts
        return parts[[0, *sorted(seeded_rng("patches", picture.content).sample(range(1, count + 1), most))]]


class RegionEncoder:
    """Regions from a file; `width` names the config field with the length of their features."""

    width = ""
    boxed = False

    def __init__(self, checkpoint: Checkpoint, model: Any, regions: str) -> None:
        if not regions:
            fact = f"{checkpoint.name} reads regions that a detector saw in a picture, and not its pixels"
            raise ModelError(fact, hint="--model-args regions=FILE says where they are; see how-to/use-region-features")
        self._regions, self._name = RegionFile(regions), checkpoint.name
        self._place, self._dtype = checkpoint.place, checkpoint.torch_dtype
        self._width = getattr(model.config, self.width)
        self.content = f"regions={self._regions.digest}"

    def encode(self, pictures: Sequence[Picture]) -> Iterator[tuple[Picture, EncodedPicture | PictureError]]:
        """Regions from the file, picture by picture."""
        for picture in pictures:
            try:
                yield picture, self._encode_one(picture)
            except PictureError as problem:
                yield picture, problem

    def _encode_one(self, picture: Picture) -> EncodedPicture:
        features = self._regions.features(picture)
        if features.shape[1] != self._width:
            fact = f"the regions of {picture.address} have {features.shape[1]} numbers each"
            raise PictureError(f"{fact}, and {self._name} takes {self._width}")
        boxes = self._tensor(self._regions.boxes(picture)) if self.boxed else None
        return EncodedPicture(self._tensor(features), boxes)

    def _tensor(self, numbers: Floats) -> Any:
        import torch

        return torch.tensor(numbers, dtype=self._dtype, device=self._place)


class BoxedRegionEncoder(RegionEncoder):
    """LXMERT: regions with boxes."""

    width = "visual_feat_dim"
    boxed = True

    def inputs(self, parts: Any, present: Any, boxes: Any) -> dict[str, Any]:
        """The names of LXMERT."""
        return {"visual_feats": parts, "visual_pos": boxes, "visual_attention_mask": present}


class UnboxedRegionEncoder(RegionEncoder):
    """VisualBERT: regions without boxes."""

    width = "visual_embedding_dim"

    def inputs(self, parts: Any, present: Any, boxes: Any) -> dict[str, Any]:
        """The names of VisualBERT, which sets the token types itself."""
        return {"visual_embeds": parts, "visual_attention_mask": present}

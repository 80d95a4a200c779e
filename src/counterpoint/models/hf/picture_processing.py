"""Pictures made ready for a model: resized and cropped by the threads that decode them, made numbers on its device."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from counterpoint.core.errors import CounterpointError, PictureError
from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pictures, Pixels, PreprocessingPictures
from counterpoint.models.hf.checkpoint import Checkpoint

PROBES = ((90, 130), (130, 90), (61, 61), (700, 500))
"""Heights and widths of the pictures on which a recipe is held against the processor that it stands for."""


@dataclass(frozen=True, slots=True)
class ProcessedPicture:
    """One picture by the names under which a model takes it: bytes where a recipe is known, else its numbers."""

    inputs: Mapping[str, NDArray[Any]]

    @property
    def nbytes(self) -> int:
        """The room it takes."""
        return sum(array.nbytes for array in self.inputs.values())

    @property
    def shapes(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """What pictures must share to go through a model together, since none is ever padded."""
        return tuple((name, array.shape) for name, array in self.inputs.items())


PictureLoader: TypeAlias = Callable[[Picture], ProcessedPicture]
"""Where a model gets its fitted pictures from."""
LoadedPicture: TypeAlias = tuple[Picture, ProcessedPicture]
"""A picture, and what it looks like."""


@dataclass(frozen=True, slots=True)
class ResizeRecipe:
    """The plain way of fitting: resize, crop the middle, and later scale and normalise each color."""

    shortest: int  # of the two edges, the other in proportion; 0 where the size is fixed
    size: tuple[int, int]  # height and width, where it is
    crop: tuple[int, int]  # height and width of the middle that is kept; 0 where nothing is cropped
    resample: int
    scale: float
    mean: tuple[float, ...]
    std: tuple[float, ...]

    @classmethod
    def read(cls, processor: Any) -> "ResizeRecipe":
        """What a processor says of itself."""
        said = {"rescale_factor": 1.0, **processor.to_dict()}
        size, crop = (said.get(name) or {} for name in ("size", "crop_size"))
        normal = said.get("do_normalize")
        return cls(
            shortest=int(size.get("shortest_edge") or 0),
            size=(int(size.get("height") or 0), int(size.get("width") or 0)),
            crop=(int(crop["height"]), int(crop["width"])) if said.get("do_center_crop") and crop else (0, 0),
            resample=int(said.get("resample") or 0),
            scale=float(said["rescale_factor"]) if said.get("do_rescale") else 1.0,
            mean=tuple(map(float, said["image_mean"])) if normal else (0.0,) * 3,
            std=tuple(map(float, said["image_std"])) if normal else (1.0,) * 3,
        )

    def fit(self, pixels: Pixels) -> Pixels:
        """The pixels that the model sees."""
        shown = Image.fromarray(pixels)
        height, width = self._resized(*pixels.shape[:2])
        if (width, height) != shown.size:
            shown = shown.resize((width, height), self.resample)
        if self.crop[0]:
            top, left = (height - self.crop[0]) // 2, (width - self.crop[1]) // 2
            shown = shown.crop((left, top, left + self.crop[1], top + self.crop[0]))
        return np.asarray(shown)

    def numbers(self, pixels: Any, levels: Any) -> Any:
        """A tensor of such pixels as float32, colors first, scaled and normalised where it is."""
        import torch

        mean, std = levels
        return (pixels.permute(0, 3, 1, 2).to(torch.float32) * self.scale - mean) / std

    def levels(self, device: Any) -> Any:
        """Mean and standard deviation of each color, on a device."""
        return stack_on_device(
            [np.array(value, np.float32).reshape(1, 3, 1, 1) for value in (self.mean, self.std)], device
        )

    def _resized(self, height: int, width: int) -> tuple[int, int]:
        if not self.shortest:
            return self.size if self.size[0] else (height, width)
        longest = int(self.shortest * max(height, width) / min(height, width))
        return (longest, self.shortest) if width <= height else (self.shortest, longest)


@dataclass(frozen=True, slots=True)
class Preprocessing:
    """A pure function of pixels, which travels: with a recipe it needs neither torch nor transformers."""

    recipe: ResizeRecipe | None
    processor: Any = None

    def __call__(self, pixels: Pixels) -> ProcessedPicture:
        """One picture by the names under which a model takes it."""
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
            raise PictureError(f"pixels are {pixels.dtype} {pixels.shape}, and should be uint8 (height, width, 3)")
        if self.recipe is not None:
            return ProcessedPicture({"pixel_values": self.recipe.fit(pixels)})
        try:
            return ProcessedPicture(_processed(self.processor, pixels))
        except (ValueError, ZeroDivisionError) as problem:
            height, width, _ = pixels.shape
            raise PictureError(f"a picture of {width} × {height} pixels cannot be fitted: {problem}") from problem


class PictureProcessor:
    """Fits pictures as the processor of a checkpoint does; a plain one by its recipe, without the time that one takes.

    A recipe is used only where it gives what the processor gives; any other processor is called for each picture.
    """

    def __init__(self, processor: Any) -> None:
        self.processor = processor
        self.recipe = _proven(processor)
        self._levels: dict[Any, Any] = {}

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> "PictureProcessor":
        """The one for a checkpoint."""
        from transformers import AutoImageProcessor

        return cls(checkpoint.load(AutoImageProcessor.from_pretrained, backend="pil"))

    @property
    def fit(self) -> "Preprocessing":
        """What makes of pixels a picture as the model takes it, still on the CPU, in whichever thread or process."""
        return Preprocessing(self.recipe) if self.recipe is not None else Preprocessing(None, self.processor)

    def batch(self, pictures: Sequence[ProcessedPicture], device: Any, dtype: Any) -> dict[str, Any]:
        """Pictures of the same shapes as the inputs of a model; whoever calls need not wait for the device."""
        return self.numbers(stack_inputs(pictures, device), dtype)

    def numbers(self, inputs: Mapping[str, Any], dtype: Any) -> dict[str, Any]:
        """Stacked pictures as the inputs of a model, made on the device where they are."""
        if self.recipe is None:
            return cast_inputs(inputs, dtype)
        device = inputs["pixel_values"].device
        if device not in self._levels:
            self._levels[device] = self.recipe.levels(device)
        return {"pixel_values": self.recipe.numbers(inputs["pixel_values"], self._levels[device]).to(dtype)}


def picture_loader(
    pictures: Pictures, fit: Callable[[Pixels], ProcessedPicture], *, in_processes: bool = False
) -> PictureLoader:
    """Loads preprocessed pictures, ahead of the model where `pictures` is a prefetcher."""
    if isinstance(pictures, PreprocessingPictures):
        return pictures.preprocess_with(fit, in_processes=in_processes)
    return lambda picture: fit(pictures.pixels(picture))


def load_pictures(
    look: PictureLoader, pictures: Iterable[Picture | None], failing: list[CounterpointError]
) -> Iterator[LoadedPicture]:
    """The pictures that can be shown, each with what it looks like; why the others cannot is noted."""
    for picture in pictures:
        try:
            if picture is None:
                raise PictureError("the query has no picture")
            yield picture, look(picture)
        except CounterpointError as problem:
            failing.append(problem)
        except OSError as problem:
            failing.append(PictureError(f"{picture and picture.address} cannot be shown: {problem}"))


def group_by_shape(pictures: Iterable[LoadedPicture], most: int) -> Iterator[list[LoadedPicture]]:
    """Pictures of the same shapes together, as soon as there are so many of them; those left over at the end."""
    waiting: dict[object, list[LoadedPicture]] = {}
    for picture, fitted in pictures:
        some = waiting.setdefault(fitted.shapes, [])
        some.append((picture, fitted))
        if len(some) == most:
            yield waiting.pop(fitted.shapes)
    yield from waiting.values()


def stack_inputs(pictures: Sequence[ProcessedPicture], device: Any) -> dict[str, Any]:
    """Pictures of the same shapes as tensors on their way to a device, under the names of their inputs."""
    return {
        name: stack_on_device([picture.inputs[name] for picture in pictures], device) for name in pictures[0].inputs
    }


def cast_inputs(inputs: Mapping[str, Any], dtype: Any) -> dict[str, Any]:
    """Inputs in the type of a model's numbers; whole numbers stay whole."""
    return {name: tensor.to(dtype) if tensor.is_floating_point() else tensor for name, tensor in inputs.items()}


def stack_on_device(arrays: Sequence[NDArray[Any]], device: Any) -> Any:
    """Arrays of one shape stacked as a tensor on its way to a device; nobody waits for its arrival."""
    import torch

    kind = torch.from_numpy(np.empty(0, arrays[0].dtype)).dtype
    away = torch.device(device).type == "cuda"
    room = torch.empty((len(arrays), *arrays[0].shape), dtype=kind, pin_memory=away)
    np.stack(arrays, out=room.numpy())
    return room.to(device, non_blocking=True)


def fetch_async(tensor: Any) -> Callable[[], Any]:
    """A tensor on its way from the device; what is returned waits for it, and not for what the device does next."""
    import torch

    if not tensor.is_cuda:
        return lambda: tensor
    room = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    room.copy_(tensor, non_blocking=True)
    arrived = torch.cuda.Event()
    arrived.record()

    def fetched() -> Any:
        arrived.synchronize()
        return room

    return fetched


def _proven(processor: Any) -> ResizeRecipe | None:
    """The recipe of a processor, unless it gives something else on one of the probes."""
    try:
        recipe = ResizeRecipe.read(processor)
        return recipe if all(_agrees(recipe, processor, *probe) for probe in PROBES) else None
    except (KeyError, TypeError, ValueError, AttributeError, CounterpointError):
        return None


def _agrees(recipe: ResizeRecipe, processor: Any, height: int, width: int) -> bool:
    import torch

    luck = seeded_rng("probe", height, width).randbytes(height * width * 3)
    pixels = np.frombuffer(luck, np.uint8).reshape(height, width, 3)
    whole = _processed(processor, pixels)
    if list(whole) != ["pixel_values"]:
        return False
    values = whole["pixel_values"]
    numbers = recipe.numbers(torch.from_numpy(recipe.fit(pixels)[None].copy()), recipe.levels("cpu"))[0].numpy()
    return values.shape == numbers.shape and bool(np.allclose(values, numbers, rtol=1e-6, atol=1e-6))


def _processed(processor: Any, pixels: Pixels) -> dict[str, NDArray[Any]]:
    found = processor(images=Image.fromarray(pixels), return_tensors="np")
    return {name: np.ascontiguousarray(values[0]) for name, values in found.items()}

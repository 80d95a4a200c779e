"""Image preprocessing: resizing and cropping in the threads that decode, normalization on the device."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from counterpoint.core.errors import CounterpointError, PictureError
from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pixels
from counterpoint.models.hf.checkpoint import Checkpoint

PROBES = ((90, 130), (130, 90), (61, 61), (700, 500))
"""Heights and widths of the pictures on which a recipe is compared with its processor."""


@dataclass(frozen=True, slots=True)
class ProcessedPicture:
    """The inputs of one picture by name: bytes where a recipe is known, else floats."""

    inputs: Mapping[str, NDArray[Any]]

    @property
    def nbytes(self) -> int:
        """Its size in memory."""
        return sum(array.nbytes for array in self.inputs.values())

    @property
    def shapes(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """The shapes that pictures of one batch share, since none is padded."""
        return tuple((name, array.shape) for name, array in self.inputs.items())


PictureLoader: TypeAlias = Callable[[Picture], ProcessedPicture]
"""Loads preprocessed pictures."""
LoadedPicture: TypeAlias = tuple[Picture, ProcessedPicture]
"""A picture and its inputs."""


@dataclass(frozen=True, slots=True)
class ResizeRecipe:
    """The common preprocessing: resize, center crop, rescale, and normalize each channel."""

    shortest: int  # of the two edges, the other in proportion; 0 where the size is fixed
    size: tuple[int, int]  # height and width, where it is
    crop: tuple[int, int]  # height and width of the middle that is kept; 0 where nothing is cropped
    resample: int
    scale: float
    mean: tuple[float, ...]
    std: tuple[float, ...]

    @classmethod
    def read(cls, processor: Any) -> "ResizeRecipe":
        """The recipe in the config of a processor."""
        config = {"rescale_factor": 1.0, **processor.to_dict()}
        size, crop = (config.get(name) or {} for name in ("size", "crop_size"))
        normalize = config.get("do_normalize")
        return cls(
            shortest=int(size.get("shortest_edge") or 0),
            size=(int(size.get("height") or 0), int(size.get("width") or 0)),
            crop=(int(crop["height"]), int(crop["width"])) if config.get("do_center_crop") and crop else (0, 0),
            resample=int(config.get("resample") or 0),
            scale=float(config["rescale_factor"]) if config.get("do_rescale") else 1.0,
            mean=tuple(map(float, config["image_mean"])) if normalize else (0.0,) * 3,
            std=tuple(map(float, config["image_std"])) if normalize else (1.0,) * 3,
        )

    def fit(self, pixels: Pixels) -> Pixels:
        """The resized and cropped pixels."""
        image = Image.fromarray(pixels)
        height, width = self._resized(*pixels.shape[:2])
        if (width, height) != image.size:
            image = image.resize((width, height), self.resample)
        if self.crop[0]:
            top, left = (height - self.crop[0]) // 2, (width - self.crop[1]) // 2
            image = image.crop((left, top, left + self.crop[1], top + self.crop[0]))
        return np.asarray(image)

    def numbers(self, pixels: Any, levels: Any) -> Any:
        """A tensor of such pixels as float32, channels first, rescaled and normalized on its device."""
        import torch

        mean, std = levels
        return (pixels.permute(0, 3, 1, 2).to(torch.float32) * self.scale - mean) / std

    def levels(self, device: Any) -> Any:
        """Mean and standard deviation of each channel, on a device."""
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
    """A picklable pure function of pixels; with a recipe it needs neither torch nor transformers."""

    recipe: ResizeRecipe | None
    processor: Any = None

    def __call__(self, pixels: Pixels) -> ProcessedPicture:
        """The inputs of one picture."""
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
            raise PictureError(f"pixels are {pixels.dtype} {pixels.shape}, and should be uint8 (height, width, 3)")
        if self.recipe is not None:
            return ProcessedPicture({"pixel_values": self.recipe.fit(pixels)})
        try:
            return ProcessedPicture(_processed(self.processor, pixels))
        except (ValueError, ZeroDivisionError) as problem:
            height, width, _ = pixels.shape
            raise PictureError(f"a picture of {width} × {height} pixels cannot be preprocessed: {problem}") from problem


class PictureProcessor:
    """Preprocesses pictures as the processor of a checkpoint does, by a faster recipe where that is equivalent.

    Equivalence is tested on random pictures; any other processor is called for each picture.
    """

    def __init__(self, processor: Any) -> None:
        self.processor = processor
        self.recipe = _matching_recipe(processor)
        self._levels: dict[Any, Any] = {}

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> "PictureProcessor":
        """The processor of a checkpoint."""
        from transformers import AutoImageProcessor

        return cls(checkpoint.load(AutoImageProcessor.from_pretrained, backend="pil"))

    @property
    def fit(self) -> "Preprocessing":
        """The preprocessing on the CPU, for any thread or process."""
        return Preprocessing(self.recipe) if self.recipe is not None else Preprocessing(None, self.processor)

    def batch(self, pictures: Sequence[ProcessedPicture], device: Any, dtype: Any) -> dict[str, Any]:
        """Pictures of the same shapes as the inputs of a model; asynchronous to the device."""
        return self.numbers(stack_inputs(pictures, device), dtype)

    def numbers(self, inputs: Mapping[str, Any], dtype: Any) -> dict[str, Any]:
        """Stacked pictures as the inputs of a model, normalized on their device."""
        if self.recipe is None:
            return cast_inputs(inputs, dtype)
        device = inputs["pixel_values"].device
        if device not in self._levels:
            self._levels[device] = self.recipe.levels(device)
        return {"pixel_values": self.recipe.numbers(inputs["pixel_values"], self._levels[device]).to(dtype)}


def load_pictures(
    look: PictureLoader, pictures: Iterable[Picture | None], failing: list[CounterpointError]
) -> Iterator[LoadedPicture]:
    """The pictures that can be read, with their inputs; errors of the others are added to `failing`."""
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
    """Batches of pictures of the same shapes, as soon as one is full; the rest at the end."""
    waiting: dict[object, list[LoadedPicture]] = {}
    for picture, processed in pictures:
        batch = waiting.setdefault(processed.shapes, [])
        batch.append((picture, processed))
        if len(batch) == most:
            yield waiting.pop(processed.shapes)
    yield from waiting.values()


def stack_inputs(pictures: Sequence[ProcessedPicture], device: Any) -> dict[str, Any]:
    """Pictures of the same shapes as tensors by name, copied to a device asynchronously."""
    return {
        name: stack_on_device([picture.inputs[name] for picture in pictures], device) for name in pictures[0].inputs
    }


def cast_inputs(inputs: Mapping[str, Any], dtype: Any) -> dict[str, Any]:
    """Floating-point inputs in the dtype of a model."""
    return {name: tensor.to(dtype) if tensor.is_floating_point() else tensor for name, tensor in inputs.items()}


def stack_on_device(arrays: Sequence[NDArray[Any]], device: Any) -> Any:
    """Arrays of one shape stacked as a tensor, copied to a device asynchronously."""
    import torch

    kind = torch.from_numpy(np.empty(0, arrays[0].dtype)).dtype
    away = torch.device(device).type == "cuda"
    buffer = torch.empty((len(arrays), *arrays[0].shape), dtype=kind, pin_memory=away)
    np.stack(arrays, out=buffer.numpy())
    return buffer.to(device, non_blocking=True)


def fetch_async(tensor: Any) -> Callable[[], Any]:
    """Copy a tensor from the device asynchronously; the returned function waits for it alone."""
    import torch

    if not tensor.is_cuda:
        return lambda: tensor
    buffer = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    buffer.copy_(tensor, non_blocking=True)
    arrived = torch.cuda.Event(blocking=True)  # a core that waits is needed to decode pictures
    arrived.record()

    def fetched() -> Any:
        arrived.synchronize()
        return buffer

    return fetched


def _matching_recipe(processor: Any) -> ResizeRecipe | None:
    """The recipe of a processor, if it gives the same on all probes."""
    try:
        recipe = ResizeRecipe.read(processor)
        return recipe if all(_agrees(recipe, processor, *probe) for probe in PROBES) else None
    except (KeyError, TypeError, ValueError, AttributeError, CounterpointError):
        return None


def _agrees(recipe: ResizeRecipe, processor: Any, height: int, width: int) -> bool:
    import torch

    noise = seeded_rng("probe", height, width).randbytes(height * width * 3)
    pixels = np.frombuffer(noise, np.uint8).reshape(height, width, 3)
    whole = _processed(processor, pixels)
    if list(whole) != ["pixel_values"]:
        return False
    values = whole["pixel_values"]
    numbers = recipe.numbers(torch.from_numpy(recipe.fit(pixels)[None].copy()), recipe.levels("cpu"))[0].numpy()
    return values.shape == numbers.shape and bool(np.allclose(values, numbers, rtol=1e-6, atol=1e-6))


def _processed(processor: Any, pixels: Pixels) -> dict[str, NDArray[Any]]:
    inputs = processor(images=Image.fromarray(pixels), return_tensors="np")
    return {name: np.ascontiguousarray(values[0]) for name, values in inputs.items()}

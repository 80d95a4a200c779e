"""Trains one built-in model on drawn data for a given time.

python -m training.train --model fusion --data DATA --out RUN --seconds 240
"""

import argparse
import json
import math
import time
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from counterpoint.models.words import BUCKETS, Words
from training.codes import Codes
from training.models import MODELS, Batch, Texts, Things
from training.networks import Sizes

SHORT, LONG = 5, 3
"""How many of the questions drawn for a picture go with the shorter and with the longer ones."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is trained."""

    seconds: float
    batch: int = 512
    rate: float = 2e-3
    decay: float = 0.05
    average: float = 0.998
    limit: int = 0  # of pictures; none if 0
    seed: int = 0
    compiled: bool = False


class Shelf:
    """The data of one split, with everything large on the device."""

    def __init__(
        self, folder: Path, split: str, device: torch.device, *, limit: int = 0, pictures: bool = True
    ) -> None:
        stored = np.load(folder / f"{split}.npz")
        found = {name: stored[name] for name in stored.files}
        self.count = min(limit or len(found["counts"]), len(found["counts"]))
        self.counts, self.caption_counts = found["counts"][: self.count], found["caption_counts"][: self.count]
        self.first = np.concatenate([[0], np.cumsum(found["counts"])[:-1]])
        self.caption_first = np.concatenate([[0], np.cumsum(found["caption_counts"])[:-1]])
        self.lengths, self.caption_lengths = ((found[name] > 0).sum(1) for name in ("questions", "captions"))
        self.kinds = found["kinds"]
        self.device = device
        self.questions, self.captions, self.answers, self.things = (
            torch.from_numpy(found[name]).to(device) for name in ("questions", "captions", "answers", "things")
        )
        self.pictures = self._pictures(folder / f"{split}-pictures.npy") if pictures else None

    def _pictures(self, path: Path) -> Tensor:
        stored = np.load(path, mmap_mode="r")
        room = torch.empty((self.count, *stored.shape[1:]), dtype=torch.uint8, device=self.device)
        for start in range(0, self.count, 2048):
            end = min(start + 2048, self.count)
            room[start:end].copy_(torch.from_numpy(np.array(stored[start:end])))
        return room

    def onto(self, numbers: NDArray[np.int64]) -> Tensor:
        """Numbers on the device, sent without waiting for what it is still doing."""
        found = torch.from_numpy(numbers)
        return found.pin_memory().to(self.device, non_blocking=True) if self.device.type == "cuda" else found

    def shown(self, rows: Tensor, dtype: torch.dtype) -> Tensor:
        """The pictures of some rows, as normal pixels."""
        if self.pictures is None:
            return torch.zeros(len(rows), 1, device=self.device)
        planes = self.pictures.index_select(0, rows).permute(0, 3, 1, 2)
        return planes.to(dtype).sub_(128.0).div_(64.0)

    def texts(self, which: str, numbers: NDArray[np.int64], each: int) -> Texts:
        """Questions or captions by their numbers, cut to the longest."""
        rows, lengths = (
            (self.questions, self.lengths) if which == "questions" else (self.captions, self.caption_lengths)
        )
        longest = int(lengths[numbers].max())
        tokens = rows.index_select(0, self.onto(numbers))[:, :longest].long()
        present = torch.cat([torch.ones_like(tokens[:, :1]), tokens > 0], dim=1).float()
        return Texts(tokens, present, each)


def drawn(shelf: Shelf, size: int, rng: np.random.Generator, sizes: Sizes, dtype: torch.dtype) -> Batch:
    """A batch: some pictures, eight questions and a caption on each, a little disturbed."""
    rows = rng.integers(0, shelf.count, size)
    picked = shelf.first[rows, None] + (rng.random((size, SHORT + LONG)) * shelf.counts[rows, None]).astype(np.int64)
    order = np.argsort(shelf.lengths[picked], axis=1, kind="stable")
    picked = np.take_along_axis(picked, order, axis=1)
    parts = picked[:, :SHORT].ravel(), picked[:, SHORT:].ravel()
    told = shelf.caption_first[rows] + (rng.random(size) * shelf.caption_counts[rows]).astype(np.int64)
    at = shelf.onto(rows)
    things = shelf.things.index_select(0, at).long()
    across, down = (int(rng.integers(-4, 5)) for _ in range(2))
    boxes = things[..., :4].clone()
    boxes[..., 0] += across
    boxes[..., 1] += down
    attributes = torch.zeros(*things.shape[:2], sizes.attributes + 1, device=shelf.device)
    attributes.scatter_(2, things[..., 5:] + 1, 1.0)
    return Batch(
        _disturbed(shelf.shown(at, dtype), across, down),
        Things(boxes, things[..., 4], attributes[..., 1:]),
        tuple(_misread(shelf.texts("questions", part, each)) for part, each in zip(parts, (SHORT, LONG), strict=True)),
        shelf.answers.index_select(0, shelf.onto(np.concatenate(parts))).long(),
        _misread(shelf.texts("captions", told, 1)),
    )


def _disturbed(pixels: Tensor, across: int, down: int) -> Tensor:
    """Lighter or darker, and shifted by up to four pixels; never mirrored, since left must stay left."""
    if pixels.dim() < 4:
        return pixels
    light = 1 + 0.3 * (torch.rand(len(pixels), 1, 1, 1, device=pixels.device) - 0.5)
    pixels = ((pixels + 2) * light.to(pixels.dtype) - 2).clamp_(-2, 2)
    return torch.roll(pixels, (down, across), (2, 3)).contiguous(memory_format=torch.channels_last)


def _misread(texts: Texts) -> Texts:
    """Every fiftieth word taken for an unknown one, so that unknown words come to mean little."""
    luck = torch.rand(texts.tokens.shape, device=texts.tokens.device)
    unknown = torch.randint(1, 1 + BUCKETS, texts.tokens.shape, device=texts.tokens.device)
    tokens = torch.where((luck < 0.02) & (texts.tokens > 0), unknown, texts.tokens)
    return Texts(tokens, texts.present, texts.each)


class Average:
    """A running average of the weights, which is what is kept."""

    def __init__(self, model: nn.Module) -> None:
        self.state = {name: value.detach().clone() for name, value in model.state_dict().items()}
        self._floats = [name for name, value in self.state.items() if value.is_floating_point()]

    def follow(self, model: nn.Module, keep: float) -> None:
        """Move a little towards the weights as they are now."""
        now = model.state_dict()
        kept, fresh = [self.state[name] for name in self._floats], [now[name] for name in self._floats]
        torch._foreach_lerp_(kept, fresh, 1 - keep)


@torch.no_grad()
def evaluated(model: nn.Module, shelf: Shelf, codes: Codes, *, limit: int = 0, size: int = 128) -> dict[str, Any]:
    """Accuracy on every question of a split, by kind, and how often the right caption ranks above another's."""
    model.eval()
    right, seen = np.zeros(len(codes.questions) + 1), np.zeros(len(codes.questions) + 1)
    above, pairs, sure = 0.0, 0, 0.0
    total = min(limit or shelf.count, shelf.count)
    for start in range(0, total, size):
        rows = np.arange(start, min(start + size, total))
        pixels = shelf.shown(torch.from_numpy(rows).to(shelf.device), torch.float32)
        each = int(shelf.counts[rows].max())
        places = np.arange(each)[None]
        numbers = shelf.first[rows, None] + np.minimum(places, shelf.counts[rows, None] - 1)
        counted = (places < shelf.counts[rows, None]).ravel()
        logits, _ = model(pixels, shelf.texts("questions", numbers.ravel(), each))
        if logits is not None:
            truth = shelf.answers.index_select(0, torch.from_numpy(numbers.ravel()).to(shelf.device))
            hits = (logits.argmax(1) == truth).cpu().numpy()
            kinds = shelf.kinds[numbers.ravel()]
            np.add.at(right, kinds[counted], hits[counted])
            np.add.at(seen, kinds[counted], 1)
        fits, other = _fitting(model, shelf, pixels, rows)
        if fits is not None and other is not None:
            above, pairs = above + float((fits > other).sum()), pairs + len(fits)
            sure += float(((fits > 0).sum() + (other <= 0).sum()) / 2)
    report: dict[str, Any] = {"pictures": total}
    if seen.sum():
        report |= {"accuracy": float(right.sum() / seen.sum()), "questions": int(seen.sum())}
        report["kinds"] = {
            kind: [round(float(right[n] / seen[n]), 4), int(seen[n])]
            for n, kind in enumerate(codes.questions)
            if seen[n]
        }
        for manner in ("gqa", "vqa"):
            own = np.array([kind.startswith(manner) for kind in (*codes.questions, "")])
            report[manner] = float(right[own].sum() / max(seen[own].sum(), 1))
    if pairs:
        report |= {"ranking": above / pairs, "pairs": pairs, "matching": sure / pairs}
    return report


def _fitting(model: nn.Module, shelf: Shelf, pixels: Tensor, rows: NDArray[np.int64]) -> tuple[Tensor | None, ...]:
    """How well each picture's first caption fits it, and how well it fits the next picture's."""
    own = shelf.texts("captions", shelf.caption_first[rows], 1)
    _, fits = model(pixels, own)
    if fits is None or len(rows) < 2:
        return None, None
    _, other = model(pixels, Texts(own.tokens.roll(1, 0), own.present.roll(1, 0)))
    return fits[:, 0], cast(Tensor, other)[:, 0]


def packed(name: str, sizes: Sizes, state: dict[str, Tensor], report: dict[str, Any], path: Path) -> None:
    """Write what is worth keeping: weights in sixteen bits, without the parts that only help training."""
    kept = {
        key: (value.half() if value.dim() > 1 and value.is_floating_point() else value).cpu()
        for key, value in state.items()
        if not key.startswith(("annotator.", "census."))
    }
    draft = path.with_suffix(".draft")
    torch.save({"name": name, "sizes": asdict(sizes), "state": kept, "report": report}, draft)
    draft.replace(path)


def unpacked(path: Path) -> tuple[nn.Module, dict[str, Any]]:
    """A model and its report, from what was written."""
    found = torch.load(path, map_location="cpu", weights_only=True)
    model = MODELS[found["name"]](Sizes(**found["sizes"]))
    missing, unexpected = model.load_state_dict({k: v.float() for k, v in found["state"].items()}, strict=False)
    assert not unexpected, f"{path} has weights that {found['name']} has not: {unexpected}"
    assert all(key.startswith(("annotator.", "census.")) for key in missing), f"{path} lacks {missing}"
    return model.eval(), found["report"]


def train(name: str, data: Path, out: Path, settings: Settings) -> dict[str, Any]:
    """Train, print how it goes, and keep the averaged weights and the accuracy on unseen scenes."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(settings.seed)
    torch.backends.cudnn.benchmark = True
    torch.set_float32_matmul_precision("high")
    rng = np.random.default_rng(settings.seed)
    codes = Codes.load(data / "codes.json")
    sizes = Sizes(len(Words(codes.words)), len(codes.answers), len(codes.kinds), len(codes.attributes))
    model = MODELS[name](sizes).to(device, memory_format=torch.channels_last)
    sighted = "picture" in model.sees
    shelf = Shelf(data, "train", device, limit=settings.limit, pictures=sighted)
    held = Shelf(data, "validation", device, pictures=sighted)
    print(f"{name}: {sum(p.numel() for p in model.parameters()):,} weights, {shelf.count} pictures", flush=True)
    weights = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": weights, "weight_decay": settings.decay}, {"params": others, "weight_decay": 0.0}],
        lr=settings.rate,
        betas=(0.9, 0.98),
        fused=device.type == "cuda",
    )
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    averaged, twin = Average(model), MODELS[name](sizes).to(device)
    loss_of = torch.compile(model.loss) if settings.compiled else model.loss
    start = spoken = kept = time.monotonic()
    step, progress, summed = 0, 0.0, torch.zeros((), device=device)
    report: dict[str, Any] = {}
    while progress < 1.0:
        progress = (time.monotonic() - start) / settings.seconds
        rate = settings.rate * _slope(min(progress, 1.0))
        for group in optimizer.param_groups:
            group["lr"] = rate
        model.train()
        batch = drawn(shelf, settings.batch, rng, sizes, dtype)
        with torch.autocast("cuda", torch.bfloat16) if device.type == "cuda" else nullcontext():
            loss = loss_of(batch, min(progress, 1.0))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        averaged.follow(model, min(settings.average, (1 + step) / (10 + step)))
        summed += loss.detach()
        if step % 10 == 0 and time.monotonic() - spoken > 10:
            pace = step * settings.batch / (time.monotonic() - start)
            print(f"{name} {progress:4.0%} step {step} {float(summed) / step:.3f} {pace:.0f}/s", flush=True)
            spoken = time.monotonic()
        if time.monotonic() - kept > 60:
            twin.load_state_dict(averaged.state)
            report = evaluated(twin, held, codes, limit=512) | {"steps": step}
            print(f"{name} {progress:4.0%} {_brief(report)}", flush=True)
            packed(name, sizes, averaged.state, report, out / f"{name}.pt")
            kept = time.monotonic()
    twin.load_state_dict(averaged.state)
    packed(name, sizes, averaged.state, report, out / f"{name}.pt")  # kept before it is judged
    took = time.monotonic() - start
    report = evaluated(twin, held, codes) | {"steps": step, "seconds": round(took), "scenes": shelf.count}
    report["settings"], report["device"] = asdict(settings), _device(device)
    packed(name, sizes, averaged.state, report, out / f"{name}.pt")
    (out / f"{name}.json").write_text(json.dumps(report, indent=1), "utf-8")
    print(f"{name} done: {_brief(report)}", flush=True)
    return report


def _slope(progress: float) -> float:
    """Up within the first twentieth, then down along a cosine."""
    return min(progress / 0.05 + 0.01, 1.0) * (0.5 + 0.5 * math.cos(math.pi * progress)) + 1e-3


def _brief(report: dict[str, Any]) -> str:
    shown = ("accuracy", "gqa", "vqa", "ranking", "matching", "steps")
    return ", ".join(f"{key} {report[key]:.4g}" for key in shown if key in report)


def _device(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"


def main(arguments: Iterable[str] | None = None) -> None:
    """Read the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=sorted(MODELS), required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--average", type=float, default=0.998)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--compile", dest="compiled", action="store_true")
    chosen = vars(parser.parse_args(None if arguments is None else list(arguments)))
    name, data, out = chosen.pop("model"), chosen.pop("data"), chosen.pop("out")
    out.mkdir(parents=True, exist_ok=True)
    train(name, data, out, Settings(**chosen))


if __name__ == "__main__":
    main()

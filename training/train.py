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

from counterpoint.models.builtin.onnx_graphs import BUCKETS, Vocabulary
from training.codes import Codes
from training.models import HELPERS, MODELS, Batch, Fusion, Pointed, Terms, Texts, Things
from training.networks import Sizes, waves

QUESTIONS, CANDIDATES = 8, 12
"""How many questions are asked on a picture in a step, and among how many those on places are preferred."""
NAMING = ("{}", "the {}", "where is the {}", "on which side of the photo is the {}")
"""Texts that name a thing to point at; the name comes last."""


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
    steps: int = 0  # of training, in the place of seconds, so that two runs take as many; none if 0


class Shelf:
    """The data of one split, with everything large on the device."""

    def __init__(
        self, folder: Path, split: str, device: torch.device, codes: Codes, *, limit: int = 0, pictures: bool = True
    ) -> None:
        stored = np.load(folder / f"{split}.npz")
        found = {name: stored[name] for name in stored.files}
        self.count = min(limit or len(found["counts"]), len(found["counts"]))
        self.counts, self.caption_counts = found["counts"][: self.count], found["caption_counts"][: self.count]
        self.first = np.concatenate([[0], np.cumsum(found["counts"])[:-1]])
        self.caption_first = np.concatenate([[0], np.cumsum(found["caption_counts"])[:-1]])
        self.lengths, self.caption_lengths = ((found[name] > 0).sum(1) for name in ("questions", "captions"))
        self.kinds = found["kinds"]
        self.spatial = np.array([any(part in kind for part in ("side", "relation")) for kind in (*codes.questions, "")])
        self.named = found["things"][: self.count, :, 4]
        self.unique = _unique(self.named)
        self.device = device
        self.naming, self.naming_lengths = _naming(codes, device)
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
        return found.to(self.device, non_blocking=True)

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
        return _texts(rows, self.onto(numbers), int(lengths[numbers].max()), each)


def _texts(rows: Tensor, at: Tensor, longest: int, each: int) -> Texts:
    tokens = rows.index_select(0, at)[:, :longest].long()
    present = torch.cat([torch.ones_like(tokens[:, :1]), tokens > 0], dim=1).float()
    return Texts(tokens, present, each)


def _unique(kinds: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Which things of each picture are the only ones of their kind."""
    found = np.empty(kinds.shape, bool)
    for place in range(kinds.shape[1]):
        found[:, place] = (kinds == kinds[:, place, None]).sum(1) == 1
    return found & (kinds >= 0)


def _naming(codes: Codes, device: torch.device) -> tuple[Tensor, NDArray[np.int64]]:
    """Every text that names a kind, kind by kind, and how long each is."""
    words = Vocabulary(codes.words)
    listed = [words.numbers(naming.format(kind)) for kind in codes.kinds for naming in NAMING]
    lengths = np.array([len(numbers) for numbers in listed])
    rows = torch.zeros(len(listed), int(lengths.max()), dtype=torch.long)
    for row, numbers in zip(rows, listed, strict=True):
        row[: len(numbers)] = torch.tensor(numbers)
    return rows.to(device), lengths


def drawn(shelf: Shelf, size: int, rng: np.random.Generator, sizes: Sizes, dtype: torch.dtype) -> Batch:
    """A batch: some pictures, eight questions, a caption and a thing to point at on each, a little disturbed."""
    rows = rng.integers(0, shelf.count, size)
    luck = rng.random((size, CANDIDATES))
    picked = shelf.first[rows, None] + (luck * shelf.counts[rows, None]).astype(np.int64)
    liked = rng.random(picked.shape) + 0.5 * shelf.spatial[shelf.kinds[picked]]
    picked = np.take_along_axis(picked, np.argpartition(-liked, QUESTIONS, axis=1)[:, :QUESTIONS], axis=1).ravel()
    told = shelf.caption_first[rows] + (rng.random(size) * shelf.caption_counts[rows]).astype(np.int64)
    meant = (rng.random((size, shelf.unique.shape[1])) * shelf.unique[rows]).argmax(1)
    named = np.maximum(shelf.named[rows, meant], 0).astype(np.int64) * len(NAMING) + rng.integers(0, len(NAMING), size)
    at, asked, told_at, meant_at, named_at, known = shelf.onto(
        np.concatenate([rows, picked, told, meant, named, shelf.unique[rows, meant]])
    ).split([size, size * QUESTIONS, size, size, size, size])
    things = shelf.things.index_select(0, at).long()
    across, down = (int(rng.integers(-4, 5)) for _ in range(2))
    boxes = things[..., :4].clone()
    boxes[..., 0] += across
    boxes[..., 1] += down
    attributes = torch.zeros(*things.shape[:2], sizes.attributes + 1, device=shelf.device)
    attributes.scatter_(2, things[..., 5:] + 1, 1.0)
    box = boxes.gather(1, meant_at.view(-1, 1, 1).expand(-1, 1, 4)).squeeze(1).float()
    pointed = Pointed(
        _texts(shelf.naming, named_at, int(shelf.naming_lengths[named].max()), 1),
        torch.stack([(box[:, 0] + box[:, 2] / 2) / 160 - 1, (box[:, 1] + box[:, 3] / 2) / 120 - 1], dim=1),
        known.float(),
    )
    return Batch(
        _disturbed(shelf.shown(at, dtype), across, down),
        Things(boxes, things[..., 4], attributes[..., 1:]),
        _misread(_texts(shelf.questions, asked, int(shelf.lengths[picked].max()), QUESTIONS)),
        shelf.answers.index_select(0, asked).long(),
        _misread(_texts(shelf.captions, told_at, int(shelf.caption_lengths[told].max()), 1)),
        pointed,
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
        now = model.state_dict()
        self.state = {name: value.detach().clone() for name, value in now.items()}
        floats = [name for name, value in now.items() if value.is_floating_point()]
        self._kept, self._fresh = [self.state[name] for name in floats], [now[name].detach() for name in floats]

    def follow(self, keep: float) -> None:
        """Move a little towards the weights as they are now, which the model changes in place."""
        torch._foreach_lerp_(self._kept, self._fresh, 1 - keep)


class Sums:
    """Losses by name, added up on the device since they were last told."""

    def __init__(self) -> None:
        self._sum, self._names, self._count = torch.zeros(()), list[str](), 0

    def add(self, terms: Terms) -> None:
        """One step more."""
        losses = torch.stack([term.detach().float() for _, term in terms.values()])
        self._names, self._sum, self._count = list(terms), losses + self._sum.to(losses.device), self._count + 1

    def told(self) -> str:
        """The means, after which it starts anew."""
        means = (self._sum / max(self._count, 1)).tolist()
        self._sum, self._count = torch.zeros(()), 0
        return ", ".join(f"{name} {mean:.3f}" for name, mean in zip(self._names, means, strict=True))


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
        if not key.startswith(HELPERS)
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
    assert all(key.startswith(HELPERS) for key in missing), f"{path} lacks {missing}"
    return model.eval(), found["report"]


def warmed(name: str, sizes: Sizes, path: Path) -> nn.Module:
    """A model that goes on from what was written, with fresh helpers and with its places made plainer."""
    found = torch.load(path, map_location="cpu", weights_only=True)
    wanted = (name, sizes.words, sizes.answers)
    given = (found["name"], found["sizes"]["words"], found["sizes"]["answers"])
    if given != wanted:
        raise SystemExit(f"{path} has name, words and answers {given}, but the data asks for {wanted}")
    model = MODELS[name](sizes)
    model.load_state_dict({key: value.float() for key, value in found["state"].items()}, strict=False)
    if isinstance(model, Fusion):
        with torch.no_grad():
            model.where.add_(waves(model.cells))
    return model


def train(name: str, data: Path, out: Path, settings: Settings, start_from: Path | None = None) -> dict[str, Any]:
    """Train, print how it goes, and keep the averaged weights and the accuracy on unseen scenes."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(settings.seed)
    torch.backends.cudnn.benchmark = True
    torch.set_float32_matmul_precision("high")
    rng = np.random.default_rng(settings.seed)
    codes = Codes.load(data / "codes.json")
    sizes = Sizes(len(Vocabulary(codes.words)), len(codes.answers), len(codes.kinds), len(codes.attributes))
    fresh = warmed(name, sizes, start_from) if start_from else MODELS[name](sizes)
    model = fresh.to(device, memory_format=torch.channels_last).train()
    sighted = "picture" in model.sees
    shelf = Shelf(data, "train", device, codes, limit=settings.limit, pictures=sighted)
    held = Shelf(data, "validation", device, codes, pictures=sighted)
    print(f"{name}: {sum(p.numel() for p in model.parameters()):,} weights, {shelf.count} pictures", flush=True)
    weights = [p for key, p in model.named_parameters() if p.dim() > 1 and key != "where"]
    others = [p for key, p in model.named_parameters() if p.dim() <= 1 or key == "where"]
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
    step, progress, summed = 0, 0.0, Sums()
    report: dict[str, Any] = {}
    if start_from:
        twin.load_state_dict(averaged.state)
        print(f"{name} at the start: {_brief(evaluated(twin, held, codes, limit=512))}", flush=True)
    while progress < 1.0:
        progress = (step + 1) / settings.steps if settings.steps else (time.monotonic() - start) / settings.seconds
        rate = settings.rate * _slope(min(progress, 1.0))
        for group in optimizer.param_groups:
            group["lr"] = rate
        batch = drawn(shelf, settings.batch, rng, sizes, dtype)
        with torch.autocast("cuda", torch.bfloat16) if device.type == "cuda" else nullcontext():
            terms = loss_of(batch, min(progress, 1.0))
            loss = torch.stack([weight * term for weight, term in terms.values()]).sum()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        averaged.follow(min(settings.average, (1 + step) / (10 + step)))
        summed.add(terms)
        if step % 10 == 0 and time.monotonic() - spoken > 10:
            pace = step * settings.batch / (time.monotonic() - start)
            print(f"{name} {progress:4.0%} step {step} {summed.told()} {pace:.0f}/s", flush=True)
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
    if start_from:
        before = torch.load(start_from, map_location="cpu", weights_only=True)["report"]
        report["earlier"] = {key: before[key] for key in ("steps", "seconds", "scenes", "earlier") if key in before}
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
    parser.add_argument("--start", dest="start_from", type=Path, help="a checkpoint to go on from")
    parser.add_argument("--compile", dest="compiled", action="store_true")
    parser.add_argument("--steps", type=int, default=0, help="train for so many steps, whatever the time")
    chosen = vars(parser.parse_args(None if arguments is None else list(arguments)))
    name, data, out, start_from = (chosen.pop(key) for key in ("model", "data", "out", "start_from"))
    out.mkdir(parents=True, exist_ok=True)
    train(name, data, out, Settings(**chosen), start_from)


if __name__ == "__main__":
    main()

"""A run beside a loop that only computes: `python -m benchmarks.hf_speed [towers] [qwen] [llava] [--small]`.

The checkpoints have random weights in the shapes of CLIP ViT-L/14, of Qwen2-VL with 2.4 billion parameters, and of
LLaVA-1.5 with seven. The plain loop does nothing but forward passes, or greedy generation of eight tokens, on batches
that were prepared before the clock started and lie on the device; the best of several batch sizes counts. Two towers
are held against what the cores can decode, where this is less. Ours is what
`counterpoint run` does: it begins with picture files and a suite on disk and ends with answers on disk; loading of the
model is told apart. `--queries 1,8` are the numbers of queries on each picture, `--size 640x480` the size of pictures,
`--choices 40` asks for choices by likelihood instead, and `--small` has tiny models, for a machine without a GPU. With
`--workers 2` our runs have so many processes on the one device, each with its share of cores; their rates are added.
"""

import argparse
import gc
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
import torch
from PIL import Image
from transformers import AutoModelForImageTextToText, CLIPImageProcessorPil, CLIPModel, PreTrainedTokenizerFast

from benchmarks.hf_checkpoints import DEVICE, DTYPE, KINDS, SHAPES, SavedCheckpoint
from counterpoint import catalog
from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.engine.running import RunSummary
from counterpoint.lab.running import RunRequest, run_model
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.picture_processing import PictureProcessor
from counterpoint.models.hf.processors import load_processor
from counterpoint.models.prompts import Prompt
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.world.scene_building import build_scene

T = TypeVar("T")
TOKENS = 8
BATCHES = {"qwen": (64, 128, 256, 512), "llava": (32, 64, 128, 256), "towers": (128, 512)}
PLAIN = {"qwen": 1024, "llava": 512, "towers": 8192}
"""Queries that the plain loop is measured on."""
ASKED = {
    "qwen": {1: 4096, 4: 6144, 8: 8192, 16: 12_288},
    "llava": {1: 2048, 4: 2048, 8: 3072, 16: 4096},
    "towers": {1: 16_384, 4: 49_152, 8: 65_536, 16: 131_072},
}
"""Queries of our runs, by their number on each picture: ten to sixty seconds each."""


def main() -> None:
    """Print queries a second of both, their ratio, the memory of the device, and how many answers differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shapes", nargs="*", choices=[*SHAPES, []], default=[])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--queries", default="1,4,8,16")
    parser.add_argument("--size", default="640x480")
    parser.add_argument("--choices", type=int, default=0)
    parser.add_argument("--workers", type=int, default=0)
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    counts = [int(count) for count in options.queries.split(",")]
    for shape in options.shapes or SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            benchmark = Benchmark(shape, Path(folder), options.small, (width, height), options.choices)
            benchmark.measure(counts, options.workers)


class Benchmark:
    """One shape: its checkpoint, its pictures, and a lab with a suite for each number of queries on a picture."""

    def __init__(self, shape: str, folder: Path, small: bool, size: tuple[int, int], choices: int) -> None:
        self._shape, self._folder, self._small, self._size, self._choices = shape, folder, small, size, choices
        self._mode = Mode.SCORE if shape == "towers" else Mode.ANSWER
        self._lab = LabStore(folder / "lab")

    def measure(self, counts: Sequence[int], workers: int) -> None:
        """Measure the plain loop once, and ours for each number of queries on a picture."""
        asked = {count: self._asked(count) for count in counts}
        drawn = {count: queries // count for count, queries in asked.items()}
        files = draw_pictures(self._folder / "pictures", sum(drawn.values()) + 64, self._size)
        shares = share_out(files, drawn)
        self._lab.set_root("speed", files[0].parent)
        began = perf_counter()
        saved = SHAPES[self._shape](self._folder / self._shape, self._small)
        free_memory()
        print(f"{self._shape}: {saved.parameters / 1e9:.2f} billion parameters, pictures of {self._size}", flush=True)
        print(f"  made and saved in {perf_counter() - began:.0f} s", flush=True)
        groups = {count: list(make_groups(share, count, self._mode, self._choices)) for count, share in shares.items()}
        suites = {"warm": list(make_groups(files[-64:], 2, self._mode, self._choices))}
        suites |= {f"speed-{count}": some for count, some in groups.items()}
        for name, some in suites.items():
            table = groups_table((("speed", group) for group in some), name)
            self._lab.put_suite(Manifest.of(table, generator="benchmarks.hf_speed", seed=0), table)
        speeds, known = self._plain(saved, groups, files[0].parent)
        free_memory()
        if workers:
            self._by_workers(f"hf/{saved.folder}", speeds, workers)
        else:
            self._ours(saved, speeds, known)

    def _plain(
        self, saved: SavedCheckpoint, groups: dict[int, list[Group]], pictures: Path
    ) -> tuple[dict[int, float], dict[int, str]]:
        """Queries a second for each number on a picture, and answers; only towers use a picture twice."""
        sizes = (4, 8) if self._small else BATCHES[self._shape][: 1 if self._choices else None]
        if self._shape == "towers":
            some = 4 if self._small else 1024 // self._weight
            loops = {
                n: TowerLoop(saved, [q for group in found[:some] for q in group.queries], pictures)
                for n, found in groups.items()
            }
            speeds = {count: loop.best(sizes)[0] for count, loop in loops.items()}
            prepared = prepared_a_second(saved, sorted(pictures.iterdir()))
            print(f"  all cores decode and resize {prepared:,.0f} pictures a second", flush=True)
            return {count: min(speed, count * prepared) for count, speed in speeds.items()}, {}
        queries = [query for group in groups[max(groups)] for query in group.queries]
        queries = queries[: 12 if self._small else PLAIN[self._shape] // (32 if self._choices else self._weight)]
        sizes = tuple(size for size in sizes if self._choices or size <= len(queries))
        speed, texts = (ChoiceLoop if self._choices else AnswerLoop)(saved, queries, pictures).best(sizes)
        return dict.fromkeys(groups, speed), dict(zip((query.id for query in queries), texts, strict=False))

    def _ours(self, saved: SavedCheckpoint, speeds: dict[int, float], known: dict[int, str]) -> None:
        name, began = f"hf/{saved.folder}", perf_counter()
        args = {} if self._shape == "towers" else {"tokens": str(TOKENS)}
        args |= {"choose": "likelihood"} if self._choices else {}
        with Prefetcher(self._lab.pictures()) as prefetcher:
            model: Any = catalog.model(name, prefetcher, args)
            pool = getattr(getattr(model, "_preparer", None), "_pool", None)
            for started in pool.started if pool else ():
                started.result()
            self._run(name, "warm", model, prefetcher)
            print(f"  our start-up {perf_counter() - began:.0f} s", flush=True)
            for count, speed in speeds.items():
                if torch.cuda.is_available():
                    torch.cuda.reset_peak_memory_stats()
                outcome = self._run(name, f"speed-{count}", model, prefetcher)
                ours = outcome.asked / outcome.seconds
                print(
                    f"  {count:2} queries a picture: {ours:8,.1f} a second, {ours / speed:6.2f} of the plain loop, "
                    f"{outcome.asked:,} queries in {outcome.seconds:.1f} s, {peak_memory():.1f} GiB",
                    flush=True,
                )
            said = self._lab.read_answers(model.fingerprint)
            raw = dict(zip(said["query"].to_pylist(), said["raw"].to_pylist(), strict=True))
            pairs = [(text, raw[query]) for query, text in known.items() if query in raw]
            if pairs:
                first = sum(one.split()[:1] != other.split()[:1] for one, other in pairs)
                differ = sum(one.strip() != other.strip() for one, other in pairs)
                print(f"  of {len(pairs)} answers {differ} differ from the plain loop's, {first} in the first word")

    def _by_workers(self, name: str, speeds: dict[int, float], workers: int) -> None:
        """Run by the command, whose processes start sooner than those of a program that imports torch."""
        for count, speed in speeds.items():
            options = ["--model", name, "--suite", f"speed-{count}", "--name", "ours", "--workers", str(workers)]
            command = [sys.executable, "-m", "counterpoint", "run", str(self._lab.folder), *options]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            rates = [
                one["answered"] / one["seconds"] for one in self._lab.runs()[-1].details["workers"] if one["seconds"]
            ]
            print(
                f"  {count:2} queries a picture, {len(rates)} workers: {sum(rates):8,.1f} a second, "
                f"{sum(rates) / speed:6.2f} of the plain loop",
                flush=True,
            )

    def _run(self, name: str, suite: str, model: Any, prefetcher: Prefetcher) -> RunSummary:
        request = RunRequest(name, (suite,), name="ours", check=0)
        outcome = run_model(self._lab, request, load=lambda _: nullcontext((model, prefetcher))).outcome
        assert not outcome.failed, f"none fails: {outcome.reasons}"
        return outcome

    def _asked(self, count: int) -> int:
        if self._small:
            return 4 * count
        return ASKED[self._shape].get(count, 4096) // (4 if self._choices else 1) // self._weight // count * count

    @property
    def _weight(self) -> int:
        """How many times fewer pictures are drawn and asked about, since each is so much larger."""
        width, height = self._size
        return max(1, width * height // (640 * 480))


class AnswerLoop:
    """Greedy answers of a few tokens, on batches that are ready."""

    def __init__(self, saved: SavedCheckpoint, queries: Sequence[Query], pictures: Path) -> None:
        self._model: Any = AutoModelForImageTextToText.from_pretrained(saved.folder, dtype=DTYPE).to(DEVICE).eval()
        self._processor = load_processor(Checkpoint(str(saved.folder)))
        self._pairs = [
            (saved.image + Prompt().text(query), pictures / query.picture.path) for query in queries if query.picture
        ]
        self._queries = queries

    def best(self, sizes: Sequence[int]) -> tuple[float, list[str]]:
        """The most queries a second with one of some batch sizes, and what is answered there."""
        found: list[tuple[float, list[str]]] = []
        for size in sizes:
            try:
                ready = [self._batch(some) for some in batched(self._pairs, size)]
                if torch.cuda.is_available():
                    torch.cuda.reset_peak_memory_stats()
                timed(partial(self._work, ready[:1]))
                seconds, answers = timed(partial(self._work, ready))
            except torch.OutOfMemoryError:
                print(f"  plain loop, batches of {size}: out of memory", flush=True)
                break
            speed = len(self._pairs) / seconds
            found.append((speed, answers))
            print(
                f"  plain loop, batches of {size:4}: {speed:8,.1f} queries a second, {peak_memory():.1f} GiB",
                flush=True,
            )
            del ready
        best = max(found, key=lambda pair: pair[0])
        for size, (_, answers) in zip(sizes, found, strict=False):
            differ = sum(one != other for one, other in zip(answers, best[1], strict=True))
            print(f"  of {len(answers)} answers {differ} in batches of {size} differ from those of the fastest")
        print(f"  {self._tokens()} tokens a prompt", flush=True)
        return best

    def _tokens(self) -> int:
        return int(self._batch(self._pairs[:1])["input_ids"].shape[1])

    def _batch(self, some: Sequence[tuple[str, Path]]) -> Any:
        shown = [[Image.open(file).convert("RGB")] for _, file in some]
        inputs = self._processor(text=[text for text, _ in some], images=shown, padding=True, return_tensors="pt")
        return inputs.to(DEVICE, DTYPE)

    def _work(self, ready: Sequence[Any]) -> list[str]:
        told: list[str] = []
        for inputs in ready:
            new = self._model.generate(**inputs, do_sample=False, max_new_tokens=TOKENS)[
                :, inputs["input_ids"].shape[1] :
            ]
            told += self._processor.tokenizer.batch_decode(new, skip_special_tokens=True)
        return told


class ChoiceLoop(AnswerLoop):
    """The most likely choice, with a row for each: one forward pass over prompt and choice."""

    def __init__(self, saved: SavedCheckpoint, queries: Sequence[Query], pictures: Path) -> None:
        super().__init__(saved, queries, pictures)
        self._pairs = [
            (f"{prompt} {choice}", file)
            for (prompt, file), query in zip(self._pairs, queries, strict=True)
            for choice in query.choices
        ]

    def best(self, sizes: Sequence[int]) -> tuple[float, list[str]]:
        """Queries a second."""
        speed, rows = super().best(sizes)
        return speed * len(self._queries) / len(rows), []

    def _work(self, ready: Sequence[Any]) -> list[str]:
        told: list[str] = []
        for inputs in ready:
            logits = self._model(**inputs, use_cache=False, logits_to_keep=4).logits.float().log_softmax(-1)
            told += map(str, logits[:, -2].gather(1, inputs["input_ids"][:, -1:])[:, 0].tolist())
        return told


class TowerLoop:
    """Pictures, then texts, then products, on batches that are ready."""

    def __init__(self, saved: SavedCheckpoint, queries: Sequence[Query], pictures: Path) -> None:
        self._model = CLIPModel.from_pretrained(saved.folder, dtype=DTYPE).to(DEVICE).eval()
        self._reader = PreTrainedTokenizerFast.from_pretrained(saved.folder)
        self._fitter = PictureProcessor(CLIPImageProcessorPil.from_pretrained(saved.folder))
        self._texts = list(dict.fromkeys(query.text for query in queries))
        self._files = list(dict.fromkeys(pictures / query.picture.path for query in queries if query.picture))
        row = {text: number for number, text in enumerate(self._texts)}
        shown = {file.name: number for number, file in enumerate(self._files)}
        self._places = torch.tensor(
            [[shown[query.picture.path], row[query.text]] for query in queries if query.picture], device=DEVICE
        )

    def best(self, sizes: Sequence[int]) -> tuple[float, list[str]]:
        """Queries a second; scores are not compared."""
        found = []
        for size in sizes:
            fitted = (self._fitter.fit(np.asarray(Image.open(file).convert("RGB"))) for file in self._files)
            pictures = [self._fitter.batch(some, DEVICE, DTYPE) for some in batched(fitted, size)]
            texts = [
                self._reader(list(some), padding=True, return_tensors="pt").to(DEVICE)
                for some in batched(self._texts, 2 * size)
            ]
            timed(partial(self._work, pictures[:1], texts[:1]))
            seconds, _ = timed(partial(self._work, pictures, texts))
            found.append(len(self._places) / seconds)
            print(f"  plain loop, batches of {size:4}: {found[-1]:8,.1f} queries a second", flush=True)
        return max(found), []

    def _work(self, pictures: Sequence[Any], texts: Sequence[Any]) -> Any:
        seen = torch.cat([_vector(self._model.get_image_features(**picture)) for picture in pictures])
        read = torch.cat(
            [_vector(self._model.get_text_features(text["input_ids"], text["attention_mask"])) for text in texts]
        )
        pairs = self._places.clamp(max=min(len(seen), len(read)) - 1)
        return torch.nn.functional.cosine_similarity(seen[pairs[:, 0]], read[pairs[:, 1]]).cpu()


def prepared_a_second(saved: SavedCheckpoint, files: Sequence[Path]) -> float:
    """Pictures that all cores together decode and resize in a second, with nothing else to do."""
    prepare = partial(_prepare, PictureProcessor(CLIPImageProcessorPil.from_pretrained(saved.folder)))
    with ProcessPoolExecutor() as pool:
        list(pool.map(prepare, files[:64]))
        seconds, done = timed(lambda: list(pool.map(prepare, files[:8192], chunksize=8)))
        return len(done) / seconds


def _prepare(fitter: PictureProcessor, file: Path) -> int:
    return fitter.fit(np.asarray(Image.open(file).convert("RGB"))).nbytes


def _vector(found: Any) -> Any:
    return getattr(found, "pooler_output", found)


def draw_pictures(folder: Path, count: int, size: tuple[int, int]) -> list[Path]:
    """Scenes of the world as JPEG files of one size, drawn on all cores."""
    folder.mkdir()
    files = [folder / f"{number:06}.jpg" for number in range(count)]
    with ProcessPoolExecutor() as pool:
        list(pool.map(partial(_draw, size), files, range(count), chunksize=32))
    return files


def share_out(files: Sequence[Path], wanted: dict[int, int]) -> dict[int, Sequence[Path]]:
    """Files of its own for each number of queries, since a model remembers pictures that it has seen."""
    rest = iter(files)
    return {count: list(islice(rest, number)) for count, number in wanted.items()}


def _draw(size: tuple[int, int], file: Path, number: int) -> None:
    build_scene("train", number).draw().resize(size).save(file, quality=90)


def make_groups(files: Sequence[Path], each: int, mode: Mode, choices: int) -> Iterator[Group]:
    """Questions that differ from their first word on, fourteen tokens each; a prompt adds ten."""
    offered = tuple(f"{KINDS[number % 8]} {number}" for number in range(choices))
    for number, file in enumerate(files):
        words = [
            f"{100 * each + turn} {KINDS[(number + turn) % 8]} is there a dog on the left of number {number} now ?"
            for turn in range(each)
        ]
        asked = tuple(Query(Picture(f"speed:{file.name}"), text, mode, offered) for text in words)
        yield Group(Relation.RANKS if mode is Mode.SCORE else Relation.SAME, asked, (None,) * each)


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """The seconds of one pass, the device having been waited for, and what it gave."""
    with torch.inference_mode():
        began = perf_counter()
        found = work()
        if DEVICE == "cuda":
            torch.cuda.synchronize()
        return perf_counter() - began, found


def peak_memory() -> float:
    """The most memory of the device that was in use, in GiB."""
    return torch.cuda.max_memory_allocated() / 2**30 if DEVICE == "cuda" else 0.0


def free_memory() -> None:
    """Give back what nobody holds any more."""
    gc.collect()
    if DEVICE == "cuda":
        torch.cuda.empty_cache()


def batched(items: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    """Items, so many at a time."""
    rest = iter(items)
    while some := tuple(islice(rest, size)):
        yield some


if __name__ == "__main__":
    main()

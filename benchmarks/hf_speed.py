"""`counterpoint run` beside a loop that only computes: `python -m benchmarks.hf_speed [towers|speaking] [--small]`.

Two checkpoints with random weights are made from their configurations: CLIP ViT-L/14, and Qwen2-VL with two billion
parameters. The plain loop does nothing but forward passes on batches that were prepared before the clock started, and
lie on the device. Ours is the command itself: it begins with picture files and a suite on disk, and ends with answers
on disk. `--small` has tiny models, for a machine without a GPU.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import torch
from PIL import Image
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    AutoModelForImageTextToText,
    CLIPConfig,
    CLIPImageProcessorPil,
    CLIPModel,
    PreTrainedTokenizerFast,
    Qwen2VLConfig,
    Qwen2VLForConditionalGeneration,
    Qwen2VLImageProcessorPil,
)

from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.picture_processing import PictureProcessor
from counterpoint.models.hf.processors import load_processor
from counterpoint.models.prompts import Prompt
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.world.scene_building import build_scene

MARKS = ["<pad>", "<s>", "</s>", "<unk>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
TURNS = (
    "{% for message in messages %}{% for part in message['content'] %}{% if part['type'] == 'image' %}"
    "{{ '<|vision_start|><|image_pad|><|vision_end|>' }}{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endfor %}"
)
T = TypeVar("T")
TOKENS, BATCH = 8, 64
COUNTS, PLAIN = {"towers": 40_960, "speaking": 6144}, {"towers": 8192, "speaking": 2048}
KINDS = ("dog", "cat", "car", "cup", "tree", "ball", "bus", "bird")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
DTYPE = torch.bfloat16 if DEVICE == "cuda" else torch.float32


def main(*words: str) -> None:
    """Print queries a second of both, their ratio, and the memory of the device."""
    small = "--small" in words
    chosen = [word for word in words if not word.startswith("--")] or ["towers", "speaking"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = _pictures(folder / "pictures", 24 if small else max(COUNTS[family] for family in chosen))
        for family in chosen:
            _compared(folder, family, files, small)


def _compared(folder: Path, family: str, files: Sequence[Path], small: bool) -> None:
    make, plain, mode, each = FAMILIES[family]
    files = files[: 24 if small else COUNTS[family]]
    checkpoint = folder / family
    weights = make(checkpoint, small)
    some = list(_groups(files[: PLAIN[family]], mode, each))
    base = plain(checkpoint, [query for group in some for query in group.queries], files[: PLAIN[family]])
    memory = torch.cuda.max_memory_allocated() if DEVICE == "cuda" else 0
    torch.cuda.empty_cache()
    groups = list(_groups(files, mode, each))
    lab = _lab(folder / f"lab-{family}", groups, files[0].parent)
    settings = "" if family == "towers" else f"tokens={TOKENS},batch={BATCH}"
    command = [sys.executable, "-m", "counterpoint", "run", str(lab.folder), "--model", f"hf/{checkpoint}", "--json"]
    outcome = json.loads(
        subprocess.run([*command, "--model-args", settings], check=True, stdout=subprocess.PIPE).stdout
    )
    assert outcome["asked"] == each * len(files), "every query is asked"
    assert not outcome["failed"], f"none fails: {outcome['reasons']}"
    ours, held = outcome["asked"] / outcome["seconds"], sum(lab.runs()[-1].details["hardware"]["memory"])
    print(f"{family}: {weights / 1e9:.2f} billion parameters, {outcome['asked']:,} queries on {len(files):,} pictures")
    print(f"  plain loop        {base:9,.1f} queries a second, {memory / 2**30:.1f} GiB of the device at most")
    print(f"  counterpoint run  {ours:9,.1f} queries a second, {held / 2**30:.1f} GiB; {ours / base:.1%} of it")
    print(f"  asked alone and in batches: {outcome['alike']}")


def _towers(folder: Path, small: bool) -> int:
    size = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    sight = {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16}
    words = {"hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12}
    reader = _words()
    known = {"vocab_size": 49408, **{f"{key}_token_id": reader.convert_tokens_to_ids(mark) for key, mark in _ENDS}}
    config = CLIPConfig(
        vision_config={"patch_size": 14, "image_size": 224, **(size if small else sight)},
        text_config=(size if small else words) | known,
        projection_dim=768,
    )
    CLIPImageProcessorPil().save_pretrained(folder)
    return _saved(CLIPModel, config, folder, reader)


def _plain_towers(folder: Path, queries: Sequence[Query], files: Sequence[Path]) -> float:
    """Pictures, then texts, then products, on batches that are ready."""
    model = CLIPModel.from_pretrained(folder, dtype=DTYPE).to(DEVICE).eval()
    reader, fitter = (
        PreTrainedTokenizerFast.from_pretrained(folder),
        PictureProcessor(CLIPImageProcessorPil.from_pretrained(folder)),
    )
    fitted = (fitter.fit(_pixels(file)) for file in files)
    pictures = [fitter.batch(some, DEVICE, DTYPE) for some in batched(fitted, 128)]
    texts = list(dict.fromkeys(query.text for query in queries))
    sentences = [reader(list(some), padding=True, return_tensors="pt").to(DEVICE) for some in batched(texts, 256)]
    row = {text: number for number, text in enumerate(texts)}
    each = len(queries) // len(files)
    places = torch.tensor([[number // each, row[query.text]] for number, query in enumerate(queries)], device=DEVICE)

    def work() -> Any:
        seen = torch.cat([_vector(model.get_image_features(**picture)) for picture in pictures])
        read = torch.cat(
            [
                _vector(model.get_text_features(sentence["input_ids"], sentence["attention_mask"]))
                for sentence in sentences
            ]
        )
        return torch.nn.functional.cosine_similarity(seen[places[:, 0]], read[places[:, 1]]).cpu()

    return len(queries) / _seconds(work)


def _vector(found: Any) -> Any:
    return getattr(found, "pooler_output", found)


def _speaking(folder: Path, small: bool) -> int:
    reader = _words()
    start, end, image, video = (reader.convert_tokens_to_ids(mark) for mark in MARKS[4:])
    size = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    words = {"hidden_size": 1536, "intermediate_size": 8960, "num_hidden_layers": 28, "num_attention_heads": 12}
    sections = {"mrope_section": [4, 2, 2] if small else [16, 24, 24], "rope_theta": 1e6, "rope_type": "default"}
    config = Qwen2VLConfig(
        vision_config={"depth": 2, "embed_dim": 64, "hidden_size": 64, "num_heads": 4}
        if small
        else {"hidden_size": 1536},
        text_config={
            **(size if small else words),
            "num_key_value_heads": 2,
            "vocab_size": len(reader) if small else 151_936,
            "max_position_embeddings": 32_768,
            "rope_parameters": sections,
            **{f"{key}_token_id": reader.convert_tokens_to_ids(mark) for key, mark in _ENDS},
        },
        image_token_id=image,
        video_token_id=video,
        vision_start_token_id=start,
        vision_end_token_id=end,
    )
    reader.chat_template = TURNS
    Qwen2VLImageProcessorPil().save_pretrained(folder)
    return _saved(Qwen2VLForConditionalGeneration, config, folder, reader)


def _plain_speaking(folder: Path, queries: Sequence[Query], files: Sequence[Path]) -> float:
    """Greedy answers of a few tokens, on batches that are ready."""
    model = AutoModelForImageTextToText.from_pretrained(folder, dtype=DTYPE).to(DEVICE).eval()
    processor = load_processor(Checkpoint(str(folder)))
    processor.tokenizer.padding_side = "left"
    each = len(queries) // len(files)
    prompts = [f"<|vision_start|><|image_pad|><|vision_end|>{Prompt().text(query)}" for query in queries]
    pairs = [(prompt, files[number // each]) for number, prompt in enumerate(prompts)]
    ready = []
    for some in batched(pairs, BATCH):
        shown = [Image.open(file).convert("RGB") for _, file in some]
        inputs = processor(text=[text for text, _ in some], images=shown, padding=True, return_tensors="pt")
        ready.append(inputs.to(DEVICE, DTYPE))

    def work() -> Any:
        return [model.generate(**some, do_sample=False, max_new_tokens=TOKENS) for some in ready]

    return len(queries) / _seconds(work)


FAMILIES: dict[str, Any] = {
    "towers": (_towers, _plain_towers, Mode.SCORE, 2),
    "speaking": (_speaking, _plain_speaking, Mode.ANSWER, 1),
}
_ENDS = (("pad", "<pad>"), ("bos", "<s>"), ("eos", "</s>"))


def _words() -> Any:
    """A tokenizer that knows some thousands of words and ends each text with a mark."""
    from tokenizers import processors

    known = {word: number for number, word in enumerate([*MARKS, *KINDS, *map(str, range(9000)), *PHRASE])}
    words = Tokenizer(models.WordLevel(known, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words.add_special_tokens(MARKS)
    words.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", known["</s>"])])
    return PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )


PHRASE = (
    "a",
    "is",
    "on",
    "the",
    "left",
    "of",
    "in",
    "picture",
    "number",
    "there",
    "Is",
    "yes",
    "no",
    "?",
    ".",
    "Answer",
)


def _saved(family: Any, config: Any, folder: Path, reader: Any) -> int:
    torch.manual_seed(7)
    with torch.device(DEVICE):
        model = family(config).to(DTYPE)
    model.generation_config = (
        type(model.generation_config)() if hasattr(model, "generation_config") and model.can_generate() else None
    )
    model.save_pretrained(folder)
    reader.save_pretrained(folder)
    count = sum(weight.numel() for weight in model.parameters())
    del model
    torch.cuda.empty_cache()
    return count


def _pictures(folder: Path, count: int) -> list[Path]:
    """Scenes of the world as JPEG files, drawn on all cores."""
    folder.mkdir()
    files = [folder / f"{number:06}.jpg" for number in range(count)]
    with ProcessPoolExecutor() as pool:
        list(pool.map(_draw, files, range(count), chunksize=32))
    return files


def _draw(file: Path, number: int) -> None:
    build_scene("train", number).draw().save(file, quality=90)


def _pixels(file: Path) -> Any:
    import numpy as np

    return np.asarray(Image.open(file).convert("RGB"))


def _groups(files: Sequence[Path], mode: Mode, each: int) -> Iterator[Group]:
    for number, file in enumerate(files):
        words = [f"there is a {KINDS[(number + turn) % 8]} on the left of number {number}" for turn in range(each)]
        asked = tuple(Query(Picture(f"speed:{file.name}"), text, mode) for text in words)
        yield Group(Relation.RANKS if mode is Mode.SCORE else Relation.SAME, asked, (None,) * each)


def _lab(folder: Path, groups: Sequence[Group], pictures: Path) -> LabStore:
    lab, table = LabStore(folder), groups_table((("speed", group) for group in groups), "speed")
    lab.put_suite(Manifest.of(table, generator="benchmarks.hf_speed", seed=0), table)
    lab.set_root("speed", pictures)
    return lab


def _seconds(work: Callable[[], Any]) -> float:
    """The better of two passes, the device having been waited for."""
    found = []
    with torch.inference_mode():
        for _ in range(2):
            began = perf_counter()
            work()
            if DEVICE == "cuda":
                torch.cuda.synchronize()
            found.append(perf_counter() - began)
    return min(found)


def batched(items: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    """Items, so many at a time."""
    rest = iter(items)
    while some := tuple(islice(rest, size)):
        yield some


if __name__ == "__main__":
    main(*sys.argv[1:])

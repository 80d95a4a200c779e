"""A lab as a working group has it: forty models under real names, thirty suites, answers of every length and script.

Pictures have five shapes, models have versions, some refuse, some talk for a paragraph, some were asked only a part.
Each model has one weakness, so that its failures can be told.

    python -m benchmarks.crowded_lab crowded --models 40 --suites 30
    counterpoint serve crowded
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from counterpoint.core.groups import Answer, Gold, Group, Mode, Query, Relation, State
from counterpoint.core.pictures import Box, Edit, Picture, Size
from counterpoint.core.scenes import SceneObject
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

NAMES = (
    "Qwen3-VL-235B-A22B-Instruct-AWQ-int4-revision-of-2026-09-30-with-long-context",
    "our-vlm-sft-lr2e-5-bs128-mix-of-eleven-sources-seed-7-step",
    "InternVL3.5-38B",
    "llava-onevision-qwen2-7b-ov-hf",
    "SmolVLM2-2.2B-Instruct",
    "gemma-3-27b-it",
    "paligemma2-3b-mix-448",
    "Idefics3-8B-Llama3",
    "MiniCPM-V-4_5",
    "Molmo-7B-D-0924",
    "Phi-4-multimodal-instruct",
    "clip-vit-large-patch14-336",
    "中文视觉语言模型-7B",
)
STEPS = 8
"""Versions of the second name, which is a model in training."""

SUITES = (
    *("rephrase", "order", "ontology", "negation", "antonym", "visual"),
    *("existence", "plurality", "counting", "relations", "actions", "coreference", "objects"),
    *("contrast-sets", "rad-questions", "rad-dialogues", "noise", "word-noise", "sears"),
    *("question-bias", "picture-bias", "blind-controls", "plain", "pope-adversarial", "pope-popular", "pope-random"),
    *("vsr-zero-shot", "winoground-like", "our-returns-desk-photographs-of-damaged-parcels-2026", "mmbench-dev-en"),
)
FOILS = ("existence", "plurality", "counting", "relations", "actions", "coreference", "objects")
SHAPES = ((640, 480), (480, 640), (1600, 400), (300, 1500), (96, 72))
"""Landscape, portrait, panorama, a till receipt, a thumbnail."""

PICTURES = 40
NOUNS = ("glasses", "dogs", "umbrellas", "parcels", "bicycles", "traffic lights", "wine bottles", "street signs")
REFUSAL = (
    "I’m sorry, but I can’t be certain from this image alone. There might be something of the kind near the edge, and "
    "I would rather not guess about details that a different angle or a higher resolution could settle; if you can "
    "share a closer view, I will gladly look again and describe what is there. "
)
PARAGRAPH = (
    "Let me look at the picture step by step.\n\n1. **Foreground**: several objects stand close together, lit from the "
    "left.\n2. **Background**: a wall, partly covered, with shelves.\n\n| object | seen |\n|---|---|\n"
    "| the one asked for | perhaps |\n\n"
    "<b>Note</b>: `markup` of a model is text. "
)
CHINESE = "根据图片中的内容，可以看到画面左侧有相关的物体，因此答案是肯定的，但也需要注意光线的影响。"
ARABIC = "بناءً على ما يظهر في الصورة، الجواب هو نعم، لكن بعض التفاصيل غير واضحة."


def model_names(number: int) -> list[tuple[str, str]]:
    """Return so many models with their versions, the ones without looking last."""
    steps = [(NAMES[1], f"step-{500 * step}") for step in range(1, min(STEPS, number // 3) + 1)]
    others = [(name, "") for name in (NAMES[0], *NAMES[2:])]
    tuned = [(f"{name}-tuned-{tag}", "") for tag in ("a", "b") for name in NAMES[2:]]
    listed = [*others[: max(number - len(steps) - 2, 2)], *steps, *tuned]
    return [*listed[: number - 2], ("question-only", ""), ("always-yes", "")]


def make_lab(
    folder: Path,
    models: int = 40,
    suites: Sequence[str] = SUITES,
    groups: int = 60,
    seed: int = 7,
    *,
    pictures: int = PICTURES,
) -> LabStore:
    """Write a lab of so many models, some suites, so many groups a suite, and so many pictures."""
    rng, lab = np.random.default_rng(seed), LabStore(folder)
    draw_pictures(folder / "pictures", pictures, rng)
    lab.set_root("photos", folder / "pictures")
    made = {name: list(suite_groups(name, groups, pictures, rng)) for name in suites}
    for name, listed in made.items():
        table = groups_table([(name, group) for group in listed], name)
        lab.put_suite(Manifest.of(table, generator="benchmarks.crowded_lab", seed=seed), table)
    for number, (name, version) in enumerate(model_names(models)):
        fingerprint = f"{name}{version} 1"
        asked = [name for place, name in enumerate(made) if number % 5 or place % 7]  # some were asked only a part
        with lab.answers(fingerprint) as log:
            seen = set[int]()
            for suite in asked:
                log.add(answer_rows(made[suite], suite, number, seen, rng))
        reference = {"question-only": "question-only", "always-yes": "constant"}.get(name, "openai/model")
        details = {
            "state": "done",
            "counts": {"asked": len(seen)},
            "seconds": len(seen) / 50,
            "settings": {"model": reference},
        }
        lab.put_run(
            RunRecord(f"2026{1 + number // 28:02}{1 + number % 28:02}T120000", name, fingerprint, details, version)
        )
    return lab


def draw_pictures(folder: Path, pictures: int, rng: np.random.Generator) -> None:
    """Draw pictures with the grain and weight of photographs, in five shapes."""
    folder.mkdir(parents=True)
    for number in range(pictures):
        width, height = SHAPES[number % len(SHAPES)]
        coarse = Image.fromarray(rng.integers(40, 216, (max(height // 60, 2), max(width // 60, 2), 3), np.uint8))
        image = coarse.resize((width, height), Image.Resampling.BICUBIC)
        draw = ImageDraw.Draw(image)
        for _ in range(5):
            x, y = int(rng.integers(width)), int(rng.integers(height))
            size = int(min(width, height) * rng.uniform(0.1, 0.35))
            draw.ellipse((x, y, x + size, y + size), fill=tuple(int(part) for part in rng.integers(30, 230, 3)))
        grain = rng.normal(0, 9, (height, width, 3))
        pixels = np.asarray(image.filter(ImageFilter.GaussianBlur(1)), np.float64) + grain
        Image.fromarray(pixels.clip(0, 255).astype(np.uint8)).save(folder / f"{number}.jpg", quality=88)


def suite_groups(name: str, number: int, pictures: int, rng: np.random.Generator) -> Iterator[Group]:
    """Yield the groups of a suite in the manner of its name."""
    for place in range(number):
        noun, shape = NOUNS[int(rng.integers(len(NOUNS)))], int(rng.integers(pictures))
        size = Size(*SHAPES[shape % len(SHAPES)])
        box = Box(size.width // 8, size.height // 8, size.width // 3, size.height // 3)
        yield replace(
            one_group(name, place, noun, shape, pictures),
            kind=("object", "attribute", "relation")[place % 3],
            proof=f"{noun} are annotated",
            objects=(SceneObject("1", noun, box=box),),
            size=size,
        )


def one_group(name: str, place: int, noun: str, shape: int, pictures: int) -> Group:
    """Return a group about a noun in a picture."""
    picture, yes, no = Picture(f"photos:{shape}.jpg"), Gold.of("yes"), Gold.of("no")
    about = f"in picture {place} of {name}?"
    first = Query(picture, f"Do you see any {noun} {about}")
    if name in FOILS:
        texts = (f"There are {noun} in picture {place}.", f"There are no {noun} in picture {place}.")
        return Group(Relation.RANKS, tuple(Query(picture, text, Mode.SCORE) for text in texts), (None, None))
    if name in ("negation", "antonym"):
        return Group(Relation.DIFFERS, (first, Query(picture, f"Do you see no {noun} {about}")), (yes, no))
    if name in ("noise", "visual"):
        edits = [Query(picture.edited(Edit("blur", (str(level),))), first.text) for level in (1, 2, 3)]
        tags = ((), *((("edit", "blur"), ("severity", str(level))) for level in (1, 2, 3)))
        return Group(Relation.SAME, (first, *edits), (yes,) * 4, tags=tags)
    if name in ("question-bias", "picture-bias"):
        others = [Query(Picture(f"photos:{(shape + step) % pictures}.jpg"), first.text) for step in (1, 2, 3)]
        return Group(Relation.SWAP, (first, *others), (yes, None, None, None))
    if name == "contrast-sets":
        others = [Query(picture, f"Do you see any {other} {about}") for other in NOUNS if other != noun]
        return Group(Relation.GOLD, (first, *others[:4]), (yes, no, no, yes, no))
    if name.startswith(("pope", "plain", "vsr", "mmbench")):
        return Group(Relation.SAME, (first,), (yes if place % 2 else no,))
    return Group(Relation.SAME, (first, Query(picture, f"Are {noun} visible anywhere {about}")), (yes, yes))


def answer_rows(
    groups: Sequence[Group], suite: str, model: int, seen: set[int], rng: np.random.Generator
) -> Iterator[tuple[int, int, Answer, str, float]]:
    """Yield what a model says: the later it stands, the worse; each is weakest in one suite."""
    skill = 0.95 - 0.4 * (model % 40) / 40 - (0.35 if SUITES.index(suite) % 13 == model % 13 else 0)
    for group in groups:
        for role, (query, gold) in enumerate(zip(group.queries, group.gold, strict=True)):
            if query.id in seen:
                continue
            seen.add(query.id)
            right = rng.random() < skill
            if query.mode is Mode.SCORE:
                answer = Answer.scored(float(rng.uniform(0.5, 1) if right == (role == 0) else rng.uniform(0, 0.5)))
            else:
                value = gold.best if gold else "yes"
                answer = written(value if right else "no" if value == "yes" else "yes", model, rng)
            yield query.id, 0, answer, "", 0.02


def written(value: str, model: int, rng: np.random.Generator) -> Answer:
    """Return an answer in the manner of a model: terse, in a paragraph, in another script, or refused."""
    manner = rng.random()
    if manner < 0.04:
        return Answer(raw=REFUSAL * 3, value="", rule="refusals", state=State.REFUSED)
    if manner < 0.06:
        return Answer(raw=PARAGRAPH * 12, value=(PARAGRAPH * 12)[:2000].lower(), rule="words", state=State.UNPARSED)
    if model % 4 == 1:
        return Answer(raw=f"{PARAGRAPH * 4}\n\nSo the answer is **{value}**.", value=value, rule="final answer")
    if model % 7 == 3:
        return Answer(raw=f"{CHINESE} {ARABIC} {value}", value=value, rule="words")
    return Answer(raw=value.capitalize(), value=value, rule="words", top=((value, 0.7), ("maybe", 0.2)))


def main() -> None:
    """Write a lab."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    for name, default in (("models", 40), ("suites", 30), ("groups", 60)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    make_lab(given.folder, given.models, SUITES[: given.suites], given.groups)
    print(f"{given.folder}: {given.models} models, {given.suites} suites")


if __name__ == "__main__":
    main()

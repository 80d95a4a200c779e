"""Pictures, questions and captions for training, drawn by all cores into a few arrays.

python -m training.data --out DATA --pictures 120000 --seconds 120
"""

import argparse
import os
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import Question
from counterpoint.core.scenes import Scene
from counterpoint.models.builtin.onnx_graphs import LENGTH, Vocabulary
from counterpoint.world.captions import captions
from counterpoint.world.kinds import kinds
from counterpoint.world.questions import gqa_questions, vqa_questions
from counterpoint.world.scene_building import build_scene
from training.codes import Codes, frequent_words

THINGS, ATTRIBUTES = 24, 6
"""How many things of a picture, and attributes of a thing, the eye is taught by."""
CHUNK = 32
QUESTIONS = 24
"""How many questions in GQA's manner are written for a training picture."""
SHAPE = (240, 320, 3)


@dataclass(frozen=True, slots=True)
class Job:
    """Some pictures of a split to be drawn into an array."""

    split: str
    first: int
    count: int
    seed: int
    into: str  # empty to write texts only


def asked(scene: Scene, split: str, seed: int) -> list[Question]:
    """Every question on a scene, in both manners; evaluation gets what anybody gets by default."""
    if split == "train":
        written = [*gqa_questions(scene, seeded_rng("training", seed, scene.id), QUESTIONS)]
    else:
        written = [*gqa_questions(scene, seeded_rng("gqa", seed, scene.id))]
    return [*written, *vqa_questions(scene, seeded_rng("vqa", seed, scene.id))]


def described(scene: Scene, seed: int) -> list[str]:
    """The captions of a scene."""
    return [caption.text for caption in captions(scene, seeded_rng("captions", seed, scene.id))]


def survey(job: Job) -> tuple[Counter[str], Counter[str], Counter[str], Counter[str]]:
    """Texts, answers, question kinds and attributes of some scenes, counted."""
    texts, answers, written, attributes = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for index in range(job.first, job.first + job.count):
        scene = build_scene(job.split, index, job.seed).scene
        questions = asked(scene, job.split, job.seed)
        texts.update([question.text for question in questions] + described(scene, job.seed))
        answers.update(question.gold.best for question in questions)
        written.update(f"{_manner(question)} {question.kind}" for question in questions)
        attributes.update(attribute for thing in scene for attribute in thing.attributes)
    return texts, answers, written, attributes


_CODES: Codes
_WORDS: Vocabulary


def _start(codes: Codes) -> None:
    global _CODES, _WORDS  # a worker's own, set once when it starts
    _CODES, _WORDS = codes, Vocabulary(codes.words)


def draw(job: Job) -> dict[str, NDArray[Any]]:
    """Draw the pictures of a job into its array; the texts and things come back as small arrays."""
    room = np.lib.format.open_memmap(job.into, mode="r+") if job.into else None
    answer_of = {answer: number for number, answer in enumerate(_CODES.answers)}
    kind_of = {name: number for number, name in enumerate(_CODES.questions)}
    questions, answers, written, counts = [], [], [], []
    told, told_counts, things = [], [], []
    for index in range(job.first, job.first + job.count):
        staged = build_scene(job.split, index, job.seed)
        if room is not None:
            room[index] = np.asarray(staged.draw())
        listed = asked(staged.scene, job.split, job.seed)
        questions += [_WORDS.numbers(question.text) for question in listed]
        answers += [answer_of.get(question.gold.best, -1) for question in listed]
        written += [kind_of.get(f"{_manner(question)} {question.kind}", -1) for question in listed]
        counts.append(len(listed))
        sentences = described(staged.scene, job.seed)
        told += [_WORDS.numbers(sentence) for sentence in sentences]
        told_counts.append(len(sentences))
        things.append(_things(staged.scene))
    return {
        "questions": _rows(questions),
        "answers": np.array(answers, np.int16),
        "kinds": np.array(written, np.int16),
        "counts": np.array(counts, np.int32),
        "captions": _rows(told),
        "caption_counts": np.array(told_counts, np.int32),
        "things": np.stack(things),
    }


def make(out: Path, split: str, count: int, seconds: float, seed: int, codes: Codes, workers: int) -> int:
    """Draw up to so many pictures of a split for so many seconds; how many there are."""
    out.mkdir(parents=True, exist_ok=True)
    count = max(count // CHUNK, 1) * CHUNK
    pictures = out / f"{split}-pictures.npy"
    np.lib.format.open_memmap(pictures, mode="w+", dtype=np.uint8, shape=(count, *SHAPE)).flush()
    jobs = [Job(split, first, CHUNK, seed, str(pictures)) for first in range(0, count, CHUNK)]
    end, parts = time.monotonic() + seconds, []
    with get_context("fork").Pool(workers, _start, (codes,)) as pool:
        for part in pool.imap(draw, jobs):
            parts.append(part)
            if time.monotonic() > end:
                break
        pool.terminate()
    texts: dict[str, Any] = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    np.savez(out / f"{split}.npz", **texts)
    drawn = len(texts["counts"])
    print(
        f"{split}: {drawn} pictures, {len(texts['answers'])} questions, {len(texts['captions'])} captions", flush=True
    )
    return drawn


def coded(seed: int, scenes: int, workers: int) -> Codes:
    """The vocabulary and the answers, from the texts of some scenes of the training split."""
    texts, answers, written, attributes = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    jobs = [Job("train", first, CHUNK, seed, "") for first in range(0, max(scenes, CHUNK), CHUNK)]
    with get_context("fork").Pool(workers) as pool:
        for found in pool.imap(survey, jobs):
            for total, part in zip((texts, answers, written, attributes), found, strict=True):
                total.update(part)
    return Codes(
        frequent_words(texts.elements()),
        tuple(sorted(answer for answer, number in answers.items() if number >= 2)),
        tuple(sorted(written)),
        tuple(kinds()),
        tuple(sorted(attributes)),
    )


def _manner(question: Question) -> str:
    return "vqa" if question.votes else "gqa"


def _rows(texts: Sequence[Sequence[int]]) -> NDArray[np.int16]:
    rows = np.zeros((len(texts), LENGTH), np.int16)
    for row, numbers in zip(rows, texts, strict=True):
        row[: len(numbers)] = numbers
    return rows


def _things(scene: Scene) -> NDArray[np.int16]:
    """One row a thing: x, y, width, height, kind, attributes; -1 where there is none."""
    rows = np.full((THINGS, 5 + ATTRIBUTES), -1, np.int16)
    rows[:, :4] = 0
    known = {name: number for number, name in enumerate(_CODES.kinds)}
    values = {name: number for number, name in enumerate(_CODES.attributes)}
    boxed = [thing for thing in scene if thing.box is not None and thing.name in known][:THINGS]
    for row, thing in zip(rows, boxed, strict=False):
        assert thing.box is not None
        row[:5] = thing.box.x, thing.box.y, thing.box.width, thing.box.height, known[thing.name]
        numbers = [values[attribute] for attribute in thing.attributes if attribute in values][:ATTRIBUTES]
        row[5 : 5 + len(numbers)] = numbers
    return rows


def main(arguments: Iterable[str] | None = None) -> None:
    """Draw the held-out pictures first, then training pictures for as long as there is time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pictures", type=int, default=120_000)
    parser.add_argument("--held", type=int, default=2_000)
    parser.add_argument("--survey", type=int, default=6_000)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--codes", type=Path, help="vocabulary and answers to use; found by a survey where not given")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    chosen = parser.parse_args(None if arguments is None else list(arguments))
    end = time.monotonic() + chosen.seconds
    chosen.out.mkdir(parents=True, exist_ok=True)
    codes = Codes.load(chosen.codes) if chosen.codes else coded(chosen.seed, chosen.survey, chosen.workers)
    codes.save(chosen.out / "codes.json")
    print(f"{len(codes.words)} words, {len(codes.answers)} answers, {len(codes.questions)} kinds", flush=True)
    for split, count in (("validation", chosen.held), ("train", chosen.pictures)):
        left = max(end - time.monotonic(), 5.0)
        make(chosen.out, split, count, left, chosen.seed, codes, chosen.workers)


if __name__ == "__main__":
    main()

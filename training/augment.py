"""Trains models twice, with and without questions in the manner of the suites, and compares them: CARETS, Table 5.

    python -m training.augment --out OUT --pictures 120000 --steps 20000 --runs 5

All else is equal: pictures, captions, plain questions, seeds, steps and batches. The added questions are 9.9 % of the
plain ones, on the same training pictures, in the mix of the suites. Words and answers that come in them are added to
the vocabulary, as they would have been had they been there from the start. Each model is trained so many times each
way, with seeds of its own, and the intervals of the gains are over these runs. A study that was stopped goes on from
what it has left in OUT: pictures, added questions, and models that were trained to the end. What another plan left
there is made anew.
"""

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from numpy.typing import NDArray
from torch import nn

from counterpoint import catalog
from counterpoint.core.groups import Group, Query
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.metrics.accuracy import (
    accuracy,
    base_accuracy,
    comprehensive_accuracy,
    self_consistency,
    variant_accuracy,
)
from counterpoint.metrics.intervals import Score, clustered_interval
from counterpoint.metrics.scoring import score_table
from counterpoint.models.builtin.onnx_graphs import Vocabulary
from counterpoint.store.groups import groups_table
from counterpoint.studies.augmentation import mix_questions, prove_disjoint, training_groups
from counterpoint.suites.families import carets
from counterpoint.suites.suite import generate_groups
from counterpoint.world.scene_building import picture_address
from counterpoint.world.source import World
from training import data as drawing
from training.codes import Codes, frequent_words
from training.comparison import AugmentationComparison, AugmentationScores, comparison_lines
from training.models import Texts
from training.train import Settings, train, unpacked

MODELS = ("cnn-lstm", "fusion")
SHARE = 0.099
"""Added questions as a share of the plain ones (CARETS, Table 5: 95,000 to 960,000)."""
PART = 4
"""Questions are added to one picture in so many: a suite asks far more of a scene than is needed."""
CONTRAST = "contrast"
"""The suite that is made from questions with their scenes, and scored by template: before and after, the paper asks."""
ASIDE = 64
"""How many pictures are looked at together when a model is examined."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is trained, on how much, and what it is examined on."""

    out: Path
    models: tuple[str, ...] = MODELS
    suites: tuple[str, ...] = ()  # the six tests of CARETS, where none is named
    pictures: int = 120_000
    held: int = 2_000
    survey: int = 6_000
    steps: int = 20_000
    batch: int = 512
    share: float = SHARE
    tests: int = 1_000  # scenes of the test split
    groups: int = 2_000  # of each suite, at most
    seed: int = 0  # of the pictures and questions, and of the first run
    runs: int = 1  # of training, each way
    jobs: int = 1  # models that are trained at a time

    @property
    def named(self) -> tuple[str, ...]:
        """The suites that are learned and tested."""
        return self.suites or carets.suites

    @property
    def drawn(self) -> dict[str, Any]:
        """What decides the pictures and their plain questions: a study that differs in it draws anew."""
        return {"pictures": self.pictures, "held": self.held, "survey": self.survey, "seed": self.seed}


@dataclass(frozen=True, slots=True)
class Exam:
    """What a model is asked in the end: groups by suite, and plain questions, all on pictures that it has not seen."""

    groups: Mapping[str, Sequence[Group]]
    plain: Sequence[Question]
    places: Mapping[Picture, int]
    drawn: Path  # all pictures, each at its place

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """All pictures, read from the disk when they are looked at."""
        return np.asarray(np.load(self.drawn, mmap_mode="r"))

    @classmethod
    def of(cls, plan: Plan) -> "Exam":
        """The suites and the plain questions of the test split, with all pictures drawn once, by all cores."""
        world = World("test", plan.tests, seed=plan.seed)
        plain = [*world.questions(), *(question for question in world.crowd_questions() if not question.same_as)]
        with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
            made = dict(zip(plan.named, pool.map(_tested, plan.named, repeat(plan)), strict=True))
            asked = [query.picture for groups in made.values() for group in groups for query in group.queries]
            shown = dict.fromkeys([*(one.picture for one in plain), *filter(None, asked)])
            places = {picture: place for place, picture in enumerate(shown)}
            into = plan.out / "exam-pictures.npy"
            shape = (len(places), *drawing.SHAPE)
            np.lib.format.open_memmap(into, mode="w+", dtype=np.uint8, shape=shape).flush()
            listed = list(places)
            starts = range(0, len(listed), ASIDE)
            list(pool.map(_draw, repeat(plan), starts, (listed[start : start + ASIDE] for start in starts)))
        return cls(made, plain, places, into)


def _tested(name: str, plan: Plan) -> list[Group]:
    """The groups of one suite on the test split, in a process of its own."""
    suite, world = catalog.find("suites", name), World("test", plan.tests, seed=plan.seed)
    ready = suite.configured({"means": world.means} if "means" in suite.required else {})
    items = list(getattr(world, suite.takes)())
    return [group for _, group in generate_groups(ready, items, plan.seed, plan.groups)]


def _draw(plan: Plan, start: int, pictures: Sequence[Picture]) -> None:
    """Pictures of the test split, put from a place on, in the size that models are trained on."""
    from PIL import Image

    world = World("test", plan.tests, seed=plan.seed)
    room = np.lib.format.open_memmap(plan.out / "exam-pictures.npy", mode="r+")
    height, width, _ = drawing.SHAPE
    for place, picture in enumerate(pictures, start):
        image = Image.fromarray(world.pixels(picture))
        room[place] = image.resize((width, height), Image.Resampling.BILINEAR)


def added(plan: Plan, pictures: int, plain: int) -> dict[str, list[Question]]:
    """The questions to add, in the manner of the suites, on the first of the training pictures, by suite."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        made = pool.map(_taught, plan.named, repeat(max(pictures // PART, 1)), repeat(plan.seed))
        groups = dict(zip(plan.named, made, strict=True))
    return mix_questions(groups, seed=plan.seed, limit=round(plan.share * plain))


def _taught(name: str, pictures: int, seed: int) -> list[Group]:
    """The groups of one suite on the training split, in a process of its own."""
    suite, world = catalog.find("suites", name), World("train", pictures, seed=seed)
    return training_groups(suite, list(getattr(world, suite.takes)()), seed)


def extended(before: Path, after: Path, questions: Sequence[Question]) -> Codes:
    """A copy of the data with more questions on its training pictures; the pictures themselves are shared."""
    after.mkdir(parents=True, exist_ok=True)
    codes = _widened(Codes.load(before / "codes.json"), questions)
    codes.save(after / "codes.json")
    for path in before.glob("*-pictures.npy"):
        _link(path, after / path.name)
    _link(before / "validation.npz", after / "validation.npz")
    stored = np.load(before / "train.npz")
    arrays = {name: stored[name] for name in stored.files}
    np.savez(after / "train.npz", **(arrays | _appended(arrays, codes, questions)))
    return codes


def _link(path: Path, link: Path) -> None:
    link.unlink(missing_ok=True)
    link.symlink_to(path.resolve())


def _widened(codes: Codes, questions: Sequence[Question]) -> Codes:
    """More words and answers, after those that there are, so that no number changes."""
    words = [word for word in frequent_words(question.text for question in questions) if word not in set(codes.words)]
    counts = Counter(question.gold.best for question in questions)
    answers = sorted(answer for answer, count in counts.items() if count >= 2 and answer not in set(codes.answers))
    return replace(codes, words=(*codes.words, *words), answers=(*codes.answers, *answers))


def _appended(arrays: Mapping[str, NDArray[Any]], codes: Codes, questions: Sequence[Question]) -> dict[str, Any]:
    """The arrays of questions with those of each picture's more, which come after its own."""
    words, answer_of = Vocabulary(codes.words), {answer: number for number, answer in enumerate(codes.answers)}
    more = np.zeros((len(questions), arrays["questions"].shape[1]), arrays["questions"].dtype)
    owner = np.array([int(Picture(question.picture.address).path[-10:-4]) for question in questions], np.int64)
    for row, one in zip(more, questions, strict=True):
        numbers = words.numbers(one.text)
        row[: len(numbers)] = numbers
    right = np.array([answer_of.get(question.gold.best, -1) for question in questions], arrays["answers"].dtype)
    order = np.argsort(
        np.concatenate([np.repeat(np.arange(len(arrays["counts"])), arrays["counts"]), owner]), kind="stable"
    )
    kinds = np.concatenate([arrays["kinds"], np.full(len(questions), -1, arrays["kinds"].dtype)])
    counts = arrays["counts"] + np.bincount(owner, minlength=len(arrays["counts"])).astype(arrays["counts"].dtype)
    return {
        "questions": np.concatenate([arrays["questions"], more])[order],
        "answers": np.concatenate([arrays["answers"], right])[order],
        "kinds": kinds[order],
        "counts": counts,
    }


@torch.no_grad()
def answered(model: nn.Module, codes: Codes, queries: Sequence[Query], exam: Exam) -> Iterator[tuple[int, str]]:
    """What a trained model answers, with the positions of the queries; each picture is looked at once."""
    device = next(model.parameters()).device
    words, by_picture = Vocabulary(codes.words), dict[Picture, list[int]]()
    for place, query in enumerate(queries):
        assert query.picture is not None, "the suites of scenes show a picture"
        by_picture.setdefault(query.picture, []).append(place)
    listed, pixels_of = list(by_picture.items()), exam.pixels
    for start in range(0, len(listed), ASIDE):
        some = listed[start : start + ASIDE]
        drawn = torch.from_numpy(pixels_of[[exam.places[picture] for picture, _ in some]]).to(device)
        pixels = (drawn.permute(0, 3, 1, 2).float() - 128.0) / 64.0
        each = max(len(places) for _, places in some)
        rows = [
            [words.numbers(queries[places[min(k, len(places) - 1)]].text) for k in range(each)] for _, places in some
        ]
        logits, _ = model(pixels, _texts([row for listed_rows in rows for row in listed_rows], each, device))
        best = logits.argmax(1).view(len(some), each).cpu().numpy()
        for (_, places), own in zip(some, best, strict=True):
            yield from ((place, codes.answers[own[k]]) for k, place in enumerate(places))


def _texts(rows: Sequence[Sequence[int]], each: int, device: torch.device) -> Texts:
    tokens = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
    for row, numbers in zip(tokens, rows, strict=True):
        row[: len(numbers)] = torch.tensor(numbers)
    tokens = tokens.to(device)
    return Texts(tokens, torch.cat([torch.ones_like(tokens[:, :1]), tokens > 0], dim=1).float(), each)


def examined(model: nn.Module, codes: Codes, exam: Exam) -> AugmentationScores:
    """ACC, CONS and C-ACC on each suite, and accuracy on plain questions."""
    model.eval()
    tests = {
        part: _scores(part, groups, model, codes, exam)
        for name, whole in exam.groups.items()
        for part, groups in _parts(name, whole).items()
        if groups
    }
    credit = np.zeros(len(exam.plain))
    for place, answer in answered(model, codes, [Query(one.picture, one.text) for one in exam.plain], exam):
        credit[place] = exam.plain[place].gold.credit(answer)
    return AugmentationScores(tests, clustered_interval(credit, np.array([one.picture.address for one in exam.plain])))


def _parts(name: str, groups: Sequence[Group]) -> dict[str, Sequence[Group]]:
    """A suite, and for contrast sets each of its templates too."""
    kinds = sorted({group.kind for group in groups}) if name == CONTRAST else []
    return {name: groups} | {kind: [group for group in groups if group.kind == kind] for kind in kinds}


def _scores(name: str, groups: Sequence[Group], model: nn.Module, codes: Codes, exam: Exam) -> dict[str, Score]:
    asked = list({query.id: query for group in groups for query in group.queries}.items())
    said = dict(answered(model, codes, [query for _, query in asked], exam))
    values = [said[place] for place in range(len(asked))]
    answers = pa.table(
        {
            "query": pa.array([number for number, _ in asked], pa.uint64()),
            "trial": pa.array([0] * len(asked), pa.uint16()),
            "raw": values,
            "value": values,
            "state": ["ok"] * len(asked),
            "score": pa.nulls(len(asked), pa.float64()),
        }
    )
    table = groups_table(((name, group) for group in groups), name)
    rules = pa.array(["exact"] * table.num_rows).dictionary_encode()
    measured = score_table(
        table.append_column("rules", rules),
        answers,
        by=("suite",),
        metrics=(accuracy, base_accuracy, variant_accuracy, self_consistency, comprehensive_accuracy),
    )
    told = (row for row in measured.to_pylist() if row["value"] is not None)
    return {row["metric"]: Score(row["value"], row["low"], row["high"], row["n"]) for row in told}


def study(plan: Plan) -> list[AugmentationComparison]:
    """Draw, add, train each model on both, and examine all of them on the same questions."""
    plain, wider = plan.out / "plain", plan.out / "augmented"
    draw_once(plan, plain)
    counts = np.load(plain / "train.npz")["counts"]
    more = add_once(plan, counts, plain, wider)
    told = ", ".join(f"{name} {number}" for name, number in more.items())
    print(f"{counts.sum()} questions, and {sum(more.values())} added: {told}", flush=True)
    exam, found = Exam.of(plan), list[AugmentationComparison]()
    learned = (picture_address("train", index, plan.seed) for index in range(len(counts)))
    prove_disjoint(learned, (picture.address for picture in exam.places))
    trainings = [(name, folder, run) for name in plan.models for folder in (plain, wider) for run in range(plan.runs)]
    with ProcessPoolExecutor(plan.jobs, mp_context=get_context("spawn")) as pool:
        figures = list(pool.map(train_once, *zip(*trainings, strict=True), repeat(plan), repeat(exam)))
    for place, name in enumerate(plan.models):
        own = figures[2 * place * plan.runs : 2 * (place + 1) * plan.runs]
        found.append(AugmentationComparison(name, own[: plan.runs], own[plan.runs :]))
    return found


def draw_once(plan: Plan, plain: Path) -> None:
    """Draw the pictures with their plain questions, unless those of the same plan are there."""
    if _noted(plain / "drawn.json") == {"plan": plan.drawn}:
        return
    _forget(plain)
    workers = os.cpu_count() or 1
    codes = drawing.coded(plan.seed, plan.survey, workers)
    codes.save(plain / "codes.json")
    for split, count in (("validation", plan.held), ("train", plan.pictures)):
        drawing.make(plain, split, count, float("inf"), plan.seed, codes, workers)
    (plain / "drawn.json").write_text(json.dumps({"plan": plan.drawn}), "utf-8")


def add_once(plan: Plan, counts: NDArray[Any], plain: Path, wider: Path) -> dict[str, int]:
    """How many questions of each suite were added; they are made unless those of the same plan are there."""
    wanted = plan.drawn | {"suites": list(plan.named), "share": plan.share}
    found = _noted(wider / "added.json")
    if found.get("plan") == wanted:
        return dict(found["added"])
    _forget(wider)
    more = added(plan, len(counts), int(counts.sum()))
    extended(plain, wider, [question for questions in more.values() for question in questions])
    numbers = {name: len(questions) for name, questions in more.items()}
    (wider / "added.json").write_text(json.dumps({"plan": wanted, "added": numbers}), "utf-8")
    return numbers


def train_once(name: str, data: Path, run: int, plan: Plan, exam: Exam) -> AugmentationScores:
    """What a model scores that was trained on some data, now or by a study that was stopped later."""
    settings = Settings(1.0, batch=plan.batch, seed=plan.seed + run, steps=plan.steps)
    into = data / f"run-{run}"
    into.mkdir(exist_ok=True)
    report = _noted(into / f"{name}.json")  # written when the training has come to its end
    if report.get("settings") != asdict(settings):
        train(name, data, into, settings)
    model, _ = unpacked(into / f"{name}.pt")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return examined(model.to(device), Codes.load(data / "codes.json"), exam)


def _noted(path: Path) -> dict[str, Any]:
    """What an earlier study noted; nothing if it did not come so far."""
    return dict(json.loads(path.read_text("utf-8"))) if path.exists() else {}


def _forget(folder: Path) -> None:
    """Leave no report of a model in a folder whose data is made anew."""
    folder.mkdir(parents=True, exist_ok=True)
    for report in folder.glob("run-*/*.json"):
        report.unlink()


def main(arguments: Iterable[str] | None = None) -> None:
    """Read the arguments, run the study, print it, and keep its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--models", nargs="*", default=MODELS, choices=MODELS)
    parser.add_argument("--suites", nargs="*", default=())
    for name in ("pictures", "held", "survey", "steps", "batch", "tests", "groups", "seed", "runs", "jobs"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Plan(Path()), name))
    parser.add_argument("--share", type=float, default=SHARE)
    chosen = vars(parser.parse_args(None if arguments is None else list(arguments)))
    plan = Plan(**(chosen | {"models": tuple(chosen["models"]), "suites": tuple(chosen["suites"])}))
    plan.out.mkdir(parents=True, exist_ok=True)
    found = study(plan)
    (plan.out / "augment.json").write_text(json.dumps([asdict(one) for one in found], indent=1), "utf-8")
    print("\n".join(comparison_lines(found)), flush=True)


if __name__ == "__main__":
    main()

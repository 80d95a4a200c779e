"""Trains a small model on the world, evaluates it every so many steps as a version of one model, and shows its history.

    python -m training.checkpoint_series --out SERIES
    counterpoint serve SERIES/lab

The model is the built-in `fusion`, which was trained without a single negated question: its picture encoder is frozen,
the layers that read the question and answer it are trained on. The middle third of the training has negated questions
in its mix, the first and the last third only plain ones. All pictures are of the train split; the suites are made from
the test split.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

import counterpoint as cp
from counterpoint import catalog
from counterpoint.core.groups import Answer, Query
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import PlacedAnswer
from counterpoint.models.builtin.models import fusion
from counterpoint.models.builtin.onnx_graphs import WEIGHTS, ModelCard, Vocabulary
from counterpoint.studies.augmentation import mix_questions, training_groups
from counterpoint.world.source import World
from training.codes import frequent_words
from training.models import resting
from training.networks import Reader, Reasoner

Floats: TypeAlias = NDArray[np.float32]
Encoder: TypeAlias = Callable[[Sequence[Picture]], Floats]
"""The cells of each picture: one row of features per cell."""
NAME = "small-vlm"
SUITES = ("negation", "antonym", "order", "rephrase", "plain")
TOP = 5
ANSWERED_AT_ONCE = 64
"""Queries of a checkpoint that are answered together."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is learned and tested; the second third of the steps has so large a `share` of negated questions."""

    scenes: int = 800
    tests: int = 300  # scenes of the test split
    groups: int = 500  # of each suite, at most
    steps: int = 600
    every: int = 50  # steps from one checkpoint to the next
    batch: int = 32
    share: float = 0.4
    rate: float = 3e-4
    seed: int = 0

    def has_negation(self, step: int) -> bool:
        """Whether negated questions are in the mix at this step."""
        return self.steps <= 3 * step < 2 * self.steps


class PictureEncoder:
    """What the frozen encoder sees in the pictures of a world, each encoded once."""

    def __init__(self, world: World) -> None:
        self._model = fusion(world)
        self._seen: dict[Picture, Floats] = {}

    def __call__(self, pictures: Sequence[Picture]) -> Floats:
        """The cells of each picture."""
        for picture in dict.fromkeys(pictures):
            if picture not in self._seen:
                self._seen[picture] = self._model.picture_features([Query(picture, "")])[0]
        return np.stack([self._seen[picture] for picture in pictures])


class SmallNetwork(nn.Module):
    """The part of `fusion` that is trained on: words that attend to the cells of a picture, and an answer."""

    def __init__(self, words: int, answers: int, *, width: int = 128, cells: int = 96) -> None:
        super().__init__()
        self.reader = Reader(words, width, layers=2)
        self.reasoner = Reasoner(width, cells, answers, layers=3)

    def forward(self, tokens: Tensor, present: Tensor, cells: Tensor) -> Tensor:
        """One row of numbers per question, the highest for its answer."""
        mask = resting(len(tokens), self.reasoner.units, on=self.training, like=cells)
        _, end = self.reasoner.reasoned(cells, self.reader(tokens, present), present, mask)
        return self.reasoner.said(end, mask)

    @classmethod
    def from_graphs(cls, folder: Path, words: Vocabulary) -> "SmallNetwork":
        """The network with the weights of a built-in model; words that it did not know keep their first numbers."""
        card = ModelCard.read(folder / "card.json")
        network = cls(len(words), len(card.answers))
        weights = {
            name: torch.from_numpy(value)
            for part in ("text", "answer")
            for name, value in _weights(folder / f"{part}.onnx")
        }
        known = weights.pop("reader.words.weight")
        assert words.known[: len(card.vocabulary)] == card.vocabulary, "new words come after those of the model"
        missing, unexpected = network.load_state_dict(weights, strict=False)
        assert (missing, unexpected) == (["reader.words.weight"], []), (
            f"{folder} has other layers: {missing}, {unexpected}"
        )
        network.reader.words.weight.data[: len(known)] = known
        return network


def _weights(path: Path) -> Iterator[tuple[str, Floats]]:
    """The weights of an exported graph by their names in torch.

    A linear layer is exported as a product with an unnamed, transposed matrix and a sum with its bias, which is named.
    """
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(path).graph
    values = {
        tensor.name.removesuffix("_half"): numpy_helper.to_array(tensor).astype(np.float32)
        for tensor in graph.initializer
    }
    sums = {name: node for node in graph.node if node.op_type == "Add" for name in node.input}
    for name, value in values.items():
        if name.startswith("model."):
            yield name.removeprefix("model."), value
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in values:
            (bias,) = (name for name in sums[node.output[0]].input if name in values)
            yield bias.removeprefix("model.").removesuffix("bias") + "weight", values[node.input[1]].T.copy()


class Checkpoint:
    """The network as it is after some steps, as a model of Counterpoint."""

    def __init__(self, network: SmallNetwork, words: Vocabulary, answers: Sequence[str], encoder: Encoder) -> None:
        self._network, self._words, self._answers, self._encoder = network, words, answers, encoder
        weights = blake2b(digest_size=8)
        for tensor in network.state_dict().values():
            weights.update(tensor.numpy().tobytes())
        self.fingerprint = f"{NAME} {weights.hexdigest()}"

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers with the probabilities of the likeliest; questions of one length are answered together."""
        order = sorted(range(len(queries)), key=lambda place: len(self._words.numbers(queries[place].text)))
        for start in range(0, len(order), ANSWERED_AT_ONCE):
            places = order[start : start + ANSWERED_AT_ONCE]
            likely = self._likely([queries[place] for place in places])
            yield from zip(places, likely, strict=True)

    def _likely(self, queries: Sequence[Query]) -> Iterator[Answer]:
        cells = torch.from_numpy(self._encoder([query.picture or Picture("") for query in queries]))
        self._network.eval()
        with torch.no_grad():
            logits = self._network(*encode_texts(self._words, [query.text for query in queries]), cells)
        likely = torch.softmax(logits, 1).topk(min(TOP, len(self._answers)))
        for shares, numbers in zip(*(own.tolist() for own in likely), strict=True):
            top = tuple((self._answers[number], share) for number, share in zip(numbers, shares, strict=True))
            yield Answer.of(top[0][0], top=top)


def encode_texts(words: Vocabulary, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
    """The words of texts as numbers, and ones where the slot and the words are."""
    rows = [words.numbers(text) for text in texts]
    longest = max(map(len, rows))
    tokens = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    present = torch.tensor([[1.0] * (1 + len(row)) + [0.0] * (longest - len(row)) for row in rows])
    return tokens, present


@dataclass(frozen=True, slots=True)
class Lesson:
    """Questions to learn from: words, pictures and the numbers of the right answers."""

    texts: tuple[str, ...]
    pictures: tuple[Picture, ...]
    answers: Tensor

    @classmethod
    def of(cls, questions: Sequence[Question], answers: Sequence[str]) -> "Lesson":
        """The questions whose answers are known."""
        numbers = {answer: number for number, answer in enumerate(answers)}
        known = [question for question in questions if question.gold.best in numbers]
        return cls(
            tuple(question.text for question in known),
            tuple(question.picture for question in known),
            torch.tensor([numbers[question.gold.best] for question in known]),
        )

    def loss(self, network: SmallNetwork, words: Vocabulary, encoder: Encoder, places: Sequence[int]) -> Tensor:
        """The mean cross-entropy of some questions."""
        texts = encode_texts(words, [self.texts[place] for place in places])
        cells = torch.from_numpy(encoder([self.pictures[place] for place in places]))
        network.train()
        return functional.cross_entropy(network(*texts, cells), self.answers[list(places)])


def checkpoints(plan: Plan, folder: Path) -> Iterator[tuple[int, Checkpoint]]:
    """Train, and yield the model every so many steps; its weights are saved beside each other."""
    torch.manual_seed(plan.seed)
    world = World("train", plan.scenes, seed=plan.seed)
    card = ModelCard.read(WEIGHTS / "fusion" / "card.json")
    plain = list(world.questions())
    groups = training_groups(catalog.find("suites", "negation"), list(world.scenes()), plan.seed)
    negated = mix_questions({"negation": groups}, seed=plan.seed, limit=len(plain) // 2)["negation"]
    new = frequent_words(question.text for question in negated)
    words = Vocabulary((*card.vocabulary, *(word for word in new if word not in card.vocabulary)))
    lessons = [Lesson.of(questions, card.answers) for questions in (plain, negated)]
    network = SmallNetwork.from_graphs(WEIGHTS / "fusion", words)
    learned, tested = (PictureEncoder(own) for own in (world, World("test", plan.tests, seed=plan.seed)))
    optimizer = torch.optim.Adam(network.parameters(), plan.rate)
    for step in range(1, plan.steps + 1):
        extra = round(plan.batch * plan.share) if plan.has_negation(step - 1) else 0
        losses = [
            lesson.loss(network, words, learned, torch.randint(len(lesson.texts), (size,)).tolist()) * size / plan.batch
            for lesson, size in zip(lessons, (plan.batch - extra, extra), strict=True)
            if size
        ]
        optimizer.zero_grad()
        torch.stack(losses).sum().backward()
        optimizer.step()
        if step % plan.every == 0:
            torch.save(network.state_dict(), folder / f"step-{step}.pt")
            yield step, Checkpoint(network, words, card.answers, tested)


def make_series(plan: Plan, out: Path) -> cp.Lab:
    """Make the suites, train, and evaluate every checkpoint as a version of one model in a lab."""
    lab = cp.Lab(out / "lab")
    lab.generate(*SUITES, items=plan.tests, limit=plan.groups, seed=plan.seed)
    for step, model in checkpoints(plan, out):
        cp.evaluate(model, lab, name=NAME, version=f"step-{step}", suites=SUITES, batch_size=256)
        print(f"step {step} of {plan.steps}", flush=True)
    return lab


def main(arguments: Iterable[str] | None = None) -> None:
    """Read the arguments, make the series and print the history of negation, and what changed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    for field in fields(Plan):
        parser.add_argument(f"--{field.name}", type=type(field.default), default=field.default)
    chosen = vars(parser.parse_args(None if arguments is None else list(arguments)))
    out = chosen.pop("out")
    out.mkdir(parents=True)
    lab = make_series(Plan(**chosen), out)
    print(lab.history(NAME, suites=["negation"]))


if __name__ == "__main__":
    main()

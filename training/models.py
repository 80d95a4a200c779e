"""The five models put together, each with the loss it learns by; every part can be called by itself, for export."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.networks import (
    Annotator,
    GridEye,
    LastStates,
    Perceptron,
    PlainEye,
    Reader,
    Reasoner,
    Sizes,
    waves,
)

DROPOUT = 26 / 256
"""The share of units that rest; in 256ths, since masks are drawn from bytes."""
HELPERS = ("annotator.", "census.", "pointer.", "pointer_middle.")
"""How the weights are named that only help training and are not kept."""
Terms = dict[str, tuple[float, Tensor]]
"""What a model learns by: losses by name, each with its weight."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Word numbers (texts, words) and ones where the slot and the words are (texts, 1 + words), picture by picture."""

    tokens: Tensor
    present: Tensor
    each: int = 1  # how many texts in a row belong to one picture


@dataclass(frozen=True, slots=True)
class Things:
    """What stands in the pictures of a batch: boxes, kinds (-1 for none), many-hot attributes."""

    boxes: Tensor
    kinds: Tensor
    attributes: Tensor


@dataclass(frozen=True, slots=True)
class Pointed:
    """A text a picture that names a thing, and where its middle is (pictures, 2: across and down, from -1 to 1)."""

    texts: Texts
    places: Tensor
    known: Tensor  # ones where there is such a thing (pictures), else zeros


@dataclass(frozen=True, slots=True)
class Batch:
    """Pictures with some questions and captions on each."""

    pictures: Tensor  # normal pixels
    things: Things
    questions: Texts
    answers: Tensor
    captions: Texts
    pointed: Pointed


def resting(rows: int, units: int, *, on: bool, like: Tensor) -> Tensor:
    """A dropout mask: ones when off, else what is kept, scaled so that the sum stays."""
    ones = torch.ones(rows, units, device=like.device)
    return functional.dropout(ones, DROPOUT) if on else ones


def answer_loss(logits: Tensor, answers: Tensor) -> Tensor:
    """Cross-entropy with a little smoothing."""
    return functional.cross_entropy(logits.float(), answers, label_smoothing=0.02, ignore_index=-1)


def side_by_side(parts: Sequence[Texts]) -> Texts:
    """Several texts a picture out of one from each part, all padded to the longest."""
    longest = max(part.tokens.shape[1] for part in parts)
    tokens, present = (
        torch.stack([functional.pad(rows, (0, longest + more - rows.shape[1])) for rows in listed], dim=1).flatten(0, 1)
        for more, listed in ((0, [part.tokens for part in parts]), (1, [part.present for part in parts]))
    )
    return Texts(tokens, present, len(parts))


class Fusion(nn.Module):
    """Words attend to the cells of the picture; it answers, and says whether a sentence fits."""

    sees = ("picture", "text")
    cells, width = 96, 128

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.eye = GridEye(self.cells)
        self.where = nn.Parameter(waves(self.cells))
        self.reader = Reader(sizes.words, self.width, layers=2)
        self.reasoner = Reasoner(self.width, self.cells, sizes.answers, layers=3)
        self.annotator = Annotator(self.cells, sizes)
        self.pointer, self.pointer_middle = nn.Linear(self.width, 2), nn.Linear(self.width, 2)
        self.units = self.reasoner.units

    def picture(self, pixels: Tensor) -> Tensor:
        """Features of the cells, row by row."""
        return self.placed(self.eye(pixels))

    def placed(self, grid: Tensor) -> Tensor:
        """The grid as a row of cells that know where they are."""
        return grid.flatten(2).transpose(1, 2) + self.where.to(grid.dtype)

    def text(self, tokens: Tensor, present: Tensor) -> Tensor:
        """Features of the slot and the words."""
        read: Tensor = self.reader(tokens, present)
        return read

    def answer(self, picture: Tensor, text: Tensor, present: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of answers, and of fitting."""
        said: tuple[Tensor, Tensor] = self.reasoner(picture, text, present, mask)
        return said

    def forward(self, pixels: Tensor, texts: Texts) -> tuple[Tensor, Tensor]:
        """Logits for texts on pictures."""
        _, end, mask = self._reasoned(self.picture(pixels), texts)
        return self.reasoner.said(end, mask), self.reasoner.fitting(end, mask)

    def _reasoned(self, cells: Tensor, texts: Texts) -> tuple[Tensor, Tensor, Tensor]:
        mask = resting(len(texts.tokens), self.units, on=self.training, like=cells)
        read = self.text(texts.tokens, texts.present)
        middle, end = self.reasoner.reasoned(cells, read, texts.present, mask, texts.each)
        return middle, end, mask

    def loss(self, batch: Batch, progress: float) -> Terms:
        """Right answers, captions told from those of other pictures, names for what is drawn, things pointed at."""
        grid = self.eye(batch.pictures)
        things = self.annotator(grid, batch.things.boxes, batch.things.kinds, batch.things.attributes)
        cells = self.placed(grid)
        _, end, mask = self._reasoned(cells, batch.questions)
        answers = answer_loss(self.reasoner.said(end, mask), batch.answers)
        own, named = batch.captions, batch.pointed
        texts = side_by_side((own, Texts(own.tokens.roll(1, 0), own.present.roll(1, 0)), named.texts))
        middle, end, mask = self._reasoned(cells, texts)
        fits = self.reasoner.fitting(end, mask).float().view(-1, 3)
        matching = functional.softplus(-fits[:, 0]).mean() + functional.softplus(fits[:, 1]).mean()
        ends = named.texts.present.sum(1).long() - 1
        words = middle[2::3].gather(1, ends.view(-1, 1, 1).expand(-1, 1, self.width)).squeeze(1)
        pointing = pointing_loss(self.pointer(end[2::3]), named) + pointing_loss(self.pointer_middle(words), named)
        return {
            "answers": (1.0, answers),
            "matching": (0.25, matching),
            "things": (_help(progress), things),
            "pointing": (2.0 * _help(progress), pointing),
        }


class CnnLstm(nn.Module):
    """A six-layer CNN and a bidirectional LSTM, put side by side before a perceptron of two layers."""

    sees = ("picture", "text")
    vector, hidden, inner = 512, 128, 768

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.eye = PlainEye(self.vector)
        self.reader = LastStates(sizes.words, 128, self.hidden)
        self.head = Perceptron(self.vector + 2 * self.hidden, self.inner, sizes.answers)
        self.annotator = Annotator(self.eye.grid_width, sizes)
        self.census = nn.Linear(self.vector, sizes.kinds * (1 + sizes.attributes))
        nn.init.constant_(self.census.bias, -5.0)
        self.units = self.head.units

    def picture(self, pixels: Tensor) -> Tensor:
        """The picture's vector."""
        seen: Tensor = self.eye(pixels)
        return seen

    def text(self, tokens: Tensor, present: Tensor) -> Tensor:
        """The text's vector."""
        read: Tensor = self.reader(tokens, present)
        return read

    def answer(self, picture: Tensor, text: Tensor, mask: Tensor) -> Tensor:
        """Logits of answers."""
        said: Tensor = self.head(torch.cat([picture, text], dim=1), mask)
        return said

    def forward(self, pixels: Tensor, texts: Texts) -> tuple[Tensor, None]:
        """Logits for texts on pictures."""
        return self._said(self.picture(pixels), texts), None

    def _said(self, vectors: Tensor, texts: Texts) -> Tensor:
        mask = resting(len(texts.tokens), self.units, on=self.training, like=vectors)
        return self.answer(vectors.repeat_interleave(texts.each, 0), self.text(texts.tokens, texts.present), mask)

    def loss(self, batch: Batch, progress: float) -> Terms:
        """Right answers, and right names for what is drawn."""
        grid = self.eye.grid(batch.pictures)
        vectors = self.eye.vector(grid)
        things = self.annotator(grid, batch.things.boxes, batch.things.kinds, batch.things.attributes)
        things = things + inventory_loss(self.census(vectors), batch.things)
        answers = answer_loss(self._said(vectors, batch.questions), batch.answers)
        return {"answers": (1.0, answers), "things": (_help(progress), things)}


class QuestionOnly(nn.Module):
    """The LSTM and the perceptron without a picture: what can be guessed from the question alone."""

    sees = ("text",)

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.reader = LastStates(sizes.words, 128, 128)
        self.head = Perceptron(256, 256, sizes.answers)
        self.units = self.head.units

    def text(self, tokens: Tensor, present: Tensor) -> Tensor:
        """The text's vector."""
        read: Tensor = self.reader(tokens, present)
        return read

    def answer(self, text: Tensor, mask: Tensor) -> Tensor:
        """Logits of answers."""
        said: Tensor = self.head(text, mask)
        return said

    def forward(self, pixels: Tensor, texts: Texts) -> tuple[Tensor, None]:
        """Logits for texts; pictures are not looked at."""
        read = self.text(texts.tokens, texts.present)
        return self.answer(read, resting(len(read), self.units, on=self.training, like=read)), None

    def loss(self, batch: Batch, progress: float) -> Terms:
        """Right answers."""
        return {"answers": (1.0, answer_loss(self(batch.pictures, batch.questions)[0], batch.answers))}


class PictureOnly(nn.Module):
    """A smaller CNN and the perceptron without a question: what people would most likely be asked and answer."""

    sees = ("picture",)

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.eye = PlainEye(128, widths=(16, 24, 32, 48, 64, 64))
        self.head = Perceptron(128, 256, sizes.answers)
        self.census = nn.Linear(128, sizes.kinds)
        self.units = self.head.units

    def picture(self, pixels: Tensor) -> Tensor:
        """The picture's vector."""
        seen: Tensor = self.eye(pixels)
        return seen

    def answer(self, picture: Tensor, mask: Tensor) -> Tensor:
        """Logits of answers."""
        said: Tensor = self.head(picture, mask)
        return said

    def forward(self, pixels: Tensor, texts: Texts) -> tuple[Tensor, None]:
        """Logits for pictures, the same for each text on one."""
        seen = self.picture(pixels)
        said = self.answer(seen, resting(len(seen), self.units, on=self.training, like=seen))
        return said.repeat_interleave(texts.each, 0), None

    def loss(self, batch: Batch, progress: float) -> Terms:
        """Right answers, and right names for what is there."""
        seen = self.picture(batch.pictures)
        said = self.answer(seen, resting(len(seen), self.units, on=self.training, like=seen))
        there = census_loss(self.census(seen), batch.things.kinds)
        answers = answer_loss(said.repeat_interleave(batch.questions.each, 0), batch.answers)
        return {"answers": (1.0, answers), "things": (_help(progress), there)}


class TwoTower(nn.Module):
    """One vector a picture, one vector a sentence, near each other where the sentence fits."""

    sees = ("picture", "text")
    vector, cells = 128, 128

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.eye = GridEye(self.cells, widths=(32, 48, 96))
        self.seen = nn.Linear(2 * self.cells, self.vector)
        self.reader = Reader(sizes.words, 128, layers=2)
        self.read = nn.Linear(128, self.vector)
        self.annotator = Annotator(self.cells, sizes)
        self.warmth = nn.Parameter(torch.tensor(2.0))
        self.units = self.vector

    def picture(self, pixels: Tensor) -> Tensor:
        """The picture's vector, of length one."""
        return self.pooled(self.eye(pixels))

    def pooled(self, grid: Tensor) -> Tensor:
        """What is seen anywhere, and how much of it there is."""
        cells = torch.relu(grid).flatten(2)
        return functional.normalize(self.seen(torch.cat([cells.amax(2), cells.mean(2)], dim=1)).float(), dim=1)

    def text(self, tokens: Tensor, present: Tensor) -> Tensor:
        """The sentence's vector, of length one."""
        return functional.normalize(self.read(self.reader(tokens, present)[:, 0]).float(), dim=1)

    def answer(self, picture: Tensor, text: Tensor, mask: Tensor) -> Tensor:
        """How near the two vectors are: their cosine."""
        return (picture * text * mask).sum(1, keepdim=True)

    def forward(self, pixels: Tensor, texts: Texts) -> tuple[None, Tensor]:
        """Nearness of texts and pictures."""
        seen, read = self.picture(pixels), self.text(texts.tokens, texts.present)
        return None, self.answer(seen.repeat_interleave(texts.each, 0), read, torch.ones_like(read))

    def loss(self, batch: Batch, progress: float) -> Terms:
        """Each picture finds its caption among all others of the batch, each caption its picture."""
        grid = self.eye(batch.pictures)
        things = self.annotator(grid, batch.things.boxes, batch.things.kinds, batch.things.attributes)
        seen, read = self.pooled(grid), self.text(batch.captions.tokens, batch.captions.present)
        mask = resting(1, self.units, on=self.training, like=seen)
        with torch.autocast(seen.device.type, enabled=False):
            near = (seen * mask) @ read.T * self.warmth.clamp(max=4.0).exp()
        own = torch.arange(len(seen), device=seen.device)
        both = functional.cross_entropy(near, own) + functional.cross_entropy(near.T, own)
        return {"matching": (1.0, both), "things": (_help(progress), things)}


MODELS: dict[str, type[Fusion | CnnLstm | QuestionOnly | PictureOnly | TwoTower]] = {
    "fusion": Fusion,
    "cnn-lstm": CnnLstm,
    "question-only": QuestionOnly,
    "picture-only": PictureOnly,
    "two-tower": TwoTower,
}


def pointing_loss(found: Tensor, pointed: Pointed) -> Tensor:
    """How far off the places found are, over the pictures in which there is something to point at."""
    off = functional.smooth_l1_loss(found.float(), pointed.places, reduction="none", beta=0.25).mean(1)
    return (off * pointed.known).sum() / pointed.known.sum().clamp(min=1)


def census_loss(logits: Tensor, kinds: Tensor) -> Tensor:
    """Which kinds are anywhere in the picture."""
    there = torch.zeros(len(kinds), logits.shape[1] + 1, device=logits.device).scatter_(1, kinds + 1, 1.0)[:, 1:]
    return functional.binary_cross_entropy_with_logits(logits.float(), there) * 10


def inventory_loss(logits: Tensor, things: Things) -> Tensor:
    """Which kinds are anywhere in the picture, and with which attributes: what one vector must keep apart."""
    values = torch.cat([torch.ones_like(things.attributes[..., :1]), things.attributes], dim=2)
    kinds = logits.shape[1] // values.shape[2]
    there = torch.zeros(len(logits), kinds + 1, values.shape[2], device=logits.device)
    there.scatter_add_(1, (things.kinds + 1).unsqueeze(2).expand_as(values), values)
    wanted = there[:, 1:].clamp(max=1).flatten(1)
    return functional.binary_cross_entropy_with_logits(logits.float(), wanted) * 40


def _help(progress: float) -> float:
    return 1.0 - 0.8 * progress

"""The networks of the built-in models, each in the three parts that are exported: picture, text, answer."""

from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

ROWS, COLUMNS = 15, 20
"""The grid of a 240 × 320 picture in cells of 16 × 16 pixels."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """What the data decides about a network: how many words, answers, kinds and attributes there are."""

    words: int
    answers: int
    kinds: int
    attributes: int


def normal(pixels: Tensor) -> Tensor:
    """Pixels from 0 to 255 (pictures, 3, height, width) as numbers about zero; 128 and 64 are exact in eight bits."""
    return (pixels - 128.0) / 64.0


def conv(inputs: int, outputs: int, *, side: int = 3, stride: int = 1, active: bool = True) -> nn.Sequential:
    """A convolution with its normalisation, which is folded into it before export."""
    layers: list[nn.Module] = [
        nn.Conv2d(inputs, outputs, side, stride, 0 if side == stride else side // 2, bias=False),
        nn.BatchNorm2d(outputs),
    ]
    return nn.Sequential(*layers, nn.ReLU(inplace=True)) if active else nn.Sequential(*layers)


class Residual(nn.Module):
    """Two convolutions beside a short cut."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.body = nn.Sequential(conv(width, inner), conv(inner, width, active=False))

    def forward(self, x: Tensor) -> Tensor:
        """The input plus what two convolutions make of it."""
        return torch.relu(x + self.body(x))


class GridEye(nn.Module):
    """A picture as a grid of features, one for each cell of 16 × 16 pixels."""

    def __init__(self, outputs: int, *, widths: tuple[int, int, int] = (32, 48, 128)) -> None:
        super().__init__()
        a, b, c = widths
        self.trunk = nn.Sequential(
            conv(3, a, side=4, stride=4),
            conv(a, b, stride=2),
            Residual(b, b),
            conv(b, c, stride=2),
            Residual(c, c // 2),
            Residual(c, c // 2),
            conv(c, outputs, side=1, active=False),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Normal pixels (pictures, 3, 240, 320) in, features (pictures, outputs, 15, 20) out."""
        return cast(Tensor, self.trunk(x))


class PlainEye(nn.Module):
    """Six convolutions of stride two; `grid` is the map at 15 × 20, `flat` the last one laid out in a row."""

    def __init__(self, outputs: int, *, widths: tuple[int, ...] = (16, 32, 64, 96, 128, 128)) -> None:
        super().__init__()
        sides = [conv(i, o, stride=2) for i, o in zip((3, *widths[:-1]), widths, strict=True)]
        self.near, self.far = nn.Sequential(*sides[:4]), nn.Sequential(*sides[4:])
        self.flat = nn.Linear(widths[-1] * 4 * 5, outputs)
        self.grid_width = widths[3]

    def grid(self, x: Tensor) -> Tensor:
        """The map after four convolutions."""
        return cast(Tensor, self.near(x))

    def vector(self, grid: Tensor) -> Tensor:
        """The picture's vector, from that map; every place of the last map keeps its own weights."""
        return torch.relu(self.flat(self.far(grid).flatten(1)))

    def forward(self, x: Tensor) -> Tensor:
        """Normal pixels in, one vector a picture out."""
        return self.vector(self.grid(x))


class Attention(nn.Module):
    """Tokens look at each other, those that are padding excepted."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x: Tensor, hidden: Tensor, *, slot: bool = False) -> Tensor:
        """Tokens (texts, places, width), and large negative numbers (texts, 1, 1, places) where there is padding.

        Where only the slot is wanted, only the slot looks around.
        """
        query = self._split(self.query(x[:, :1] if slot else x))
        key, value = self._split(self.key(x)), self._split(self.value(x))
        weights = torch.softmax(query @ key.transpose(2, 3) * self.size**-0.5 + hidden, dim=-1)
        return cast(Tensor, self.out((weights @ value).transpose(1, 2).flatten(2)))

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(2, (self.heads, self.size)).transpose(1, 2)


class Look(nn.Module):
    """Tokens look at the cells of a picture: some heads pick a place, the last gathers from all places that fit.

    Cells are keys and values for every head as they are, so nothing is computed for cells at answering time. The heads
    that gather add up instead of averaging, without which a number of things could not be told.
    """

    def __init__(self, width: int, cells: int, *, picking: int = 3, gathering: int = 1) -> None:
        super().__init__()
        self.picking, self.heads, self.cells = picking, picking + gathering, cells
        self.query = nn.Linear(width, self.heads * cells)
        self.out = nn.Linear(self.heads * cells, width)
        self.threshold = nn.Parameter(torch.full((1, gathering, 1, 1), -3.0))

    def forward(self, x: Tensor, cells: Tensor, each: int = 1) -> Tensor:
        """Tokens (texts, places, width) and cells (pictures, 300, cells), with `each` texts in a row on one picture."""
        places = x.shape[1]
        query = self.query(x).unflatten(2, (self.heads, self.cells)).transpose(1, 2)  # texts, heads, places, cells
        fit = self._by_picture(query, each) @ cells.transpose(1, 2) * self.cells**-0.5
        fit = fit.unflatten(1, (each * self.heads, places)).unflatten(1, (each, self.heads)).flatten(0, 1)
        picked = torch.softmax(fit[:, : self.picking], dim=-1)
        gathered = torch.sigmoid(fit[:, self.picking :] + self.threshold) * 0.125
        weights = torch.cat([picked.to(cells.dtype), gathered.to(cells.dtype)], dim=1)
        seen = self._by_picture(weights, each) @ cells
        seen = seen.unflatten(1, (each * self.heads, places)).unflatten(1, (each, self.heads)).flatten(0, 1)
        return cast(Tensor, self.out(seen.transpose(1, 2).flatten(2)))

    @staticmethod
    def _by_picture(x: Tensor, each: int) -> Tensor:
        return x.flatten(1, 2) if each == 1 else x.unflatten(0, (-1, each)).flatten(1, 3)


def thinking(width: int, inner: int) -> nn.Sequential:
    """What each token does by itself between two looks."""
    return nn.Sequential(nn.LayerNorm(width), nn.Linear(width, inner), nn.ReLU(), nn.Linear(inner, width))


class Reader(nn.Module):
    """Words as a row of features; place 0 is a slot of its own, in which the answer is gathered."""

    def __init__(self, words: int, width: int, *, layers: int, places: int = 48) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Parameter(torch.randn(places, width) * 0.02)
        self.slot = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.attend = nn.ModuleList(Attention(width, 4) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.think = nn.ModuleList(thinking(width, 2 * width) for _ in range(layers))
        nn.init.normal_(self.words.weight, std=0.3)

    def forward(self, tokens: Tensor, present: Tensor) -> Tensor:
        """Word numbers (texts, words) and ones where slot and words are (texts, 1 + words)."""
        x = self.words(tokens)
        x = torch.cat([self.slot.expand(x.shape[0], 1, -1), x], dim=1)
        x = x + self.places[: x.shape[1]]
        hidden = hiding(present)
        for attend, norm, think in zip(self.attend, self.norms, self.think, strict=True):
            x = x + attend(norm(x), hidden)
            x = x + think(x)
        return x


def hiding(present: Tensor) -> Tensor:
    """Ones where words are (texts, places) as what attention adds: nothing there, a large negative number elsewhere."""
    return ((present - 1.0) * 1e4).unsqueeze(1).unsqueeze(1)


class Reasoner(nn.Module):
    """From cells and words to an answer, and to whether the words fit: layers of attending, looking and thinking."""

    def __init__(self, width: int, cells: int, answers: int, *, layers: int, inner: int = 256) -> None:
        super().__init__()
        self.width, self.inner, self.layers = width, inner, layers
        self.before_attend, self.before_look = (
            nn.ModuleList(nn.LayerNorm(width) for _ in range(layers)) for _ in range(2)
        )
        self.attend = nn.ModuleList(Attention(width, 4) for _ in range(layers))
        self.look = nn.ModuleList(Look(width, cells) for _ in range(layers))
        self.think = nn.ModuleList(thinking(width, 2 * width) for _ in range(layers))
        self.last = nn.LayerNorm(width)
        self.hidden, self.hidden_match = nn.Linear(width, inner), nn.Linear(width, inner)
        self.answers, self.match = nn.Linear(inner, answers), nn.Linear(inner, 1)

    @property
    def units(self) -> int:
        """How many units a dropout mask covers: what each look brings, and the last hidden layer."""
        return self.layers * self.width + self.inner

    def forward(
        self, cells: Tensor, text: Tensor, present: Tensor, mask: Tensor, each: int = 1
    ) -> tuple[Tensor, Tensor]:
        """Logits of the answers (texts, answers), and of the text fitting the picture (texts, 1)."""
        _, end = self.reasoned(cells, text, present, mask, each)
        return self.said(end, mask), self.fitting(end, mask)

    def reasoned(
        self, cells: Tensor, text: Tensor, present: Tensor, mask: Tensor, each: int = 1
    ) -> tuple[Tensor, Tensor]:
        """The tokens after the last layer but one (texts, places, width), and the slot at the end (texts, width)."""
        x, hidden = text, hiding(present)
        middle = x
        for layer, (attend, look, think) in enumerate(zip(self.attend, self.look, self.think, strict=True)):
            last = layer == self.layers - 1  # of which only the slot is read
            middle = x
            attended = attend(self.before_attend[layer](x), hidden, slot=last)
            x = (x[:, :1] if last else x) + attended
            kept = mask[:, layer * self.width : (layer + 1) * self.width].unsqueeze(1)
            x = x + look(self.before_look[layer](x), cells, each) * kept
            x = x + think(x)
        return middle, self.last(x[:, 0])

    def said(self, end: Tensor, mask: Tensor) -> Tensor:
        """Logits of the answers, from the slot at the end."""
        return cast(Tensor, self.answers(torch.relu(self.hidden(end)) * mask[:, self.layers * self.width :]))

    def fitting(self, end: Tensor, mask: Tensor) -> Tensor:
        """Logits of the text fitting the picture, from the slot at the end."""
        return cast(Tensor, self.match(torch.relu(self.hidden_match(end)) * mask[:, self.layers * self.width :]))


class LastStates(nn.Module):
    """A bidirectional LSTM over words: the last state of each direction, as ONNX's LSTM gives it."""

    def __init__(self, words: int, width: int, hidden: int) -> None:
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.ahead, self.back = (nn.LSTM(width, hidden, batch_first=True) for _ in range(2))
        nn.init.normal_(self.words.weight, std=0.3)

    def forward(self, tokens: Tensor, present: Tensor) -> Tensor:
        """Word numbers (texts, words) and ones where slot and words are; the slot is not used here."""
        lengths = present[:, 1:].sum(1, keepdim=True).long().clamp(min=1)
        places = torch.arange(tokens.shape[1], device=tokens.device).expand_as(tokens)
        backwards = torch.where(places < lengths, lengths - 1 - places, places)
        last = (lengths - 1).unsqueeze(2)
        states = []
        with torch.autocast(tokens.device.type, enabled=False):  # it would go to float16, whose gradients vanish
            for lstm, read in ((self.ahead, tokens), (self.back, tokens.gather(1, backwards))):
                out, _ = lstm(self.words(read))
                states.append(out.gather(1, last.expand(-1, 1, out.shape[2])).squeeze(1))
        return torch.cat(states, dim=1)


class Perceptron(nn.Module):
    """Two layers with ReLU between them, over whatever vectors there are."""

    def __init__(self, inputs: int, inner: int, answers: int) -> None:
        super().__init__()
        self.units = inner
        self.hidden, self.answers = nn.Linear(inputs, inner), nn.Linear(inner, answers)

    def forward(self, vector: Tensor, mask: Tensor) -> Tensor:
        """Logits of the answers."""
        return cast(Tensor, self.answers(torch.relu(self.hidden(vector)) * mask))


class Annotator(nn.Module):
    """Names what is drawn in each box from the grid; only there so that the eye learns faster, dropped at export."""

    def __init__(self, width: int, sizes: Sizes) -> None:
        super().__init__()
        self.kind = nn.Sequential(nn.Linear(width, 256), nn.ReLU(), nn.Linear(256, sizes.kinds))
        self.asked = nn.Embedding(sizes.kinds, 64)
        self.attributes = nn.Sequential(nn.Linear(width + 64, 256), nn.ReLU(), nn.Linear(256, sizes.attributes))
        self.present = nn.Linear(width, sizes.kinds)
        nn.init.constant_(self.present.bias, -4.0)
        nn.init.constant_(cast(nn.Linear, self.attributes[2]).bias, -2.0)

    def forward(self, grid: Tensor, boxes: Tensor, kinds: Tensor, attributes: Tensor) -> Tensor:
        """Loss over boxes (pictures, things, 4: x, y, width, height), kinds (-1 for none) and many-hot attributes."""
        inside = cells_inside(boxes).to(grid.dtype)  # pictures, things, 300
        cells = grid.flatten(2).transpose(1, 2)
        there = (kinds >= 0).float()
        share = inside / inside.sum(2, keepdim=True).clamp(min=1)
        things = share @ cells
        known = kinds.clamp(min=0)
        named = functional.cross_entropy(self.kind(things).flatten(0, 1).float(), known.flatten(), reduction="none")
        told = self.attributes(torch.cat([things, self.asked(known).to(things.dtype)], dim=2)).float()
        described = functional.binary_cross_entropy_with_logits(told, attributes, reduction="none").mean(2) * 8
        covered = torch.zeros(*cells.shape[:2], self.present.out_features, device=grid.device)
        covered = covered.scatter_add_(
            2,
            known.unsqueeze(1).expand(-1, cells.shape[1], -1),
            (inside.float() * there.unsqueeze(2)).transpose(1, 2),
        ).clamp(max=1)
        dense = functional.binary_cross_entropy_with_logits(self.present(cells).float(), covered) * 20
        count = there.sum().clamp(min=1)
        return (named.view_as(there) * there).sum() / count + (described * there).sum() / count + dense


def waves(width: int) -> Tensor:
    """Where each cell is, as smooth numbers in the last places of its features: left, above, and waves of them.

    Sides and directions are then a matter of one weight; numbers drawn for each cell apart took too long to learn.
    """
    down, across = torch.meshgrid(torch.linspace(-1, 1, ROWS), torch.linspace(-1, 1, COLUMNS), indexing="ij")
    rows = [across, down, across, down]
    rows += [
        wave(turns * 1.5 * place) for turns in (1, 2, 4) for place in (across, down) for wave in (torch.sin, torch.cos)
    ]
    found = torch.zeros(ROWS * COLUMNS, width)
    found[:, width - len(rows) :] = torch.stack([row.flatten() for row in rows], dim=1)
    return found


def cells_inside(boxes: Tensor) -> Tensor:
    """Which of the 300 cells have their middle in each box, or so near that no box goes without a cell."""
    x, y, width, height = (part.unsqueeze(-1).float() for part in boxes.unbind(-1))
    across = torch.arange(COLUMNS, device=boxes.device) * 16 + 8.0
    down = torch.arange(ROWS, device=boxes.device) * 16 + 8.0
    columns = (across - x - width / 2).abs() <= (width / 2).clamp(min=8.0)
    rows = (down - y - height / 2).abs() <= (height / 2).clamp(min=8.0)
    return (rows.unsqueeze(3) & columns.unsqueeze(2)).flatten(2)

"""Layers that drop in each way that there is, which a test imports where it needs them, with all of torch."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional


class Functional(nn.Module):  # type: ignore[misc]
    """Drops by a function, with a rate of its own."""

    def __init__(self, rate: float = 0.5) -> None:
        super().__init__()
        self.dropout = rate
        self.weight = nn.Parameter(torch.ones(1))

    def forward(self, x: Any) -> Any:
        return functional.dropout(x * self.weight, self.dropout, self.training)


class BorrowedRate(nn.Module):  # type: ignore[misc]
    """Drops by a function at the rate of a layer that it never calls, as attention in transformers does."""

    def __init__(self) -> None:
        super().__init__()
        self.drop = nn.Dropout(0.5)
        self.weight = nn.Parameter(torch.ones(1))

    def forward(self, x: Any) -> Any:
        return functional.dropout(x * self.weight, self.drop.p if self.training else 0.0)


class DropPath(nn.Module):  # type: ignore[misc]
    """Stochastic depth, as vision models have it."""

    def __init__(self) -> None:
        super().__init__()
        self.drop_prob = 0.5

    def forward(self, x: Any) -> Any:
        return x * torch.rand(x.shape[:2] + (1,) * (x.dim() - 2)).ge(self.drop_prob) if self.training else x


class Attention(nn.Module):  # type: ignore[misc]
    """Attention whose weights are dropped within the function."""

    def __init__(self) -> None:
        super().__init__()
        self.attend = nn.MultiheadAttention(4, 2, dropout=0.5, batch_first=True)

    def forward(self, x: Any) -> Any:
        return self.attend(x.flatten(2), x.flatten(2), x.flatten(2))[0]


LAYERS: dict[str, Callable[[], Any]] = {
    "Dropout": lambda: nn.Dropout(0.5),
    "Dropout1d": lambda: nn.Sequential(nn.Flatten(2), nn.Dropout1d(0.5)),
    "Dropout2d": lambda: nn.Dropout2d(0.5),
    "Dropout3d": lambda: nn.Sequential(nn.Unflatten(1, (8, 1)), nn.Dropout3d(0.5)),
    "AlphaDropout": lambda: nn.AlphaDropout(0.5),
    "FeatureAlphaDropout": lambda: nn.FeatureAlphaDropout(0.5),
    "functional": Functional,
    "borrowed rate": BorrowedRate,
    "DropPath": DropPath,
    "attention": Attention,
    "LSTM": lambda: nn.Sequential(nn.Flatten(2), nn.LSTM(4, 4, 2, dropout=0.5, batch_first=True)),
}

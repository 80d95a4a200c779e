"""Dropout of every kind is on in stochastic passes, or a model is said to have none; nothing else changes."""

from collections.abc import Callable
from typing import Any

import pytest

from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Query
from counterpoint.models.hf.classifiers import dropout_enabled, has_dropout

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional


class Functional(nn.Module):  # type: ignore[name-defined,misc]
    """Drops by a function, with a rate of its own."""

    def __init__(self, rate: float = 0.5) -> None:
        super().__init__()
        self.dropout = rate
        self.weight = nn.Parameter(torch.ones(1))

    def forward(self, x: Any) -> Any:
        return functional.dropout(x * self.weight, self.dropout, self.training)


class BorrowedRate(nn.Module):  # type: ignore[name-defined,misc]
    """Drops by a function at the rate of a layer that it never calls, as attention in transformers does."""

    def __init__(self) -> None:
        super().__init__()
        self.drop = nn.Dropout(0.5)
        self.weight = nn.Parameter(torch.ones(1))

    def forward(self, x: Any) -> Any:
        return functional.dropout(x * self.weight, self.drop.p if self.training else 0.0)


class DropPath(nn.Module):  # type: ignore[name-defined,misc]
    """Stochastic depth, as vision models have it."""

    def __init__(self) -> None:
        super().__init__()
        self.drop_prob = 0.5

    def forward(self, x: Any) -> Any:
        return x * torch.rand(x.shape[:2] + (1,) * (x.dim() - 2)).ge(self.drop_prob) if self.training else x


class Attention(nn.Module):  # type: ignore[name-defined,misc]
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


def _passed(model: Any, trial: int) -> Any:
    inputs = torch.linspace(1, 2, 64).reshape(2, 8, 2, 2)
    with torch.no_grad(), dropout_enabled(model, Query(None, "Is it red?"), trial, 0):
        output = model(inputs)
    return output[0] if isinstance(output, tuple) else output


def _model(*layers: Any) -> Any:
    torch.manual_seed(0)
    return nn.Sequential(nn.BatchNorm2d(8), *layers).eval()


@pytest.mark.parametrize("name", LAYERS)
def test_every_kind_of_dropout_is_on_in_a_pass_and_follows_from_its_seed(name: str) -> None:
    torch.manual_seed(0)
    model = _model(LAYERS[name]())
    assert has_dropout(model)
    state = torch.get_rng_state()
    first, again, other = _passed(model, 1), _passed(model, 1), _passed(model, 2)
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert torch.equal(state, torch.get_rng_state())
    assert not any(layer.training for layer in model.modules())
    assert model[0].num_batches_tracked == 0, "statistics of a norm are not updated"


def test_a_model_without_dropout_is_said_to_have_none() -> None:
    still = _model(nn.Dropout(0.0), Functional(0.0), nn.Linear(2, 2))
    assert not has_dropout(still)
    with pytest.raises(ModelError, match="has no dropout"):
        _passed(still, 1)


def test_a_rate_that_is_never_applied_is_no_dropout() -> None:
    model = _model()
    model[0].attention_dropout = 0.5
    with pytest.raises(ModelError, match="has no dropout"):
        _passed(model, 1)

"""Dropout of every kind is on in stochastic passes, or a model is said to have none; nothing else changes."""

from typing import Any

import pytest

from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Query
from counterpoint.models.hf.classifiers import _random_state, dropout_enabled, has_dropout


def _passed(model: Any, trial: int) -> Any:
    import torch

    inputs = torch.linspace(1, 2, 64).reshape(2, 8, 2, 2)
    with torch.no_grad(), dropout_enabled(model, Query(None, "Is it red?"), trial, 0):
        output = model(inputs)
    return output[0] if isinstance(output, tuple) else output


def _model(*layers: Any) -> Any:
    import torch
    from torch import nn

    torch.manual_seed(0)
    return nn.Sequential(nn.BatchNorm2d(8), *layers).eval()


def test_every_kind_of_dropout_is_on_in_a_pass_and_follows_from_its_seed() -> None:
    import torch
    from dropout_layers import LAYERS

    for name, layer in LAYERS.items():
        torch.manual_seed(0)
        model = _model(layer())
        assert has_dropout(model), name
        state = torch.get_rng_state()
        first, again, other = _passed(model, 1), _passed(model, 1), _passed(model, 2)
        assert torch.equal(first, again), name
        assert not torch.equal(first, other), name
        assert torch.equal(state, torch.get_rng_state()), name
        assert not any(layer.training for layer in model.modules()), name
        assert model[0].num_batches_tracked == 0, "statistics of a norm are not updated"


def test_a_model_without_dropout_is_said_to_have_none() -> None:
    from dropout_layers import Functional
    from torch import nn

    still = _model(nn.Dropout(0.0), Functional(0.0), nn.Linear(2, 2))
    assert not has_dropout(still)
    with pytest.raises(ModelError, match="has no dropout"):
        _passed(still, 1)


def test_a_rate_that_is_never_applied_is_no_dropout() -> None:
    model = _model()
    model[0].attention_dropout = 0.5
    with pytest.raises(ModelError, match="has no dropout"):
        _passed(model, 1)


def test_whether_a_pass_drew_is_seen_on_its_own_device(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    for kind in ("cuda", "mps"):
        monkeypatch.setattr(getattr(torch, kind), "get_rng_state", str)
        assert _random_state(torch.device(kind)) == kind
    assert torch.equal(_random_state(torch.device("cpu")), torch.get_rng_state())

"""A checkpoint on several devices: the same answers from a process for each."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import tiny_classifiers as tiny

from counterpoint import catalog
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Model
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.models.hf.classifiers import DropoutClassifier
from counterpoint.models.multi_device import load_on_devices


def at_work(device: str, folder: str) -> tuple[Model, Callable[[Iterable[Picture]], None]]:
    """What is made in each process: the model, and its pictures, decoded ahead."""
    ahead = Prefetcher(tiny.Shades(), threads=1)
    return catalog.model(f"hf/{folder}", ahead, {"device": device, "batch": "3"}), ahead.expect


@pytest.mark.prove
def test_vilt_says_the_same_from_two_processes(tmp_path: Path) -> None:
    tiny.vilt(tmp_path / "vilt")
    queries = tiny.asked(5)
    alone = catalog.model(f"hf/{tmp_path / 'vilt'}", tiny.Shades(), {"device": "cpu"})
    assert isinstance(alone, DropoutClassifier)
    with load_on_devices(partial(at_work, folder=str(tmp_path / "vilt")), ("cpu", "cpu")) as workers:
        assert len(set(workers.processes)) == 2
        assert workers.fingerprint == alone.fingerprint
        spread_out = dict(workers.answer(queries))  # type: ignore[attr-defined]
        for place, answer in alone.answer(queries):
            assert spread_out[place].value == answer.value
            assert np.allclose([p for _, p in spread_out[place].top], [p for _, p in answer.top], rtol=0, atol=1e-5)
        passes = {place: answer for place, _, answer in workers.sample(queries, [3], 1)}  # type: ignore[attr-defined]
        assert {place: answer.value for place, answer in passes.items()} == {
            place: answer.value for place, _, answer in alone.sample(queries, [3], 1)
        }
        features = workers.picture_features(queries)  # type: ignore[attr-defined]
        assert np.allclose(features, alone.picture_features(queries), rtol=0, atol=1e-5)

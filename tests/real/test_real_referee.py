"""The referee on suites made from real annotations: every pair, of several seeds, must be what it says."""

import sys
from pathlib import Path

import pytest
from proving import scaled
from real_data import real

from counterpoint.core.scenes import Scene
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.clevr import clevr
from counterpoint.sources.formats.gqa import gqa
from counterpoint.suites.suite import generate_groups

sys.path.append(str(Path(__file__).parents[1] / "suites"))
from judging import CARETS, judged, suite_named
from referee import Referee

SEEDS = range(scaled(5, 1))


def _agrees(name: str, scenes: list[Scene], *, closed: bool) -> int:
    pairs, referee = 0, Referee(scenes, closed=closed)
    for seed in SEEDS:
        found = judged(generate_groups(suite_named(name), scenes, seed), referee)
        assert not found.wrong, "\n".join(found.wrong[:10])
        pairs += found.pairs
    return pairs


@pytest.mark.parametrize("name", CARETS)
def test_the_referee_agrees_with_every_gold_answer_on_gqa(name: str) -> None:
    scenes = list(Source(gqa, real("gqa"), "val").scenes())
    assert _agrees(name, scenes, closed=False) > 0


@pytest.mark.parametrize("split", ["train", "val", "test"])
@pytest.mark.parametrize("part", ["1obj", "2obj"])
@pytest.mark.parametrize("name", CARETS)
def test_the_referee_agrees_with_every_gold_answer_on_clevr(name: str, part: str, split: str) -> None:
    scenes = list(Source(clevr, real("clevr") / part, split).scenes())
    _agrees(name, scenes, closed=True)

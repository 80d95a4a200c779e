"""The series of checkpoints: a small model that learns, whose versions can be told apart."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from counterpoint.core.groups import Query
from counterpoint.core.pictures import Picture
from counterpoint.models.builtin.models import fusion
from counterpoint.models.builtin.onnx_graphs import WEIGHTS, ModelCard, Vocabulary
from counterpoint.testing import check_model
from counterpoint.world.source import World

WORDS = Vocabulary(["is", "it", "not", "red"])
TEXTS = ("Is it red?", "Is it not red?")


class Brightness:
    """Sees one number in each of two cells of a picture, which its name says."""

    def __call__(self, pictures: Sequence[Picture]) -> npt.NDArray[np.float32]:
        cells = np.ones((len(pictures), 2, 4), np.float32)
        cells[:, :, 0] = [[float(picture.address[-1] == "1")] * 2 for picture in pictures]
        return cells


def _queries() -> list[Query]:
    return [Query(Picture(f"toy:{bright}"), text) for bright in (0, 1) for text in TEXTS]


@pytest.mark.prove
def test_a_checkpoint_is_a_model_that_changes_its_fingerprint_as_it_learns() -> None:
    import torch

    from training.checkpoint_series import Checkpoint, Lesson, SmallNetwork

    torch.manual_seed(0)
    network, queries = SmallNetwork(len(WORDS), 2, width=16, cells=4), _queries()
    pictures = tuple(query.picture for query in queries if query.picture)
    lesson = Lesson(tuple(query.text for query in queries), pictures, torch.tensor([0, 1, 1, 0]))
    before = Checkpoint(network, WORDS, ("no", "yes"), Brightness())
    check_model(before, queries)
    optimizer = torch.optim.Adam(network.parameters(), 0.01)
    for _ in range(60):
        optimizer.zero_grad()
        lesson.loss(network, WORDS, Brightness(), range(4)).backward()
        optimizer.step()
    after = Checkpoint(network, WORDS, ("no", "yes"), Brightness())
    assert [answer.value for _, answer in sorted(after.answer(queries))] == ["no", "yes", "yes", "no"]
    assert after.fingerprint != before.fingerprint


def test_only_the_second_third_of_the_steps_has_negated_questions() -> None:
    from training.checkpoint_series import Plan

    plan = Plan(steps=9)
    assert [plan.has_negation(step) for step in range(9)] == [False] * 3 + [True] * 3 + [False] * 3


@pytest.mark.prove
def test_training_goes_on_from_the_weights_of_fusion() -> None:
    from training.checkpoint_series import Checkpoint, PictureEncoder, SmallNetwork

    pytest.importorskip("onnx")
    card, world = ModelCard.read(WEIGHTS / "fusion" / "card.json"), World("test", 3)
    words = Vocabulary((*card.vocabulary, "neither", "nor"))
    network = SmallNetwork.from_graphs(WEIGHTS / "fusion", words)
    queries = [Query(question.picture, question.text) for question in world.questions()]
    own = dict(Checkpoint(network, words, card.answers, PictureEncoder(world)).answer(queries))
    for place, answer in fusion(world).answer(queries):
        assert own[place].value == answer.value
        assert own[place].top[0][1] == pytest.approx(answer.top[0][1], abs=1e-4)


@pytest.mark.prove
def test_every_checkpoint_of_a_training_is_a_version(tmp_path: Path) -> None:
    from training.checkpoint_series import NAME, Plan, make_series

    pytest.importorskip("onnx")
    lab = make_series(Plan(scenes=6, tests=8, groups=12, steps=6, every=2, batch=4), tmp_path)
    history = lab.history(NAME, suites=["negation"])
    assert [score.version for score in history if score.metric == "accuracy"] == ["step-2", "step-4", "step-6"]
    assert sorted(path.name for path in tmp_path.glob("*.pt")) == ["step-2.pt", "step-4.pt", "step-6.pt"]

"""One model, one picture, one question."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, ModelError, PictureError
from counterpoint.core.groups import Answer, Mode, Query, State
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Answerer, Model, Pictures, Scorer
from counterpoint.engine.dispatch import Dispatcher, QueryBatch
from counterpoint.lab.progress import logger
from counterpoint.models.builtin.onnx_graphs import vocabulary_warnings
from counterpoint.pictures.folders import PictureFolders
from counterpoint.world.source import World


def ask(
    model: str,
    picture: Path | str,
    question: str,
    *,
    choices: Sequence[str] = (),
    model_args: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Answer:
    """Ask a model about a picture: a file, or an address such as world:test/000007.png.

    A model that answers is asked the question; one that only scores says how well the question, as a sentence, fits the
    picture. `model_args` and further arguments are settings of the model, as for `Lab.run`. Words that a built-in model
    was never trained on are logged as warnings.

    >>> ask("fusion", "world:test/000016.png", "What color is the pumpkin?").value
    'green'
    """
    if not question.strip():
        raise CounterpointError("the question is empty", hint='ask something, such as "Is there a dog?"')
    if not isinstance(picture, str | Path):
        hint = "save it to a file, as Image.fromarray(array).save(path) of Pillow does, and name that"
        raise PictureError(f"a {type(picture).__name__} is no picture that can be asked about", hint=hint)
    address, pictures = _locate(str(picture))
    pictures.pixels(address)  # a picture that cannot be read is reported before a model is loaded
    loaded = catalog.model(model, pictures, {**(model_args or {}), **settings})
    for warning in vocabulary_warnings(loaded, model, question, tuple(choices)):
        logger.warning(warning)
    answer = _answer(loaded, Query(address, question, choices=tuple(choices)))
    if answer.state is State.FAILED:
        raise ModelError(f"{model} could not answer: {answer.reason}")
    return answer


def _answer(model: Model, query: Query) -> Answer:
    if not isinstance(model, Answerer | Scorer):
        raise ModelError("this model neither answers nor scores")
    if not isinstance(model, Answerer):
        query = Query(query.picture, query.text, Mode.SCORE)
    answers = [Answer.failed("the model gave no answer")]
    with Dispatcher(model) as dispatcher:
        dispatcher.ask(QueryBatch([query], [0]), lambda place, answer: answers.append(answer))
    return answers[-1]


def _locate(picture: str) -> tuple[Picture, Pictures]:
    if world := re.match(r"world(?:-(\d+))?:", picture):
        return Picture(picture), World(scenes=0, seed=int(world[1] or 0))
    path = Path(picture)
    if not path.exists():
        hint = "a picture is a file, or a scene such as world:test/000007.png"
        raise PictureError(f"{picture} does not exist", hint=hint)
    return Picture(f"file:{path.name}"), PictureFolders({"file": path.parent})

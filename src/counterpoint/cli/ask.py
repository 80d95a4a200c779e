"""`counterpoint ask`: one model, one picture, one question."""

import json
import re
from pathlib import Path

import click

from counterpoint import catalog
from counterpoint.core.answers import Answer, State
from counterpoint.core.errors import CounterpointError, ModelError, PictureError
from counterpoint.core.groups import Mode, Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Answerer, Model, Pictures, Scorer
from counterpoint.engine.dispatch import Dispatcher, QueryBatch
from counterpoint.models.builtin.onnx_graphs import vocabulary_warnings


@click.command("ask")
@click.argument("model")
@click.argument("picture")
@click.argument("question")
@click.option("--choices", help="Answers to choose from, separated by commas.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(model: str, picture: str, question: str, choices: str | None, as_json: bool) -> None:
    """Ask MODEL about PICTURE (a file, or an address such as world:test/000007.png).

    A model that answers is asked QUESTION; one that only scores says how well QUESTION, a sentence, fits the picture.
    """
    if not question.strip():
        raise CounterpointError("the question is empty", hint='ask something, such as "Is there a dog?"')
    address, pictures = _shown(picture)
    pictures.pixels(address)  # said before a model is loaded, and also to models that never look
    asked = catalog.model(model, pictures)
    listed = tuple(filter(None, map(str.strip, (choices or "").split(","))))
    for note in vocabulary_warnings(asked, model, question, listed):
        click.echo(note, err=True)
    answer = _answer(asked, Query(address, question, choices=listed))
    if answer.state is State.FAILED:
        raise ModelError(f"{model} could not answer: {answer.reason}")
    if as_json:
        top = [{"value": value, "probability": round(p, 4)} for value, p in answer.top]
        click.echo(json.dumps({"model": model, "answer": answer.value, "score": answer.score, "top": top}))
    elif answer.score is not None:
        click.echo(f"{answer.score:.3f}")
    else:
        click.echo(answer.value or f"{answer.state}: {answer.raw}")
        for value, p in answer.top:
            click.echo(f"  {p:6.1%}  {'█' * round(30 * p):30}  {value}")


def _answer(model: Model, query: Query) -> Answer:
    if not isinstance(model, Answerer | Scorer):
        raise ModelError("this model neither answers nor scores")
    if not isinstance(model, Answerer):
        query = Query(query.picture, query.text, Mode.SCORE)
    said = [Answer.failed("the model gave no answer")]
    with Dispatcher(model) as asker:
        asker.ask(QueryBatch([query], [0]), lambda place, answer: said.append(answer))
    return said[-1]


def _shown(picture: str) -> tuple[Picture, Pictures]:
    if world := re.match(r"world(?:-(\d+))?:", picture):
        from counterpoint.world.source import World

        return Picture(picture), World(scenes=0, seed=int(world[1] or 0))
    from counterpoint.pictures.folders import PictureFolders

    path = Path(picture)
    if not path.exists():
        hint = "a picture is a file, or a scene such as world:test/000007.png"
        raise PictureError(f"{picture} does not exist", hint=hint)
    return Picture(f"file:{path.name}"), PictureFolders({"file": path.parent})

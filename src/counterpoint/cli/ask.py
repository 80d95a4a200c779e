"""`counterpoint ask`: ask one model one question about one picture."""

import click

from counterpoint import ask
from counterpoint.cli.options import complete, json_option, model_options, settings_of
from counterpoint.cli.printing import echo, print_json, progress_shown


@click.command("ask")
@click.argument("model", shell_complete=complete("models"))
@click.argument("picture")
@click.argument("question")
@click.option("--choices", default="", help="Offer these answers, separated by commas.")
@model_options
@json_option
def command(
    model: str, picture: str, question: str, choices: str, model_args: str, as_json: bool, **flags: str | None
) -> None:
    """Ask MODEL about PICTURE (a file, or an address such as world:test/000007.png).

    A model that answers is asked QUESTION; one that only scores says how well QUESTION, a sentence, fits the picture.
    """
    offered = tuple(filter(None, map(str.strip, choices.split(","))))
    with progress_shown(), settings_of(model, model_args, flags) as settings:
        answer = ask(model, picture, question, choices=offered, model_args=settings)
    if as_json:
        top = [{"value": value, "probability": round(share, 4)} for value, share in answer.top]
        print_json({"model": model, "answer": answer.value, "score": answer.score, "top": top})
    elif answer.score is not None:
        echo(f"{answer.score:.3f}")
    else:
        echo(answer.value or f"{answer.state}: {answer.raw}")
        for value, share in answer.top:
            echo(f"  {share:6.1%}  {'█' * round(30 * share):30}  {value}")

"""`counterpoint ask` with a model that is elsewhere."""

import json

from click.testing import CliRunner, Result

from counterpoint.cli.main import commands
from counterpoint.testing import ChatServer, ServerFault

LINE = ["ask", "openai/double", "world:test/000003.png"]


def _ask(server: ChatServer, *words: str) -> Result:
    return CliRunner(env={"OPENAI_API_KEY": None, "OPENAI_BASE_URL": server.base_url}).invoke(commands, [*LINE, *words])


def test_a_served_model_answers_with_its_probabilities() -> None:
    with ChatServer(lambda asked: "Yes.", chances=lambda asked: {"Yes": 0.75, "No": 0.25}) as server:
        done = _ask(server, "Is there a dog?", "--json")
        assert server.received[0].picture
    assert json.loads(done.output) == {
        "model": "openai/double",
        "answer": "yes",
        "score": None,
        "top": [{"value": "yes", "probability": 0.75}, {"value": "no", "probability": 0.25}],
    }


def test_what_has_no_value_is_shown_as_it_was_said() -> None:
    with ChatServer(lambda asked: "Hm.", lambda asked, times: ServerFault.FILTERED) as server:
        done = _ask(server, "Is there a dog?")
    assert done.output == "refused: Hm.\n"


def test_ask_takes_the_options_of_run_that_say_how_a_model_is_reached() -> None:
    texts = [CliRunner().invoke(commands, [name, "--help"]).output for name in ("run", "ask")]
    assert all(option in text for text in texts for option in ("--model-args", "--base-url", "--device", "--dtype"))
    with ChatServer(lambda asked: "Yes.") as server:
        line = [*LINE, "Is there a dog?", "--base-url", server.base_url, "--model-args", "tokens=7"]
        done = CliRunner(env={"OPENAI_API_KEY": None, "OPENAI_BASE_URL": None}).invoke(commands, line)
        assert server.received[0].body["max_tokens"] == 7
    assert done.output.startswith("yes")

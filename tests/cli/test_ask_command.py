"""`counterpoint ask` with a model that is elsewhere."""

import json

import pytest
from click.testing import CliRunner

from counterpoint.cli.main import commands
from counterpoint.testing import ChatServer, ServerFault

LINE = ["ask", "openai/double", "world:test/000003.png"]


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_a_served_model_answers_with_its_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(lambda asked: "Yes.", chances=lambda asked: {"Yes": 0.75, "No": 0.25}) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        done = CliRunner().invoke(commands, [*LINE, "Is there a dog?", "--json"])
        assert server.received[0].picture
    assert json.loads(done.output) == {
        "model": "openai/double",
        "answer": "yes",
        "score": None,
        "top": [{"value": "yes", "probability": 0.75}, {"value": "no", "probability": 0.25}],
    }


def test_what_has_no_value_is_shown_as_it_was_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(lambda asked: "Hm.", lambda asked, times: ServerFault.FILTERED) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        done = CliRunner().invoke(commands, [*LINE, "Is there a dog?"])
    assert done.output == "refused: Hm.\n"

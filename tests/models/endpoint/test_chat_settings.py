"""Settings of a model behind a server: which of them an answer depends on, and which cannot be."""

from typing import Any

import pytest
from served import Plain, answers, some

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError
from counterpoint.core.ports import RenamedModel
from counterpoint.models.endpoint.chat import Chat, chat
from counterpoint.testing import ChatServer


def test_the_fingerprint_changes_with_whatever_an_answer_depends_on_and_with_nothing_else() -> None:
    def made(name: str = "m", **settings: Any) -> str:
        return chat(name, Plain(), **settings).fingerprint

    plain = made()
    assert plain.startswith("m ")
    others = [
        made("n"),
        made(version="week-46"),
        made(version="week-47"),
        made(prompt="Be brief."),
        made(system="Be brief."),
        made(tokens=8),
        made(temperature=0.5),
        made(temperature=0.5, seed=1),
        made(sampling=0.5),
        made(picture_format="jpeg"),
        made(picture_format="png"),
        made(picture_side=512),
    ]
    assert len({plain, *others}) == 13
    alike = [
        made(base_url="http://127.0.0.1/v1"),
        made(concurrency=2),
        made(timeout=1),
        made(attempts=1),
        made(budget=9),
        made(max_downtime=0),
        made(rule="free"),
    ]
    assert {plain, *alike} == {plain}


def test_answers_stored_under_the_fingerprint_with_the_address_are_still_found() -> None:
    def former(**settings: Any) -> tuple[str, ...]:
        return chat("m", Plain(), **settings).former_fingerprints

    assert former(base_url="http://127.0.0.1/v1", picture_format="png", picture_side=0) == ("m 13a057396abfefb1",)
    assert "m 13a057396abfefb1" in former(base_url="http://127.0.0.1/v1")
    assert "m b1131a0ce4e118e5" in former()
    assert former(version="week-46", picture_format="png", picture_side=0) == ()
    assert isinstance(chat("m", Plain()), RenamedModel)


def test_settings_that_keep_their_former_values_keep_the_fingerprint_and_others_lead_to_it() -> None:
    def made(**settings: Any) -> Chat:
        return chat("m", Plain(), **settings)

    png = made(picture_format="png", picture_side=0)
    assert png.fingerprint == "m 3d066fd55cb7161d"
    for settings in ({}, {"picture_side": 0}, {"picture_format": "png"}):
        model = made(**settings)
        assert model.fingerprint != png.fingerprint
        assert png.fingerprint in model.former_fingerprints
    small = made(picture_format="png", picture_side=512)
    assert small.fingerprint in made(picture_side=512).former_fingerprints
    assert png.fingerprint not in made(picture_side=512).former_fingerprints
    named = made(picture_format="png", picture_side=0, version="week-46").fingerprint
    assert named in made(version="week-46").former_fingerprints


def test_a_version_is_a_setting_of_endpoints() -> None:
    plain, named = (catalog.model("openai/m", Plain(), one) for one in ({}, {"version": "week-46"}))
    assert plain.fingerprint != named.fingerprint == chat("m", Plain(), version="week-46").fingerprint


def test_the_catalog_makes_a_model_with_settings_as_people_type_them() -> None:
    with ChatServer(models=("org/double",)) as server:
        typed = {"base_url": server.base_url, "tokens": "3", "temperature": "0.5", "rule": "free", "concurrency": "2"}
        model = catalog.model("openai/org/double", Plain(), typed)
        assert isinstance(model, Chat)
        answers(model, some(2))
    body = server.received[0].body
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("org/double", 3, 0.5)
    assert "seed" in body


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"tokens": 0}, "tokens is 0"),
        ({"concurrency": 0}, "concurrency is 0"),
        ({"timeout": -1.0}, "timeout is -1.0"),
        ({"temperature": float("nan")}, "temperature is nan"),
        ({"picture_format": "gif"}, "no format of pictures is called 'gif'"),
        ({"rule": "guess"}, "no rule is called 'guess'"),
        ({"base_url": "127.0.0.1:8000"}, "no web address"),
        ({"base_url": "http://[::1"}, "no web address"),
    ],
)
def test_settings_that_cannot_be_are_told(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(CounterpointError, match=said):
        chat("m", Plain(), **wrong)

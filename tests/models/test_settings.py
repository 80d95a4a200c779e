"""Settings of a model, from what people type to what its factory takes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.models.settings import convert_settings, parse_settings


def make(  # type: ignore[no-untyped-def]
    pictures: object,
    place: str = "here",
    *,
    tokens: int = 16,
    heat: "float | None" = None,
    trust: bool = False,
    folder: Path = Path(),
    seed=7,
    other=None,
) -> None:
    """A factory with a setting of each type."""


def test_each_setting_gets_the_type_that_the_factory_says() -> None:
    said = {"place": "there", "tokens": "8", "heat": "0.5", "trust": "on", "folder": "a/b", "seed": "3", "other": "x"}
    meant = {"place": "there", "tokens": 8, "heat": 0.5, "trust": True, "folder": Path("a/b"), "seed": 3, "other": "x"}
    assert convert_settings(make, said, "mine") == meant


@pytest.mark.parametrize(
    ("setting", "fact"),
    [
        ({"tokens": "many"}, "mine: tokens is 'many', not a whole number"),
        ({"tokens": "1.5"}, "not a whole number"),
        ({"heat": "hot"}, "mine: heat is 'hot', not a number"),
        ({"trust": "perhaps"}, "mine: trust is 'perhaps', not yes or no"),
    ],
)
def test_a_value_of_another_type_is_refused(setting: dict[str, str], fact: str) -> None:
    with pytest.raises(CounterpointError, match=fact):
        convert_settings(make, setting, "mine")


@pytest.mark.parametrize("name", ["tokns", "pictures"])
def test_an_unknown_setting_is_answered_with_those_there_are(name: str) -> None:
    with pytest.raises(UnknownName, match=f"no setting of mine is called '{name}'") as problem:
        convert_settings(make, {name: "8"}, "mine")
    assert "tokens" in problem.value.hint


def test_a_factory_that_takes_anything_is_given_text() -> None:
    def anything(pictures: object, **settings: str) -> None: ...

    assert convert_settings(anything, {"tokens": "8"}, "mine") == {"tokens": "8"}


def test_a_line_of_settings_is_read() -> None:
    assert parse_settings("a=1, b = two words ,c=x=y,,z,") == {"a": "1", "b": "two words", "c": "x=y,z"}
    assert parse_settings("") == {}


@pytest.mark.parametrize("line", ["tokens", "=8", "a=1,b"])
def test_what_is_no_setting_is_refused(line: str) -> None:
    with pytest.raises(CounterpointError, match="is no setting"):
        parse_settings(line)


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20).map(str.strip)


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,9}", fullmatch=True), texts))
def test_what_is_written_with_doubled_commas_is_read_as_it_was(settings: dict[str, str]) -> None:
    clear = {name: value for name, value in settings.items() if not value.startswith(",") and not value.endswith(",")}
    line = ",".join(f"{name}={value.replace(',', ',,')}" for name, value in clear.items())
    assert parse_settings(line) == clear

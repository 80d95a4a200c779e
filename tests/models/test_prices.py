"""Tables of prices: either format, and errors that name file and key."""

import json
from pathlib import Path
from typing import Any

import pytest

from counterpoint.core.costs import Budget, TokenPrices
from counterpoint.core.errors import CounterpointError, ModelError
from counterpoint.models.prices import parse_budget, read_prices

TABLE = """
currency = "EUR"

[models."qwen/vl-7b"]
input = 0.1  # per million tokens
output = 2
"""


def _written(folder: Path, content: str, name: str = "prices.toml") -> str:
    (folder / name).write_text(content, "utf-8")
    return str(folder / name)


def test_a_table_is_toml_or_json(tmp_path: Path) -> None:
    prices = TokenPrices(0.1, 2.0, "EUR")
    assert read_prices(_written(tmp_path, TABLE), "qwen/vl-7b") == prices
    assert read_prices(_written(tmp_path, f"\ufeff{TABLE}"), "qwen/vl-7b") == prices  # as some editors save it
    table = {"currency": "EUR", "models": {"qwen/vl-7b": {"input": 0.1, "output": 2}}}
    assert read_prices(_written(tmp_path, json.dumps(table), "prices.json"), "qwen/vl-7b") == prices


@pytest.mark.parametrize(
    ("table", "fact"),
    [
        ({}, "prices.json: currency is missing"),
        ({"currency": 5}, "prices.json: currency is 5"),
        ({"currency": "€"}, "prices.json: currency is '€'"),
        ({"currency": "tokens"}, "prices.json: currency is 'tokens'"),
        ({"currency": "EUR"}, "prices.json: models is missing"),
        ({"currency": "EUR", "models": {}}, "prices.json: models is {}"),
        ({"currency": "EUR", "modells": {}}, "prices.json: modells is no key of a table of prices"),
        ({"currency": "EUR", "models": {"m": 3}}, 'prices.json: models."m" is 3'),
        ({"currency": "EUR", "models": {"m": {"input": 1}}}, 'prices.json: models."m": output is missing'),
        ({"currency": "EUR", "models": {"m": {"input": "1", "output": 1}}}, "models.\"m\": input is '1'"),
        ({"currency": "EUR", "models": {"m": {"input": -1, "output": 1}}}, 'models."m": input is -1'),
        ({"currency": "EUR", "models": {"m": {"input": True, "output": 1}}}, 'models."m": input is True'),
        (
            {"currency": "EUR", "models": {"m": {"input": 1, "output": 1, "cached": 1}}},
            'models."m": cached is no price',
        ),
        ({"currency": "EUR", "models": {"other": {"input": 1, "output": 1}}}, "prices.json is called 'm'"),
        ([1], "prices.json is no table of prices"),
    ],
)
def test_a_bad_table_is_refused_by_file_and_key(tmp_path: Path, table: Any, fact: str) -> None:
    with pytest.raises(CounterpointError) as told:
        read_prices(_written(tmp_path, json.dumps(table), "prices.json"), "m")
    assert fact in str(told.value)
    assert told.value.hint


@pytest.mark.parametrize(
    ("name", "content", "fact"),
    [
        ("prices.toml", "currency =", "prices.toml is no TOML: "),
        ("prices.json", "{", "prices.json is no JSON: "),
        ("prices.json", "[" * 100_000, "prices.json is no JSON: "),
        ("prices.json", f"[{'9' * 5000}]", "prices.json is no JSON: "),
    ],
)
def test_a_file_that_cannot_be_parsed_is_named(tmp_path: Path, name: str, content: str, fact: str) -> None:
    with pytest.raises(CounterpointError) as told:
        read_prices(_written(tmp_path, content, name), "m")
    assert fact in str(told.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(CounterpointError, match=r"none\.toml cannot be read: No such file"):
        read_prices(str(tmp_path / "none.toml"), "m")
    (tmp_path / "latin.toml").write_bytes(b'currency = "\xe9"')
    with pytest.raises(CounterpointError, match=r"latin\.toml cannot be read: it is no text in UTF-8"):
        read_prices(str(tmp_path / "latin.toml"), "m")


def test_a_budget_in_money_has_the_currency_of_the_prices() -> None:
    prices = TokenPrices(1, 1, "EUR")
    assert parse_budget("5 eur", prices) == Budget(5, "eur")
    assert parse_budget("0", None) is None
    assert parse_budget("9 tokens", None) == Budget(9, "tokens")
    with pytest.raises(ModelError, match="a budget in USD needs prices"):
        parse_budget("5 USD", None)
    with pytest.raises(ModelError, match="the budget is in USD, and the prices are in EUR"):
        parse_budget("5 USD", prices)

"""Tables of prices that users name: the prices of a million tokens by model, in TOML or JSON."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from counterpoint.core.costs import REQUESTS, TOKENS, Budget, TokenPrices, as_price
from counterpoint.core.errors import CounterpointError, ModelError, UnknownName, shorten

HINT = 'it looks like: currency = "EUR", [models."NAME"], input = 0.5, output = 2, per million tokens'


def read_prices(path: str, model: str) -> TokenPrices:
    """The prices of a model in a file; all of the file is checked."""
    content = _content(Path(path))
    if unknown := sorted(set(content) - {"currency", "models"}):
        raise CounterpointError(f"{path}: {shorten(unknown[0])} is no key of a table of prices", hint=HINT)
    currency, models = content.get("currency"), content.get("models")
    if not isinstance(currency, str) or not currency.isalpha() or currency.lower() in (REQUESTS, TOKENS):
        raise CounterpointError(f"{path}: {_state('currency', currency)}", hint="write it as a word, such as EUR")
    if not isinstance(models, Mapping) or not models:
        raise CounterpointError(f"{path}: {_state('models', models)}", hint=HINT)
    prices = {name: _model_prices(f'{path}: models."{name}"', own, currency) for name, own in models.items()}
    if model not in prices:
        raise UnknownName(f"model with a price in {path}", model, prices)
    return prices[model]


def parse_budget(text: str, prices: TokenPrices | None) -> Budget | None:
    """The budget in a text, None where it is 0; one in money has to be in the currency of the prices."""
    budget = Budget.parse(text)
    if budget.unit in (REQUESTS, TOKENS):
        return budget if budget.amount else None
    if prices is None:
        raise ModelError(f"a budget in {budget.unit} needs prices", hint="name a table of prices with --prices FILE")
    if budget.unit.lower() != prices.currency.lower():
        fact = f"the budget is in {budget.unit}, and the prices are in {prices.currency}"
        raise ModelError(fact, hint=f"give the budget in {prices.currency}")
    return budget


def _content(path: Path) -> Mapping[str, Any]:
    kind = "JSON" if path.suffix.lower() == ".json" else "TOML"
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is no text in UTF-8"
        raise CounterpointError(f"{path} cannot be read: {reason}", hint="name a table of prices") from None
    try:
        content = json.loads(text) if kind == "JSON" else tomllib.loads(text)
    except (ValueError, RecursionError) as problem:
        raise CounterpointError(f"{path} is no {kind}: {shorten(str(problem), 120)}", hint=HINT) from None
    if not isinstance(content, Mapping):
        raise CounterpointError(f"{path} is no table of prices", hint=HINT)
    return content


def _model_prices(place: str, content: Any, currency: str) -> TokenPrices:
    if not isinstance(content, Mapping):
        raise CounterpointError(f"{place} is {shorten(repr(content))}", hint=HINT)
    if unknown := sorted(set(content) - {"input", "output"}):
        raise CounterpointError(f"{place}: {shorten(unknown[0])} is no price", hint=HINT)
    return TokenPrices(_price(place, content, "input"), _price(place, content, "output"), currency)


def _price(place: str, content: Mapping[str, Any], name: str) -> float:
    price = as_price(content.get(name))
    if price is None:
        fact = f"{place}: {_state(name, content.get(name))}"
        raise CounterpointError(fact, hint="it is a number of 0 or more, per million tokens")
    return price


def _state(name: str, value: object) -> str:
    return f"{name} is missing" if value is None else f"{name} is {shorten(repr(value))}"

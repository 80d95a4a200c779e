"""What answers cost: tokens, their price by a table that the user names, and budgets."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from typing import Any

from counterpoint.core.errors import CounterpointError

MAX_TOKENS = 2**31
"""More than any reply has; a server that says more is not believed."""
PER = 1_000_000
"""The number of tokens that a price is for."""
MAX_PRICE = 1e12
"""More than a million tokens cost in any currency."""
REQUESTS, TOKENS = "requests", "tokens"
"""The units of budgets that are no currency."""
_AMOUNT = re.compile(r"((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?:\s*([^\W\d_]+))?")


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of a request, its picture included, and those of the reply, reasoning included.

    >>> Usage(120, 3) + Usage(80, 2)
    Usage(tokens_in=200, tokens_out=5)
    """

    tokens_in: int = 0
    tokens_out: int = 0

    @classmethod
    def of(cls, tokens_in: object, tokens_out: object) -> "Usage | None":
        """The usage that a server states; None unless both are whole numbers, since nothing is guessed.

        >>> Usage.of(120, 3), Usage.of(120, None)
        (Usage(tokens_in=120, tokens_out=3), None)
        """
        stated = [count for count in (tokens_in, tokens_out) if type(count) is int and 0 <= count < MAX_TOKENS]
        return cls(*stated) if len(stated) == 2 else None

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out)


@dataclass(frozen=True, slots=True)
class TokenPrices:
    """The prices of a million tokens of requests and of replies, in a currency.

    >>> TokenPrices(0.5, 2.0, "EUR").price(Usage(1_000_000, 250_000))
    1.0
    """

    input: float
    output: float
    currency: str

    def price(self, usage: Usage) -> float:
        """What a number of tokens costs."""
        return (self.input * usage.tokens_in + self.output * usage.tokens_out) / PER


@dataclass(frozen=True, slots=True)
class Cost:
    """The tokens of so many answers, those that failed included, and their prices where these are known.

    >>> print(Cost(2, Usage(1200, 34), TokenPrices(0.5, 2.0, "EUR")))
    1,200 tokens in and 34 out, 0.000668 EUR
    """

    answers: int = 0  # whose tokens are known
    usage: Usage = field(default_factory=Usage)
    prices: TokenPrices | None = None

    @property
    def price(self) -> float | None:
        """The price of all tokens; None where there are none, or no prices."""
        return self.prices.price(self.usage) if self.prices and self.answers else None

    def with_usages(self, usages: Iterable[Usage | None]) -> "Cost":
        """The cost with that of further answers; None is an answer whose tokens are not known."""
        stated = [usage for usage in usages if usage is not None]
        if not stated:
            return self
        return replace(self, answers=self.answers + len(stated), usage=sum(stated, self.usage))

    def __add__(self, other: "Cost") -> "Cost":
        return replace(self, answers=self.answers + other.answers, usage=self.usage + other.usage)

    def __bool__(self) -> bool:
        return bool(self.answers)

    def __str__(self) -> str:
        tokens = f"{self.usage.tokens_in:,} tokens in and {self.usage.tokens_out:,} out"
        return f"{tokens}, {self.price_text}" if self.price_text else tokens

    @property
    def price_text(self) -> str:
        """The price with its currency; empty where it is not known."""
        return "" if self.price is None or not self.prices else f"{format_price(self.price)} {self.prices.currency}"

    def to_dict(self) -> dict[str, Any]:
        """The tokens, the price and its currency for JSON; null where they are not known."""
        usage = self.usage if self.answers else None
        tokens = {name: getattr(usage, name, None) for name in ("tokens_in", "tokens_out")}
        currency = None if self.price is None or not self.prices else self.prices.currency
        return {**tokens, "price": self.price, "currency": currency}

    def to_record(self) -> dict[str, Any]:
        """What the record of a run keeps, from which `of_record` makes the same cost."""
        prices = None if self.prices is None else asdict(self.prices)
        return {"answers": self.answers, **self.to_dict(), "prices": prices}

    @classmethod
    def of_record(cls, content: object) -> "Cost":
        """The cost in the record of a run; nothing where the record holds none."""
        held = content if isinstance(content, Mapping) else {}
        answers, counts = held.get("answers"), [held.get(name) for name in ("tokens_in", "tokens_out")]
        if not all(type(count) is int and count >= 0 for count in (answers, *counts)):
            answers, counts = 0, [0, 0]
        return cls(answers or 0, Usage(*(count or 0 for count in counts)), _prices(held.get("prices")))


def _prices(content: object) -> TokenPrices | None:
    held = content if isinstance(content, Mapping) else {}
    price_in, price_out, currency = as_price(held.get("input")), as_price(held.get("output")), held.get("currency")
    if price_in is None or price_out is None or not isinstance(currency, str):
        return None
    return TokenPrices(price_in, price_out, currency)


def as_price(amount: object) -> float | None:
    """A number of 0 or more that money can be; None for anything else."""
    if isinstance(amount, bool) or not isinstance(amount, int | float):
        return None
    return float(amount) if 0 <= amount < MAX_PRICE else None


def total_cost(costs: Iterable[Cost]) -> Cost:
    """The tokens of several runs of a model together, at the prices that were named last.

    >>> total_cost([Cost(1, Usage(10, 1), TokenPrices(9, 9, "EUR")), Cost(1, Usage(20, 1), TokenPrices(1, 1, "USD"))])
    Cost(answers=2, usage=Usage(tokens_in=30, tokens_out=2), prices=TokenPrices(input=1, output=1, currency='USD'))
    """
    total = Cost()
    for cost in costs:
        total = Cost(total.answers + cost.answers, total.usage + cost.usage, cost.prices or total.prices)
    return total


def format_price(amount: float) -> str:
    """An amount of money: two decimals from 1 on, three digits below.

    >>> format_price(1234.5), format_price(0.25), format_price(0.0000123)
    ('1,234.50', '0.25', '0.0000123')
    """
    return f"{amount:,.2f}" if amount >= 1 or not amount else f"{Decimal(f'{amount:.3g}'):f}"


def format_milliseconds(seconds: float) -> str:
    """Seconds in milliseconds: without decimals from 1,000 on, one decimal from 1 on, two digits below.

    >>> [format_milliseconds(seconds) for seconds in (2.5, 0.0123, 0.00039, 1.1e-06, 1e-09)]
    ['2,500', '12.3', '0.39', '0.0011', '<0.001']
    """
    number = 1000 * seconds
    if number >= 1:
        return f"{number:,.1f}" if number < 1000 else f"{number:,.0f}"
    return f"{number:.2g}" if number >= 0.001 or not number else "<0.001"


def format_rate(rate: float) -> str:
    """A number in a second: without decimals from 10 on, two digits below.

    >>> format_rate(13538.2), format_rate(0.25)
    ('13,538', '0.25')
    """
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a run may spend: so many requests or tokens, or so much money.

    >>> Budget.parse("500"), Budget.parse("2,000,000 tokens"), Budget.parse("2.5 EUR")
    (Budget(amount=500.0, unit='requests'), Budget(amount=2000000.0, unit='tokens'), Budget(amount=2.5, unit='EUR'))
    """

    amount: float
    unit: str = REQUESTS  # requests, tokens or a currency

    @classmethod
    def parse(cls, text: str) -> "Budget":
        """The budget in a text."""
        match = _AMOUNT.fullmatch(text.strip())
        if match is None:
            hint = 'it looks like 500, "2000000 tokens" or "5 EUR"'
            raise CounterpointError(f"{text!r} is no budget", hint=hint)
        unit = match[2] or REQUESTS
        plain = {"request": REQUESTS, "token": TOKENS}.get(unit.lower().removesuffix("s"), unit)
        return cls(float(match[1].replace(",", "")), plain)

    def __str__(self) -> str:
        amount = f"{self.amount:,.0f}" if self.unit in (REQUESTS, TOKENS) else format_price(self.amount)
        return f"{amount} {self.unit}"

    def spent(self, requests: int, cost: Cost) -> float:
        """How much of its unit so many requests and their replies took."""
        if self.unit == REQUESTS:
            return requests
        return float(cost.usage.tokens) if self.unit == TOKENS else cost.price or 0.0

"""Tokens, prices and budgets: sums are those of a plain loop, and what is not known stays unknown."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.costs import Budget, Cost, TokenPrices, Usage, format_price, total_cost
from counterpoint.core.errors import CounterpointError

COUNTS = st.integers(0, 10**6)
USAGES = st.builds(Usage, COUNTS, COUNTS)
PRICES = st.builds(TokenPrices, st.floats(0, 100), st.floats(0, 100), st.sampled_from(["EUR", "USD"]))


@given(st.lists(st.none() | USAGES), PRICES)
def test_a_cost_is_the_sum_over_the_answers_that_state_their_tokens(
    usages: list[Usage | None], prices: TokenPrices
) -> None:
    cost = Cost(prices=prices).with_usages(usages)
    stated = [usage for usage in usages if usage]
    assert cost.answers == len(stated)
    assert cost.usage.tokens == sum(usage.tokens_in + usage.tokens_out for usage in stated)
    whole = sum(prices.input * usage.tokens_in + prices.output * usage.tokens_out for usage in stated)
    assert cost.price == (pytest.approx(whole / 1e6) if stated else None)


@given(COUNTS, USAGES, st.none() | PRICES)
def test_a_cost_comes_back_from_the_record_of_its_run(answers: int, usage: Usage, prices: TokenPrices | None) -> None:
    cost = Cost(answers, usage if answers else Usage(), prices)
    assert Cost.of_record(cost.to_record()) == cost


@pytest.mark.parametrize(
    "record",
    [
        None,
        [],
        "free",
        {},
        {"answers": 3},
        {"answers": True, "tokens_in": 1, "tokens_out": 1},
        {"answers": 1, "tokens_in": -1, "tokens_out": 1, "prices": {"input": 10**400, "output": 1, "currency": "EUR"}},
        {"prices": {"input": float("nan"), "output": 1, "currency": "EUR"}},
        {"prices": {"input": 1, "output": 1, "currency": 5}},
    ],
)
def test_a_record_that_says_nothing_of_use_costs_nothing(record: Any) -> None:
    assert Cost.of_record(record) == Cost()


def test_runs_of_a_model_are_added_at_the_prices_that_were_named_last() -> None:
    old, new = TokenPrices(1.0, 1.0, "EUR"), TokenPrices(2.0, 4.0, "USD")
    total = total_cost([Cost(1, Usage(500_000, 0), old), Cost(1, Usage(500_000, 250_000), new), Cost(1, Usage(0, 0))])
    assert (total.answers, total.price, str(total)) == (3, 3.0, "1,000,000 tokens in and 250,000 out, 3.00 USD")


@pytest.mark.parametrize(
    ("text", "budget", "shown"),
    [
        ("500", Budget(500), "500 requests"),
        ("1 request", Budget(1), "1 requests"),
        ("2,000,000 tokens", Budget(2e6, "tokens"), "2,000,000 tokens"),
        (" 2000000Tokens ", Budget(2e6, "tokens"), "2,000,000 tokens"),
        ("0.05 EUR", Budget(0.05, "EUR"), "0.05 EUR"),
        ("1,200.5 kronor", Budget(1200.5, "kronor"), "1,200.50 kronor"),
    ],
)
def test_a_budget_is_in_requests_tokens_or_money(text: str, budget: Budget, shown: str) -> None:
    assert Budget.parse(text) == budget
    assert str(budget) == shown


@pytest.mark.parametrize(
    "text", ["", "EUR", "-5", "0,5 EUR", "1e9 tokens", "5 €", "nan", "5 EUR a day", "5_000", "٣ EUR €"]
)
def test_what_may_be_misread_is_no_budget(text: str) -> None:
    with pytest.raises(CounterpointError, match="is no budget") as told:
        Budget.parse(text)
    assert "2000000 tokens" in told.value.hint


@given(st.floats(1e-9, 1e9))
def test_a_price_is_shown_to_three_digits_and_without_exponent(amount: float) -> None:
    shown = format_price(amount)
    assert "e" not in shown
    assert float(shown.replace(",", "")) == pytest.approx(amount, rel=6e-3)

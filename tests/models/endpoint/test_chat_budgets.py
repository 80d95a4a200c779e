"""Budgets in requests, tokens and money: a run ends in order, and the next one asks the rest."""

import pytest
from proving import prove
from served import answers, asked_table, own_reply, run, served, some

from counterpoint.core.costs import Budget, Cost, TokenPrices, Usage
from counterpoint.core.errors import BudgetExhausted
from counterpoint.core.groups import Mode
from counterpoint.testing import ChatServer, MemoryLog, ServerFault


def test_a_spent_budget_ends_the_run_and_the_next_one_asks_only_the_rest() -> None:
    log, asked = MemoryLog(), some(30)
    with ChatServer() as server:
        first = run(asked_table(asked), served(server, budget=Budget(12)), log)
        assert (first.asked, first.failed, first.left) == (12, 0, 18)
        assert len(server.received) == len(log.says) == 12
        second = run(asked_table(asked), served(server), log)
        assert (second.asked, second.cached, second.left) == (18, 12, 0)
        assert set(server.asked.values()) == {1}
    assert {log.says[query.id, 0].raw for query in asked} == {own_reply(query) for query in asked}


def test_a_budget_counts_what_is_sent_again_and_fails_nobody() -> None:
    log = MemoryLog()
    with ChatServer(trouble=lambda asked, times: ServerFault.BROKEN if not times else None) as server:
        first = run(asked_table(some(30)), served(server, budget=Budget(20)), log)
        assert len(server.received) == 20
        with pytest.raises(BudgetExhausted, match="the budget of 1 requests is used up"):
            answers(served(server, budget=Budget(1)), some(2))
    assert (first.failed, first.asked + first.left) == (0, 30)


@pytest.mark.parametrize("concurrency", [prove(1), 4])
@pytest.mark.parametrize(
    ("budget", "prices"),
    [
        (Budget(160, "tokens"), None),
        (Budget(0.00016, "EUR"), TokenPrices(1.0, 1.0, "EUR")),
        (Budget(0.00015, "EUR"), TokenPrices(0.5, 2.0, "EUR")),
    ],
)
def test_a_budget_in_tokens_or_money_keeps_what_has_arrived_and_the_next_run_asks_the_rest(
    budget: Budget, prices: TokenPrices | None, concurrency: int
) -> None:
    log, asked = MemoryLog(), some(40)
    with ChatServer(lambda request: "a red cup", together=1) as server:
        model = served(server, budget=budget, prices=prices, concurrency=concurrency)
        first = run(asked_table(asked), model, log)
        assert first.asked == len(log.says) == len(server.received) == first.cost.answers
        assert first.left == 40 - first.asked > 0
        assert first.stopped == f"the budget of {budget} is used up"
        one = budget.spent(1, Cost(1, Usage(12, 3), prices))
        spent = budget.spent(first.asked, first.cost)
        assert spent <= budget.amount + (concurrency - 1) * one  # the first requests are in flight before any reply
        assert spent >= budget.amount - 3 * one
        second = run(asked_table(asked), served(server, prices=prices), log)
        assert (second.asked, second.left, second.stopped) == (first.left, 0, "")
        assert set(server.asked.values()) == {1}


def test_a_budget_in_tokens_ends_the_run_where_the_server_states_none() -> None:
    body = b'{"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}'
    response = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b" % (len(body), body)
    log = MemoryLog()
    with ChatServer(verbatim=lambda request: response) as server:
        outcome = run(asked_table(some(9)), served(server, budget=Budget(10**6, "tokens"), concurrency=1), log)
    assert (outcome.asked, outcome.left, outcome.cost.answers) == (1, 8, 0)
    assert "the server does not state its tokens" in outcome.stopped
    assert [answer.usage for answer in log.says.values()] == [None]


def test_what_a_reply_cost_is_kept_though_no_answer_came_of_it() -> None:
    log = MemoryLog()
    with ChatServer(lambda request: "yes", logprobs=False) as server:
        outcome = run(asked_table(some(1, mode=Mode.SCORE)), served(server), log)
    assert (outcome.failed, outcome.cost.answers) == (1, 1)
    assert outcome.cost.usage.tokens_out == 1

"""An answer says what became of the query."""

import pytest

from counterpoint.core.groups import Answer, State


def test_a_plain_answer_is_its_own_value() -> None:
    answer = Answer.of("Yes.")
    assert (answer.raw, answer.value, answer.state, answer.score) == ("Yes.", "Yes.", State.OK, None)


def test_a_rule_may_take_nothing_from_what_was_said() -> None:
    answer = Answer.of("Hm.", value="", rule="yes-no")
    assert (answer.raw, answer.value, answer.rule) == ("Hm.", "", "yes-no")


@pytest.mark.parametrize("score", [0.0, 0.1, -3.5, 1e-9])
def test_a_score_is_kept_exactly(score: float) -> None:
    answer = Answer.scored(score)
    assert answer.score == score == float(answer.raw)
    assert answer.state is State.OK


def test_a_failure_keeps_its_reason_even_if_the_exception_says_nothing() -> None:
    assert Answer.failed("time-out after 30 s").reason == "time-out after 30 s"
    assert Answer.failed(TimeoutError()).reason == "TimeoutError"
    assert Answer.failed(TimeoutError()).state is State.FAILED


def test_states_have_the_names_that_tables_hold() -> None:
    assert [str(state) for state in State] == ["ok", "unparsed", "refused", "hedged", "failed"]

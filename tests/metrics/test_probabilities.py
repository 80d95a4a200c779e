"""The probability of what was said, taken from the likeliest values."""

from itertools import chain

import numpy as np
import pyarrow as pa
from answer_tables import Made, Member, Said, tables
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.probabilities import value_probabilities
from counterpoint.store.tables import ANSWERS

Row = tuple[str, str, list[tuple[str, float]]]
WORDS = ("yes", "no", "Yes.")
LIKELY = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from([0.75, 0.5, 0.25])), max_size=3)
ROWS = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS), LIKELY), max_size=6)


def _table(rows: list[Row]) -> pa.Table:
    listed = [[{"value": word, "probability": chance} for word, chance in top] for *_, top in rows]
    raw, value = [raw for raw, *_ in rows], [value for _, value, _ in rows]
    texts = {"raw": pa.array(raw, pa.string()), "value": pa.array(value, pa.string())}
    return pa.table(texts | {"top": pa.array(listed, ANSWERS.field("top").type)})


@given(ROWS, ROWS)
def test_an_answer_has_the_probability_of_its_value_else_of_its_raw_text(rows: list[Row], more: list[Row]) -> None:
    def naive(raw: str, value: str, top: list[tuple[str, float]]) -> float | None:
        as_written = (chance for wanted in (value, raw) for word, chance in top if word == wanted)
        as_read = (chance for word, chance in top if word.lower().rstrip(".") == value.lower().rstrip("."))
        return next(chain(as_written, as_read), None)

    table = pa.concat_tables([_table(rows), _table(more)])
    found = [None if np.isnan(probability) else probability for probability in value_probabilities(table)]
    assert found == [naive(*row) for row in (*rows, *more)]


def test_single_answers_know_how_sure_the_model_was_and_stay_without_it_where_nobody_read_it() -> None:
    groups, answers, _ = tables([Made((Member(None, Said(value="yes")), Member(None, None)))])
    top = pa.array([[{"value": "yes", "probability": 0.75}]], ANSWERS.field("top").type)
    told = answers.set_column(answers.column_names.index("top"), "top", pa.chunked_array([top]))
    sure = judge(groups, told).singles().confidence
    assert sure[0] == 0.75
    assert np.isnan(sure[1])
    assert np.isnan(judge(groups, answers.drop_columns(["top"])).singles().confidence).all()

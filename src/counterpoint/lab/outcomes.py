"""Outcomes of a model on suites as one table: the groups joined with what the model answered."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.lab.results import LabTable
from counterpoint.lab.selection import load_answers, load_groups, select_models
from counterpoint.metrics.outcomes import STATES, judge, sort_by_group
from counterpoint.store.lab import LabStore

_COLUMNS = ("suite", "test", "group_id", "role", "relation", "kind", "picture", "text", "query")


def outcome_table(store: LabStore, model: str, suites: Sequence[str], threshold: float) -> LabTable:
    """One row per query: what was answered, what it earned (0 to 1), and whether the variant satisfies its relation.

    `correct` is null without gold or answer, `consistent` is null for bases and where the relation cannot be judged.
    """
    ((title, version),) = select_models(store, [model]).items()
    groups = sort_by_group(load_groups(store, suites))
    answers = load_answers(store, version)
    outcomes = judge(groups, answers, threshold)
    plain = answers.filter(pc.equal(answers["trial"], 0))
    places = pc.index_in(groups["query"], value_set=plain["query"].combine_chunks())
    pairs = outcomes.pairs()
    consistent, known = (np.zeros(len(outcomes.base), np.bool_) for _ in range(2))
    consistent[pairs.row], known[pairs.row] = pairs.related, pairs.known & pairs.counted
    columns = {name: groups[name] for name in _COLUMNS} | {
        "value": plain["value"].take(places),
        "raw": plain["raw"].take(places),
        "state": pa.DictionaryArray.from_arrays(outcomes.state, pa.array(STATES)).cast(pa.string()),
        "score": pa.array(outcomes.score, mask=np.isnan(outcomes.score)),
        "correct": pa.array(outcomes.correct, mask=np.isnan(outcomes.correct)),
        "consistent": pa.array(consistent, mask=~known),
    }
    return LabTable(f"Outcomes of {title}", pa.table(columns))

"""Where a metric applies, and where it leads: conditions on what the groups of a suite are.

A metric applies where its cases can occur at all, whatever a model answers. It leads on the suites whose tables show it
first. Both are conditions on `Contents`, so that scores, comparisons, leaderboards and pages choose metrics alike.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

from counterpoint.core.groups import Relation

PICTURE_EDIT_TESTS = ("noise", "noise-severities", "pictures-changed", "pictures-changed-severities")
"""The tests that edit a picture and keep the answer."""
REWRITE_TESTS = ("sears", "word-noise", "word-noise-severities")
"""The tests that rewrite a question and keep the answer."""
FEATURE_NOISE_TESTS = ("feature-noise",)
"""The tests that add noise to features."""
RAD_PAIR_TESTS = ("rad-counterfactuals", "rad-back-translations", "rad-dialogues", "rad-open-dialogues")
"""The tests of RAD that augment an original."""
RAD_SET_TESTS = ("rad-rephrasings", "rad-l-convqa", "rad-cs-convqa")
"""The tests of RAD whose sets have no original."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What the groups of a suite, or of one of its tests, are.

    `relations` are those of groups that have a variant: plain questions have none.
    """

    tests: frozenset[str] = frozenset()
    relations: frozenset[str] = frozenset()

    def __or__(self, other: "Contents") -> "Contents":
        return Contents(self.tests | other.tests, self.relations | other.relations)


Condition: TypeAlias = Callable[[Contents], bool]
"""Whether something holds for the contents of a suite."""


def everywhere(contents: Contents) -> bool:
    """Hold for every suite."""
    return True


def nowhere(contents: Contents) -> bool:
    """Hold for no suite."""
    return False


def has_questions(contents: Contents) -> bool:
    """Hold where a model answers questions, and does not score captions alone."""
    return contents.relations != {Relation.RANKS}


def has_no_variants(contents: Contents) -> bool:
    """Hold for plain questions."""
    return not contents.relations


def has_relation(*relations: str) -> Condition:
    """Hold where a group with a variant has one of these relations.

    >>> has_relation("same")(Contents(relations=frozenset(["same", "gold"])))
    True
    """
    return lambda contents: not contents.relations.isdisjoint(relations)


def has_test(*tests: str) -> Condition:
    """Hold where one of the tests of a suite is among these."""
    return lambda contents: not contents.tests.isdisjoint(tests)


def only_tests(*tests: str) -> Condition:
    """Hold where every test of a suite is among these."""
    return lambda contents: bool(contents.tests) and contents.tests <= {*tests}


def except_on_tests(*tests: str) -> Condition:
    """Hold where not every test of a suite is among these.

    >>> except_on_tests("noise")(Contents(frozenset(["order"])))
    True
    """
    only = only_tests(*tests)
    return lambda contents: not only(contents)


has_pairs = has_relation(Relation.SAME, Relation.DIFFERS, Relation.GOLD, Relation.SWAP)
"""Hold where questions have variants."""


def contents_by_suite(groups: pa.Table, *columns: str) -> Mapping[tuple[str, ...], Contents]:
    """The contents of each suite in a table of groups, cut by further columns, such as its tests."""
    cut = ("suite", *(name for name in columns if name not in ("suite", "test", "relation")))
    rows = groups.select([*cut, "test", "relation", "role"]).unify_dictionaries().group_by([*cut, "test", "relation"])
    split = "test" in columns
    contents: dict[tuple[str, ...], Contents] = {}
    for row in rows.aggregate([("role", "max")]).to_pylist():
        key = tuple(str(row[name]) for name in (*cut, *(["test"] if split else [])))
        own = Contents(frozenset([row["test"]]), frozenset([row["relation"]] if row["role_max"] else []))
        contents[key] = contents.get(key, Contents()) | own
    return contents

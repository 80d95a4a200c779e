"""Noise in features: what a model makes of a picture or of a question may be a little off, and its answer stays.

The noise is as wide as each feature of the model spreads over the reference queries, which the manifest lists, so that
one table of groups serves every model that lets its features be changed.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import product
from random import Random

from counterpoint.core.groups import MAX_REFERENCES, Group, Query, Relation, Side, noise_edit, reference_name
from counterpoint.core.ids import Plain
from counterpoint.core.items import Question
from counterpoint.suites.question_groups import base_query, question_group
from counterpoint.suites.suite import Suite

TRIALS = 15
"""How often the features of each side are disturbed, as in the authors' code."""
SCALE = "1"
"""In standard deviations, as in the authors' code."""
TAGS = {Side.PICTURE: "picture-features", Side.TEXT: "question-features"}
"""What the tag `edit` of a variant says."""

_BITS = 32  # of the seed of an edit
_PROOF = "noise in what a model makes of a picture or a question changes no answer"


@dataclass(frozen=True, slots=True)
class References:
    """The queries that say how far features spread, and what edits call them."""

    name: str
    queries: tuple[Query, ...]


def survey(questions: Iterable[Question]) -> References:
    """At most 500 of all questions; ids are hashes, so that the smallest are as good a draw as any."""
    asked = {query.id: query for query in map(base_query, questions)}
    drawn = tuple(asked[number] for number in nsmallest(MAX_REFERENCES, asked))
    return References(reference_name(drawn), drawn)


def propose_feature_noise(
    question: Question, references: References, rng: Random, *, variants: int = TRIALS, scale: str = SCALE
) -> Iterator[Group]:
    """The question as it is, then with noise in what a model makes of its picture, and of its words."""
    base = base_query(question)
    edited = [
        (
            replace(base, edits=(noise_edit(side, scale, references.name, rng.getrandbits(_BITS)),)),
            (("edit", TAGS[side]), ("trial", str(trial))),
        )
        for side, trial in product(Side, range(1, variants + 1))
    ]
    yield question_group(question, edited, relation=Relation.SAME, proof=_PROOF)


def reference_entries(references: References) -> Mapping[str, Mapping[str, list[list[Plain]]]]:
    """The reference queries as a manifest has them: under their name, each as its id is made."""
    return {"references": {references.name: [query.content for query in references.queries]}}


suite = Suite(
    "feature-noise",
    tests="noise in the features of the picture or the question does not change the answer",
    propose=propose_feature_noise,
    survey=survey,
    takes="questions",
    manifest_entries=reference_entries,
    options=("variants",),
)

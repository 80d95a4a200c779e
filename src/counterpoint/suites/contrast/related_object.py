"""The object of a relation: the referent of "the table", or anything that could be "a table"."""

from collections.abc import Iterator
from dataclasses import dataclass

from counterpoint.core.scenes import SceneObject
from counterpoint.scenes.ambiguity import is_known
from counterpoint.scenes.attributes import denies, has_value
from counterpoint.scenes.spatial import RelationFact, relation_fact
from counterpoint.suites.contrast.grounding import Phrase, SceneGrounder, naming_kind


@dataclass(frozen=True, slots=True)
class RelatedObject:
    """What something is said to stand in relation to; `one` is the referent of a definite phrase."""

    grounder: SceneGrounder
    phrase: Phrase
    one: SceneObject | None

    @classmethod
    def read(cls, grounder: SceneGrounder, phrase: Phrase) -> "RelatedObject":
        """Ground a phrase: one object after "the", else any such object."""
        return cls(grounder, phrase, grounder.referent(phrase) if phrase.determiner == "the" else None)

    @property
    def name(self) -> str:
        """Its name in the scene, or else in the question."""
        return self.one.name if self.one else self.phrase.noun

    @property
    def things(self) -> tuple[SceneObject, ...]:
        """The objects that the phrase surely refers to."""
        return (self.one,) if self.one else tuple(thing for thing in self.grounder.scene if self._is_one(thing))

    def relation_fact(self, subject: SceneObject, relation: str) -> RelationFact | None:
        """Whether a subject is in a relation to it, or None where that is open."""
        if self.one:
            return relation_fact(self.grounder.scene, subject, relation, self.one)
        if not is_known(self.phrase.noun):
            return None
        facts = [
            (thing, relation_fact(self.grounder.scene, subject, relation, thing)) for thing in self._possible(subject)
        ]
        for thing, fact in facts:
            if fact and fact.holds and self._is_one(thing):
                return fact
        return self._denied(facts)

    def _denied(self, facts: list[tuple[SceneObject, RelationFact | None]]) -> RelationFact | None:
        """The proof that the relation holds for no possible referent, annotated or not."""
        if not facts:
            proof = self.grounder.absence_proof(self.phrase.noun)
            return RelationFact(False, proof) if proof else None
        if self.grounder.may_be_unannotated(self.phrase.noun) or any(fact is None or fact.holds for _, fact in facts):
            return None
        return RelationFact(False, "; ".join(fact.proof for _, fact in facts if fact))

    def _possible(self, subject: SceneObject) -> Iterator[SceneObject]:
        for thing in self.grounder.possible_referents(self.phrase.noun):
            values = self.grounder.values(thing)
            if thing.id != subject.id and not any(denies(values, value) for value, _ in self.phrase.values):
                yield thing

    def _is_one(self, thing: SceneObject) -> bool:
        values = self.grounder.values(thing)
        return bool(naming_kind(thing.name, self.phrase.noun)) and all(
            has_value(values, value) for value, _ in self.phrase.values
        )

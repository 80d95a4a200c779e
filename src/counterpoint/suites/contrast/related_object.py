"""The other thing of a relation: the one that "the table" means, or whatever could be "a table"."""

from collections.abc import Iterator
from dataclasses import dataclass

from counterpoint.core.scenes import SceneObject
from counterpoint.scenes.ambiguity import is_known
from counterpoint.scenes.attributes import denies, has_value
from counterpoint.scenes.spatial import RelationFact, relation_fact
from counterpoint.suites.contrast.grounding import Phrase, SceneGrounder, naming_kind


@dataclass(frozen=True, slots=True)
class RelatedObject:
    """What a thing is said to stand in relation to; `one` is what a definite phrase means."""

    look: SceneGrounder
    phrase: Phrase
    one: SceneObject | None

    @classmethod
    def read(cls, look: SceneGrounder, phrase: Phrase) -> "RelatedObject":
        """What a phrase means: one thing after "the", any such thing else."""
        return cls(look, phrase, look.meant(phrase) if phrase.determiner == "the" else None)

    @property
    def name(self) -> str:
        """How it is called in its scene, or in the question."""
        return self.one.name if self.one else self.phrase.noun

    @property
    def things(self) -> tuple[SceneObject, ...]:
        """The things of the scene that are surely meant."""
        return (self.one,) if self.one else tuple(one for one in self.look.scene if self._is_one(one))

    def known(self, subject: SceneObject, relation: str) -> RelationFact | None:
        """Whether something stands so to it, as far as this can be told."""
        if self.one:
            return relation_fact(self.look.scene, subject, relation, self.one)
        if not is_known(self.phrase.noun):
            return None
        facts = [(one, relation_fact(self.look.scene, subject, relation, one)) for one in self._possible(subject)]
        for one, fact in facts:
            if fact and fact.holds and self._is_one(one):
                return fact
        return self._denied(facts)

    def _denied(self, facts: list[tuple[SceneObject, RelationFact | None]]) -> RelationFact | None:
        """That nothing which could be such a thing stands so, and that nothing shows one unannotated."""
        if not facts:
            proof = self.look.absence_proof(self.phrase.noun)
            return RelationFact(False, proof) if proof else None
        if self.look.may_be_unannotated(self.phrase.noun) or any(fact is None or fact.holds for _, fact in facts):
            return None
        return RelationFact(False, "; ".join(fact.proof for _, fact in facts if fact))

    def _possible(self, subject: SceneObject) -> Iterator[SceneObject]:
        for one in self.look.possible_referents(self.phrase.noun):
            own = self.look.values(one)
            if one.id != subject.id and not any(denies(own, value) for value, _ in self.phrase.values):
                yield one

    def _is_one(self, one: SceneObject) -> bool:
        own = self.look.values(one)
        return bool(naming_kind(one.name, self.phrase.noun)) and all(
            has_value(own, value) for value, _ in self.phrase.values
        )

"""The other thing of a relation: the one that "the table" means, or whatever could be "a table"."""

from collections.abc import Iterator
from dataclasses import dataclass

from counterpoint.core.scenes import SceneObject
from counterpoint.scenes.ambiguity import is_known
from counterpoint.scenes.attributes import denies, has
from counterpoint.scenes.spatial import Known, known
from counterpoint.suites.contrast.contrasts import absent, hidden, rivals
from counterpoint.suites.contrast.grounding import Look, Phrase, how_called


@dataclass(frozen=True, slots=True)
class Other:
    """What a thing is said to stand in relation to; `one` is what a definite phrase means."""

    look: Look
    phrase: Phrase
    one: SceneObject | None

    @classmethod
    def read(cls, look: Look, phrase: Phrase) -> "Other":
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

    def known(self, subject: SceneObject, relation: str) -> Known | None:
        """Whether something stands so to it, as far as this can be told."""
        if self.one:
            return known(self.look.scene, subject, relation, self.one)
        if not is_known(self.phrase.noun):
            return None
        facts = [(one, known(self.look.scene, subject, relation, one)) for one in self._possible(subject)]
        for one, fact in facts:
            if fact and fact.holds and self._is_one(one):
                return fact
        return self._denied(facts)

    def _denied(self, facts: list[tuple[SceneObject, Known | None]]) -> Known | None:
        """That nothing which could be such a thing stands so, and that nothing shows one unannotated."""
        if not facts:
            proof = absent(self.look, self.phrase.noun)
            return Known(False, proof) if proof else None
        if hidden(self.look, self.phrase.noun) or any(fact is None or fact.holds for _, fact in facts):
            return None
        return Known(False, "; ".join(fact.proof for _, fact in facts if fact))

    def _possible(self, subject: SceneObject) -> Iterator[SceneObject]:
        for one in rivals(self.look, self.phrase.noun):
            own = self.look.values(one)
            if one.id != subject.id and not any(denies(own, value) for value, _ in self.phrase.values):
                yield one

    def _is_one(self, one: SceneObject) -> bool:
        own = self.look.values(one)
        return bool(how_called(one.name, self.phrase.noun)) and all(has(own, value) for value, _ in self.phrase.values)

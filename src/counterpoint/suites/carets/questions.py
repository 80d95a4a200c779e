"""A question before it has words: what it names, what it lists, and the answer with its proof."""

from dataclasses import dataclass, replace

from counterpoint.core.groups import Gold
from counterpoint.core.scenes import SceneObject
from counterpoint.suites.question_groups import Tags

VERIFICATIONS = ("object verification", "conjunctive verification", "disjunctive verification")
"""The questions whether something is there, which can be negated as a whole."""
BINARY = (*VERIFICATIONS, "attribute verification")
"""The questions that are answered with yes or no."""
CHOICES = ("object choice", "attribute choice", "action choice")
"""The questions that list what may be answered."""
KINDS = (*BINARY, *CHOICES)
"""All types of questions, Q1 to Q7."""


@dataclass(frozen=True, slots=True)
class QuestionContent:
    """A question before it has words.

    `options` are what it lists: one thing or two, or a value, or the choices; `about` is the thing that these are said
    of, where there is one; `where` follows the noun, as "on the table" does; `sort` is the class of the values or the
    general name of the choices. `objects` are all that is named and truly there, related things and every instance
    included; the tag "gone" counts what is named and is not there.
    """

    kind: str
    options: tuple[str, ...]
    gold: Gold
    proof: str
    objects: tuple[SceneObject, ...] = ()
    about: str = ""
    where: str = ""
    sort: str = ""
    tags: Tags = ()

    def listing(self, *options: str) -> "QuestionContent":
        """The same question with its options in another order."""
        assert sorted(options) == sorted(self.options), "the options stay the same"
        return replace(self, options=options)

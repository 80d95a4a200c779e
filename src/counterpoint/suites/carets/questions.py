"""The content of a question before it is worded: what it names, its options, and the answer with its proof."""

from dataclasses import dataclass, replace

from counterpoint.core.groups import Gold
from counterpoint.core.scenes import SceneObject
from counterpoint.suites.question_groups import Tags

VERIFICATIONS = ("object verification", "conjunctive verification", "disjunctive verification")
"""Questions whether something is present, which can be negated as a whole."""
BINARY = (*VERIFICATIONS, "attribute verification")
"""Questions with the answers yes and no."""
CHOICES = ("object choice", "attribute choice", "action choice")
"""Questions that list their possible answers."""
KINDS = (*BINARY, *CHOICES)
"""All types of questions, Q1 to Q7."""


@dataclass(frozen=True, slots=True)
class QuestionContent:
    """A question before it is worded.

    `options` are one or two objects, a value, or the choices; `about` is the object that these are said of, if any;
    `where` follows the noun, as "on the table" does; `sort` is the class of the values or the general name of the
    choices. `objects` are all named objects that are present, every instance and related objects included; the tag
    "gone" counts the named objects that are absent.
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

"""What sources yield beside scenes: questions, captions, dialogues, action frames, and finished groups.

Content ids are hashed from the `repr` of these values, so the names of their classes and fields are part of a lab.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from counterpoint.core.groups import Gold, Group
from counterpoint.core.ids import Memo, content_id, hex_id
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import Scene


class Step(NamedTuple):
    """One operation of a question's functional program (GQA); `inputs` are the indices of the steps it uses."""

    operation: str
    argument: str = ""
    inputs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold answers, and the program or proof that its source gives."""

    id: str
    picture: Picture
    text: str
    gold: Gold
    kind: str = ""
    scene: str = ""  # the id of the scene it asks about
    votes: tuple[str, ...] = ()  # the answer of each annotator, where there are several
    program: tuple[Step, ...] = ()
    proof: str = ""
    full_answer: str = ""
    choices: tuple[str, ...] = ()
    same_as: str = ""  # the id of the question that this one paraphrases
    context: str = ""  # shown before the question: OCR tokens
    tags: tuple[tuple[str, str], ...] = ()  # slices of its source: (name, value)


@dataclass(frozen=True, slots=True)
class GroundedQuestion:
    """A question with the scene it asks about."""

    question: Question
    scene: Scene

    @property
    def id(self) -> str:
        """The id of the question."""
        return self.question.id

    @property
    def content_id(self) -> int:
        """A hash of the question and its scene."""
        return content_id([repr(self.question), hex_id(self.scene.content_id)])


@dataclass(frozen=True, slots=True)
class Caption:
    """A sentence that describes a picture, and its foil, where the source has one."""

    id: str
    picture: Picture
    text: str
    foil: str = ""
    word: str = ""  # the word that the foil replaces
    foil_word: str = ""  # its replacement in the foil
    scene: Scene | None = field(default=None, repr=False, compare=False)  # of the picture, where it is annotated

    @property
    def content_id(self) -> int:
        """A hash of the caption and its scene."""
        own = content_id(repr(self))
        return own if self.scene is None else content_id([hex_id(own), hex_id(self.scene.content_id)])


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange of a dialogue; `options` are the answers offered, of which `answer` is the right one.

    The answer is empty where the makers of a test keep it to themselves.
    """

    question: str
    answer: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A caption and the questions and answers that followed it."""

    id: str
    picture: Picture
    caption: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Role:
    """Who or what takes part in an action, and where it is."""

    name: str
    noun: str
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """An action and its roles, as annotated for situation recognition: an agent kicks an item in a place."""

    id: str
    picture: Picture
    verb: str
    roles: tuple[Role, ...]
    size: Size | None = None  # the size that the boxes of the roles refer to

    def role(self, name: str) -> Role | None:
        """The role of this name, if the frame fills it."""
        return next((role for role in self.roles if role.name == name), None)


@dataclass(frozen=True, slots=True)
class ReadyGroup(Memo[Group]):
    """A group that is part of a published data set, under its id there.

    The group is built when it is first used, so that reading a large file costs only what is used of it.
    """

    id: str
    make: Callable[[], Group]

    @property
    def group(self) -> Group:
        """The group itself."""
        memo = getattr(self, "memo", None)
        return self.memoize(self.make()) if memo is None else memo

    @property
    def content_id(self) -> int:
        """A hash of the group's queries and gold answers."""
        group = self.group
        gold = [[answer for answer, _ in gold.answers] if gold else [] for gold in group.gold]
        return content_id([self.id, group.test, group.kind, hex_id(group.id), gold])

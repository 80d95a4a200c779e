"""What sources yield beside scenes: questions, captions, dialogues, action frames, and groups that are ready."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from counterpoint.core.groups import Gold, Group
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import Scene


class Step(NamedTuple):
    """One operation of a question's program, in GQA's terms; `inputs` are the places of the steps it builds on."""

    operation: str
    argument: str = ""
    inputs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its right answers, and whatever its source tells about why they are right."""

    id: str
    picture: Picture
    text: str
    gold: Gold
    kind: str = ""
    scene: str = ""  # the id of the scene it asks about
    votes: tuple[str, ...] = ()  # what each annotator said, where several were asked
    program: tuple[Step, ...] = ()
    proof: str = ""
    full_answer: str = ""
    choices: tuple[str, ...] = ()
    same_as: str = ""  # the id of the question that this one says in other words
    context: str = ""  # what a model is told before it: words read in the picture
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
        """A number that changes when anything asked or annotated does."""
        return content_id([repr(self.question), hex_id(self.scene.content_id)])


@dataclass(frozen=True, slots=True)
class Caption:
    """A sentence that describes a picture, and the foil, which no longer does, where its source has one."""

    id: str
    picture: Picture
    text: str
    foil: str = ""
    word: str = ""  # what was replaced in the text
    foil_word: str = ""  # what stands in its place in the foil
    scene: Scene | None = field(default=None, repr=False, compare=False)  # what is in the picture, where that is known

    @property
    def content_id(self) -> int:
        """A number that changes when anything said or annotated does."""
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
class ReadyGroup:
    """A group that the makers of a data set paired themselves, under an id that sets it apart from all their others.

    It is put together each time it is asked for, so that reading a large file costs no more than what is used of it.
    """

    id: str
    make: Callable[[], Group]

    @property
    def group(self) -> Group:
        """The group itself."""
        return self.make()

    @property
    def content_id(self) -> int:
        """A number that changes when anything that is asked, or right, does."""
        group = self.group
        gold = [[answer for answer, _ in gold.answers] if gold else [] for gold in group.gold]
        return content_id([self.id, group.test, group.kind, hex_id(group.id), gold])

"""The content of a question before it is worded, the templates of every kind, and groups of worded questions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from string import Formatter

from msgspec import Struct
from msgspec.structs import replace

from counterpoint.core.groups import Gold, Group, Query, Relation, text_query_id
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.english import a, any_of, be, do, it, join_list, no, one_or_bare, question
from counterpoint.language.lexicon.senses import is_a
from counterpoint.language.lexicon.word_lists import word_table
from counterpoint.scenes.attributes import predicate, value_list
from counterpoint.scenes.names import is_known, word_set
from counterpoint.scenes.views import ReferringExpression
from counterpoint.suites.balanced_sampling import Candidate
from counterpoint.suites.question_groups import Tags

_SHOWN = re.compile(r"picture|photo|image")
_EXCLUSIVE = re.compile(r"\beither\b")  # "either A or B" is denied by some people where both are there


class QuestionContent(Struct, frozen=True):
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


def question_about(
    expression: ReferringExpression, kind: str, options: Sequence[str], gold: Gold, proof: str, sort: str, tags: Tags
) -> QuestionContent:
    """A question about the object of a referring expression; its relation is the last tag."""
    named = (*tags, ("relation", expression.relation or "none"))
    objects, noun, where = expression.objects, expression.noun, expression.where
    return QuestionContent(kind, tuple(options), gold, proof, objects, noun, where, sort, named)


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence with slots, and its negation if it has one."""

    ask: str
    deny: str = ""


Wording = tuple[str, QuestionContent]
"""A template and the content that fills its slots."""


@cache
def templates(kind: str, related: bool = False) -> tuple[Template, ...]:
    """The templates of a kind of question, in the order of the file, with or without a relation."""
    rows = word_table("templates", Path(__file__).parent / "data")[kind].get("related" if related else "templates", [])
    return tuple(Template(row) if isinstance(row, str) else Template(*row) for row in rows)


def fitting_templates(content: QuestionContent) -> tuple[Template, ...]:
    """The templates whose slots this content can fill; none says "in the picture" twice, or "either" if not to."""
    return fill_templates(content)[0]


def fill_templates(content: QuestionContent) -> tuple[tuple[Template, ...], Mapping[str, str]]:
    """The templates that fit, and what fills their slots."""
    slots, where = _slots(content), content.where
    fitting = _fitting(content.kind, bool(where) and not content.about, tuple(slots))
    if ("either", "no") in content.tags:
        return _without(fitting, _EXCLUSIVE), slots
    return _without(fitting, _SHOWN) if "in the picture" in where else fitting, slots


def word_question(sentence: str, content: QuestionContent) -> str:
    """The question in words."""
    return question(sentence.format_map(_slots(content)))


def group_wordings(
    scene: Scene, wordings: Sequence[Wording], *, gold: Sequence[Gold] = (), relation: Relation = Relation.SAME
) -> Group:
    """A group of worded questions; where no gold is given, each has that of its content."""
    base = wordings[0][1]
    golds = tuple(gold) or tuple(content.gold for _, content in wordings)
    return Group(
        relation=relation,
        queries=tuple(Query(scene.picture, word_question(sentence, content)) for sentence, content in wordings),
        gold=golds,
        proof=base.proof,
        kind=base.kind,
        objects=base.objects,
        size=scene.size,
        tags=tuple(
            (("template", sentence), ("answer", right.best), *content.tags)
            for (sentence, content), right in zip(wordings, golds, strict=True)
        ),
    )


def group_candidate(scene: Scene, wordings: Sequence[Wording], relation: Relation = Relation.SAME) -> Candidate:
    """A candidate for a group of worded questions, of which only the base is worded until it is kept."""
    sentence, content = wordings[0]
    number = text_query_id(scene.picture, word_question(sentence, content))
    make = partial(group_wordings, scene, wordings, relation=relation)
    return Candidate(content.kind, number, content.gold.best, content.tags, make)


@cache
def _fitting(kind: str, related: bool, slots: tuple[str, ...]) -> tuple[Template, ...]:
    needed = {row: {slot for _, slot, _, _ in Formatter().parse(row.ask) if slot} for row in templates(kind, related)}
    return tuple(template for template, names in needed.items() if names <= set(slots))


@cache
def _without(rows: tuple[Template, ...], words: re.Pattern[str]) -> tuple[Template, ...]:
    return tuple(template for template in rows if not words.search(template.ask))


def _slots(content: QuestionContent) -> Mapping[str, str]:
    options, where = content.options, content.where
    if content.about:
        return _predicate_slots(content.kind, options, content.about, where, content.sort)
    if len(options) == 2:
        return _pair_slots(*options)
    return {**_existence_slots(options[0]), "z": where} if where else _existence_slots(options[0])


@cache
def _existence_slots(noun: str) -> Mapping[str, str]:
    """The slots for one object that may be present."""
    return {
        "x": a(noun),
        "any": any_of(noun),
        "no": no(noun),
        "be": be(noun),
        "do": do(noun),
    }


@cache
def _is_person(noun: str) -> bool:
    """Whether a noun, which adjectives may precede, denotes a person."""
    parts = noun.split()
    names = (" ".join(parts[start:]) for start in range(len(parts)))
    name = next(filter(is_known, names), "")
    return bool(name) and is_a(name, "person")


def _pair_slots(first: str, second: str) -> Mapping[str, str]:
    """The slots for two objects that may be present."""
    (x, nx, bex), (y, ny, bey) = _noun_slots(first), _noun_slots(second)
    slots = {"x": x, "y": y, "nx": nx, "ny": ny, "bex": bex, "bey": bey}
    return {**slots, "is": "is"} if bex == bey == "is" else slots


@cache
def _noun_slots(noun: str) -> tuple[str, str, str]:
    return one_or_bare(noun), no(noun), be(noun)


def _predicate_slots(kind: str, options: tuple[str, ...], about: str, where: str, sort: str) -> Mapping[str, str]:
    """The slots for an object with a value, or with choices."""
    slots = {"the": f"the {about} {where}".rstrip(), "be": be(about), "do": do(about)}
    if not where:
        slots["one"] = f"the {about}"
    if not _is_person(about):  # nobody is called it
        slots["it"] = it(about)
    if kind == "object choice":
        slots["v"] = join_list([a(option) for option in options], "or")
        return slots
    if kind == "action choice":
        slots["w"] = join_list(options, "or")
        slots["pose" if sort == "pose" else "pursuit"] = sort
        return slots
    slots["v"], slots["w"] = predicate(options), value_list(options)
    if sort in word_set("attributes.with_a_name"):
        slots["sort"] = sort
    if sort == "color":
        slots["color"] = sort
    return slots

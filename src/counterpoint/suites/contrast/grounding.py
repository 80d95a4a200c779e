"""Grounding: the object of a scene that a phrase refers to, or the reason why that is open."""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache, cached_property, lru_cache
from itertools import count, islice
from typing import NamedTuple

from counterpoint.core.placement import are_apart
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.english import possessive
from counterpoint.language.lexicon.senses import hypernym_names, is_a, synonyms
from counterpoint.language.nouns import is_plural, plural, singular
from counterpoint.scenes.absence import lone_parts
from counterpoint.scenes.ambiguity import absence_proof, are_told_apart, may_be
from counterpoint.scenes.attributes import attribute_class, denies, goes_before_noun, has_value, modified_noun
from counterpoint.scenes.names import can_be_asked, general_names, is_body_part, is_known, may_complete, word_set
from counterpoint.scenes.relations import relation_fact, side_of_picture
from counterpoint.scenes.views import SceneView, has_one
from counterpoint.suites.contrast.question_forms import Clue, QuestionRejected, RelativeClause, UnclearWording

_WORD = re.compile(r"[^\s,]+")
_SIDE = re.compile(r"(?:on|at|to) the (left|right)(?: side)?")
_DETERMINERS = ("the", "a", "an", "any", "some", "either")
_JOINING = frozenset({"wearing", "covered by", "covering", "covered in", "covered with"})
_BY_NAME = ("exact", "number", "synonym")
DISAGREE = "its words and its program do not say the same"
SIDE_OF_PICTURE = "side"
"""What a description gives that says where in the picture an object is."""
SEVERAL = "several things could be meant"
_SEXES = (frozenset({"man", "boy", "guy", "gentleman", "male"}), frozenset({"woman", "girl", "lady", "female"}))


class Phrase(NamedTuple):
    """A noun phrase of a question: its noun with its span, and its modifiers."""

    noun: str
    at: tuple[int, int]
    determiner: str = ""
    determiner_at: tuple[int, int] = (0, 0)
    values: tuple[tuple[str, tuple[int, int]], ...] = ()  # with their places; those after the noun have none
    side: str = ""
    anchor: RelativeClause[SceneObject] | None = None
    ids: tuple[str, ...] = ()  # of the objects that the program points at
    span: tuple[int, int] = (0, 0)  # of the whole phrase

    @property
    def is_bare(self) -> bool:
        """Whether the noun has no modifiers."""
        return not (self.values or self.side or self.anchor)

    def with_value(self, place: int, value: str) -> "Phrase":
        """The phrase with another value in one place."""
        values = list(self.values)
        values[place] = (value, values[place][1])
        return self._replace(values=tuple(values))


class Description(NamedTuple):
    """A definite phrase for an object, without its article: the words, the noun, and the class of values it gives."""

    words: str
    noun: str
    gives: str = ""


class SceneGrounder(SceneView):
    """Finds the objects of a scene that the phrases of a question refer to."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._descriptions: dict[str, tuple[list[Description], Iterator[Description]]] = {}
        self._referents: dict[str, list[SceneObject]] = {}
        self._named: dict[str, list[SceneObject]] = {}

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(thing.id for thing in self.scene)

    def possible_referents(self, name: str) -> list[SceneObject]:
        """Every object that could go by a name, in the order of the scene."""
        if name not in self._referents:
            called = {thing.id for thing in self.called(name)[0]}
            self._referents[name] = [thing for thing in self.scene if thing.id in called] if called else []
        return self._referents[name]

    def _may_be(self, own: str, name: str) -> bool:
        """Whether an object could go by another name than its own."""
        return may_be(own, name) and not are_told_apart(self.scene, name, own)

    def may_be_unannotated(self, name: str) -> bool:
        """Whether something may show an object of this name that is not annotated."""
        return self.may_be_unlisted(name) or bool(self.called(name)[1])

    def absence_proof(self, name: str) -> str:
        """The proof that no object of a name is present, or nothing where that is open."""
        return absence_proof(name) if is_thing(name) and not self.absence_doubt(name) else ""

    def is_askable(self, thing: SceneObject) -> bool:
        """Whether a question may be about an object: it is easy to see, and not the picture itself."""
        return thing.id in self._askable_ids

    @cached_property
    def _askable_ids(self) -> frozenset[str]:
        is_hard_to_see = self.scene.is_hard_to_see
        return frozenset(thing.id for thing in self.scene if is_thing(thing.name) and not is_hard_to_see(thing))

    @cached_property
    def askable_names(self) -> list[str]:
        """Names of present objects that could as well have been proved absent, and that a question may be about."""
        return self._askable(self.clear_names)

    @cached_property
    def present_names(self) -> list[str]:
        """Names of present objects that a question may be about, of all that a person sees and calls so."""
        return self._askable(self.visible_names)

    def _askable(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if any(self.is_askable(thing) for thing in self.scene.named(name))]

    def descriptions(self, thing: SceneObject) -> Iterator[Description]:
        """The phrases that refer to an object and to nothing else: by name, by a value, by its wearer, by its kind.

        They are looked for one by one, as often as one is asked for, and kept.
        """
        if thing.id not in self._descriptions:
            can_be_described = self.is_askable(thing) and not self.doubles(thing)
            self._descriptions[thing.id] = [], self._describe(thing) if can_be_described else iter(())
        found, rest = self._descriptions[thing.id]
        for place in count():
            if place == len(found):
                found.extend(islice(rest, 1))
            if place == len(found):
                return
            yield found[place]

    def _describe(self, thing: SceneObject) -> Iterator[Description]:
        values = [value for value in self.values(thing) if goes_before_noun(value)]
        general = [kind for kind in _general_kinds(thing.name) if not self.may_be_unlisted(kind)]
        words = [(thing.name, ""), *((thing.name, value) for value in values), *((kind, "") for kind in general)]
        words += [(kind, value) for kind in general for value in values]
        for noun, value in words:
            if self._is_shown_elsewhere(thing, noun):  # whatever the value
                continue
            if self.refers(Phrase(noun, (0, 0), values=((value, (0, 0)),) if value else ()), thing):
                yield Description(modified_noun(value, noun), noun, attribute_class(value))
        side = side_of_picture(self.scene, thing)
        if side and len(self.scene.named(thing.name)) > 1 and self.refers(Phrase(thing.name, (0, 0), side=side), thing):
            yield Description(f"{thing.name} on the {side}", thing.name, SIDE_OF_PICTURE)
        wearer = self.wearers.get(thing.id, "")
        if wearer and self.refers(Phrase(self.scene[wearer].name, (0, 0)), self.scene[wearer]):
            anchor = RelativeClause("wearing", False, self.scene[wearer])
            if self.refers(Phrase(thing.name, (0, 0), anchor=anchor), thing):
                yield Description(f"{possessive(self.scene[wearer].name)} {thing.name}", thing.name)

    def refers(self, phrase: Phrase, thing: SceneObject) -> bool:
        """Whether a phrase of our own surely refers to an object."""
        try:
            return self.referent(phrase).id == thing.id
        except QuestionRejected:
            return False

    def phrase(self, text: str, span: tuple[int, int], clue: Clue) -> Phrase:
        """A span of the text read as a phrase; text and program must agree."""
        if not self._ids.issuperset(clue.ids):
            raise QuestionRejected("the program points at an object that the scene does not have")
        noun, at = self._noun(text, span, clue)
        determiner, where, before = _before(text, span[0], at[0])
        anchor = self._anchor(text, span, clue.link)
        values, owned = [], False
        for word, place in before:
            if anchor and word.endswith(("'s", "s'")):
                owned = True
            elif word in clue.values or attribute_class(word) or word in word_set("attributes.hides_color"):
                values.append((word, place))
            else:
                raise QuestionRejected(DISAGREE)
        later = [value for value in clue.values if value not in [word for word, _ in values]]
        after = text[at[1] : span[1]].strip()
        if bool(after) != bool(clue.side or later or (anchor and not owned)):
            is_on_side = len(clue.ids) == 1 and self._is_side(after, clue.ids[0])
            raise UnclearWording(DISAGREE) if is_on_side else QuestionRejected(DISAGREE)
        if not all(value in after for value in (*later, clue.side)):
            raise QuestionRejected(DISAGREE)
        stated = (*values, *((value, (0, 0)) for value in later))
        return Phrase(noun, at, determiner, where, stated, clue.side, anchor, clue.ids, span)

    def _is_side(self, words: str, thing: str) -> bool:
        """Whether words say only on which side of the picture an object is, where it is."""
        side = _SIDE.fullmatch(words.lower())
        return side is not None and side_of_picture(self.scene, self.scene[thing]) == side[1]

    def _anchor(
        self, text: str, span: tuple[int, int], link: RelativeClause[Clue] | None
    ) -> RelativeClause[SceneObject] | None:
        """The object of a relative clause, grounded by the program alone; its name must be in the text."""
        if link is None:
            return None
        clue, (noun, at) = link.other, self._noun(text, span, link.other)
        values, anchor = tuple((value, (0, 0)) for value in clue.values), self._anchor(text, span, clue.link)
        phrase = Phrase(noun, at, values=values, side=clue.side, anchor=anchor, ids=clue.ids)
        return RelativeClause(link.relation, link.forth, self._pointed(phrase) if clue.ids else self.referent(phrase))

    def _noun(self, text: str, span: tuple[int, int], clue: Clue) -> tuple[str, tuple[int, int]]:
        pointed = {self.scene[match].name for match in clue.ids if match in self._ids}
        names = dict.fromkeys((clue.name, *(pointed if len(pointed) == 1 else ())))
        for spelled in (_spelled(name, in_other_words) for in_other_words in (False, True) for name in names):
            matches = [(match[0].lower(), match.span()) for match in spelled.finditer(text, *span)]
            if matches:
                break
        if len(matches) != 1:
            raise QuestionRejected(DISAGREE)
        return matches[0]

    def referent(self, phrase: Phrase, besides: Collection[str] = ()) -> SceneObject:
        """The only object that a definite phrase can refer to; raises QuestionRejected if there is another.

        The objects `besides` it, which another phrase of the question refers to, are not meant.

        Where a program points at an object, that one is meant, unless another of its name fits the phrase as well; a
        phrase of our own is rejected where anything else could be called so, or may show another such object.
        """
        if not is_known(phrase.noun):
            raise QuestionRejected("a name that no lexicon knows")
        if phrase.ids:
            return self._presupposed(phrase, besides)
        left = self._candidates(phrase)
        if len(left) != 1:
            raise QuestionRejected(SEVERAL if left else "nothing there is called so")
        thing = left[0]
        if not naming_kind(thing.name, phrase.noun) or not (phrase.is_bare or self._fits(thing, phrase)):
            raise QuestionRejected("it is doubtful whether what is there is meant")
        if phrase.anchor is None and self._is_shown_elsewhere(thing, phrase.noun):
            raise QuestionRejected(SEVERAL)
        kinds = _crowded_kinds(thing.name)
        if kinds and any(_is_of(kinds, other, thing) and not _apart(other, thing) for other in self.scene):
            raise QuestionRejected("something of its kind is in the same place, and may be the same thing")
        return thing

    def _is_shown_elsewhere(self, thing: SceneObject, noun: str) -> bool:
        """Whether anything may show another such object; a mountain that is covered by the snow shows this one."""
        if not (shown := self.called(noun)[1]):
            return False
        wearer = self.wearers.get(thing.id)
        others = (other for other in shown if other.id not in (thing.id, wearer))
        return any(not (self._are_joined(other.id, thing.id) or self._has_this(other, thing, noun)) for other in others)

    def _has_this(self, whole: SceneObject, part: SceneObject, noun: str) -> bool:
        """Whether the one such part that an object has is this: a windshield within the box of a truck."""
        if not self.scene.is_sparse or noun != part.name or is_body_part(noun) or not has_one(whole.name, noun):
            return False
        return whole.box is not None and part.box is not None and whole.box.overlap(part.box) == part.box.area

    def _are_joined(self, one: str, other: str) -> bool:
        """Whether two objects are annotated as covering or wearing each other, not only as placed."""
        return (one, other) in self._joined or (other, one) in self._joined

    @cached_property
    def _joined(self) -> frozenset[tuple[str, str]]:
        return frozenset((link.subject, link.object) for link in self.scene.relations if link.name in _JOINING)

    def _pointed(self, phrase: Phrase) -> SceneObject:
        """The object that the program points at."""
        pointed = [self.scene[one] for one in phrase.ids]
        fitting = [thing for thing in pointed if len(pointed) == 1 or self._fits(thing, phrase)]
        if len(fitting) != 1:
            raise QuestionRejected(SEVERAL)
        thing = fitting[0]
        if not self._may_be(thing.name, phrase.noun) or not self._may_fit(thing, phrase):
            raise QuestionRejected("the scene has something else where the program points")
        return thing

    def _presupposed(self, phrase: Phrase, besides: Collection[str]) -> SceneObject:
        """The object that the program points at, which its source tells from those with other names."""
        thing = self._pointed(phrase)
        if not self.is_askable(thing):
            raise QuestionRejected("it is about something too small to be sure of, or about no thing")
        taken = {thing.id, *besides}
        rivals = [
            other for other in self.scene if other.id not in taken and _is_rival(other.name, thing.name, phrase.noun)
        ]
        if any(self._fits(other, phrase) for other in rivals) or self._may_mean_unannotated(thing, phrase):
            raise UnclearWording(SEVERAL)
        # which woman is in the middle, or whether what is called a bag is black too, no annotation tells
        is_open = not all(attribute_class(value) for value, _ in phrase.values)
        named = self.possible_referents(phrase.noun) if is_open else self.scene.named(phrase.noun)
        others = named if is_open or thing.name != phrase.noun else ()
        if any(other.id not in taken and self._may_fit(other, phrase) for other in others):
            raise UnclearWording(SEVERAL)
        return thing

    def _may_mean_unannotated(self, thing: SceneObject, phrase: Phrase) -> bool:
        """Whether a general name may be that of what only a part is annotated of: the wearer of a shirt at the side."""
        if singular(thing.name) == singular(phrase.noun):
            return False
        parts = (part for part in self._lone_parts if may_complete(part.name, phrase.noun))
        return any(not phrase.side or side_of_picture(self.scene, part) in ("", phrase.side) for part in parts)

    @cached_property
    def _lone_parts(self) -> tuple[SceneObject, ...]:
        return lone_parts(self.scene)

    def _candidates(self, phrase: Phrase) -> list[SceneObject]:
        """Every object that a phrase could refer to.

        Where one is annotated as a man and another, elsewhere, as a woman or as people, annotators have distinguished
        them; two names for one person would have overlapping boxes.
        """
        things = self.possible_referents(phrase.noun)
        if not phrase.is_bare:
            things = [thing for thing in things if self._may_fit(thing, phrase)]
        if len(things) < 2:
            return things
        noun = singular(phrase.noun)
        others = [sex for own, sex in (_SEXES, _SEXES[::-1]) if noun in own]  # words for the other sex
        same_sex = [
            thing
            for thing in things
            if not any(singular(thing.name) in words for words in others)
            and (is_plural(phrase.noun) or not is_plural(thing.name) or singular(thing.name) == noun)
        ]
        if len(same_sex) == 1 and all(thing in same_sex or _apart(same_sex[0], thing) for thing in things):
            return same_sex
        return things

    def denies_values(self, thing: SceneObject, phrase: Phrase) -> bool:
        """Whether the values of an object exclude one of a phrase."""
        return bool(phrase.values) and any(denies(self.values(thing), value) for value, _ in phrase.values)

    def has_values(self, thing: SceneObject, phrase: Phrase) -> bool:
        """Whether an object has all values of a phrase."""
        return not phrase.values or all(has_value(self.values(thing), value) for value, _ in phrase.values)

    def matches(self, thing: SceneObject, phrase: Phrase) -> bool:
        """Whether an object surely goes by the noun of a phrase and has all its values."""
        return bool(naming_kind(thing.name, phrase.noun)) and self.has_values(thing, phrase)

    def matching(self, phrase: Phrase) -> list[SceneObject]:
        """The objects that surely go by the noun of a phrase and have all its values."""
        if phrase.noun not in self._named:
            self._named[phrase.noun] = [thing for thing in self.scene if naming_kind(thing.name, phrase.noun)]
        return [thing for thing in self._named[phrase.noun] if self.has_values(thing, phrase)]

    def _may_fit(self, thing: SceneObject, phrase: Phrase) -> bool:
        if phrase.side and side_of_picture(self.scene, thing) not in ("", phrase.side):
            return False
        return not self.denies_values(thing, phrase) and self._stands(thing, phrase.anchor) is not False

    def _fits(self, thing: SceneObject, phrase: Phrase) -> bool:
        if not all(has_value(self.values(thing), value) or value in thing.attributes for value, _ in phrase.values):
            return False
        if phrase.side and side_of_picture(self.scene, thing) != phrase.side:
            return False
        return self._stands(thing, phrase.anchor) is True

    def _stands(self, thing: SceneObject, anchor: RelativeClause[SceneObject] | None) -> bool | None:
        """Whether a relative clause holds of an object, or None where that is open."""
        if anchor is None:
            return True
        pair = (thing, anchor.other) if anchor.forth else (anchor.other, thing)
        fact = relation_fact(self.scene, pair[0], anchor.relation, pair[1])
        return fact.holds if fact else None


@cache
def is_thing(name: str) -> bool:
    """Whether a question may ask for such an object: not for the picture, the room, or what is everywhere."""
    return can_be_asked(name) and singular(name) not in word_set("the_picture") and not is_a(name, "room")


@cache
def naming_kind(name: str, noun: str) -> str:
    """How a name matches a noun: exact, number, synonym, hyponym, or not at all.

    >>> [naming_kind("motorcycle", noun) for noun in ("motorcycle", "motorcycles", "motorbike", "vehicle", "dog")]
    ['exact', 'number', 'synonym', 'hyponym', '']
    """
    if name == noun:
        return "exact"
    if not (is_known(name) and is_known(noun)):
        return ""
    if singular(name) == singular(noun):
        return "number"
    if singular(noun) in synonyms(name) or singular(name) in synonyms(noun):
        return "synonym"
    if singular(noun) in hypernym_names(name):
        return "hyponym"
    return "synonym" if is_a(name, noun) and is_a(noun, name) else ""


@lru_cache(1 << 16)
def _is_rival(other: str, name: str, noun: str) -> bool:
    """Whether an object of another name goes by the noun as well that is said of one of this name.

    Players are not "the person", and who names one of two bags a backpack calls the other one "the bag".
    """
    if singular(other) == singular(name) or naming_kind(other, noun) in _BY_NAME:
        return True
    is_kind = naming_kind(other, noun) == "hyponym" and is_plural(other) == is_plural(noun)
    return is_kind and singular(name) != singular(noun)


@cache
def _general_kinds(name: str) -> tuple[str, ...]:
    """The general names by which one object of a name may be called."""
    kinds = hypernym_names(name) if is_known(name) and not is_plural(name) else ()
    return tuple(kind for kind in kinds if general_names().get(kind) == kind)


@cache
def _kinds(name: str) -> frozenset[str]:
    return frozenset(hypernym_names(name)) & general_names().keys() if is_known(name) else frozenset()


@cache
def _crowded_kinds(name: str) -> frozenset[str]:
    return _kinds(name) & {"vehicle", "animal"}


def _is_of(kinds: frozenset[str], other: SceneObject, thing: SceneObject) -> bool:
    """Whether two objects of different names are of one kind, as a taxi and a food truck."""
    return other.name != thing.name and not kinds.isdisjoint(_kinds(other.name))


def _apart(thing: SceneObject, other: SceneObject) -> bool:
    """Whether two boxes show two objects."""
    return thing.box is not None and other.box is not None and are_apart(thing.box, other.box)


@cache
def _spelled(name: str, in_other_words: bool) -> re.Pattern[str]:
    """A pattern for a name, or for its synonyms and hypernyms, in any number."""
    names = (*synonyms(name), *hypernym_names(name)) if in_other_words and is_known(name) else (name,)
    forms = {form for name in names for form in (name, singular(name), plural(name))} or {"\0"}
    longest = sorted(forms, key=lambda form: (-len(form), form))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b", re.IGNORECASE)


def _before(text: str, start: int, end: int) -> tuple[str, tuple[int, int], list[tuple[str, tuple[int, int]]]]:
    """The determiner before a noun, and the words between the two, each with its place."""
    matches = (match for match in _WORD.finditer(text, 0, end) if match.start() >= start)
    words = [(match[0].lower(), match.span()) for match in matches]
    for place in range(len(words) - 2, -1, -1):  # "light blue" is one value
        both = f"{words[place][0]} {words[place + 1][0]}"
        if attribute_class(both):
            words[place : place + 2] = [(both, (words[place][1][0], words[place + 1][1][1]))]
    if words and words[0][0] in _DETERMINERS:
        return words[0][0], words[0][1], words[1:]
    return "", (start, start), words

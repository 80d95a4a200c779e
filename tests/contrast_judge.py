"""A second opinion on contrast questions: the answer from the words and the scene alone, by the plainest means.

It reads the wordings of the world and of GQA and knows nothing of the suite: no programs, no lexicon of doubts, no
margins. Of the language it takes the forms of words, and what is a kind of what.
"""

import re

from counterpoint.core.errors import UnknownName
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.lexicon.senses import is_a
from counterpoint.language.nouns import is_plural, plural, singular
from counterpoint.language.verbs import gerund

PLACES = ("to the left of", "to the right of", "in front of", "behind", "above", "below", "under", "on", "near")
_HIGHER, _LOWER = "higher than", "lower than"
_PLACE = "|".join(
    (*PLACES, _HIGHER, _LOWER, "on top of", "beneath", "next to", "beside", "inside", "in", "at", "by", "around")
)
_ACT = rf"\w+ing(?: (?:with|from|{_PLACE}))?"
_RELATION = rf"{_ACT}|{_PLACE}"
_COLORS = ["white", "black", "gray", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown"]
_PICTURE = r"(?:photo|picture|image|scene|photograph)"
_HALF = r"(?:(?:on|in|to) )?(?:the )?(?:left|right)(?: side| part| half)?"
_SIDES = rf"{_HALF} or {_HALF}"


def judged(scene: Scene, text: str) -> str:
    """The answer, or why there is none, in angle brackets."""
    words = re.sub(r" ?[?.]*$", "", text.lower()).replace(",", "")
    words = re.sub(rf" in (?:this|the) {_PICTURE}| there$", "", words)
    words = re.sub(rf"(?<=side|part|half) of (?:this|the) {_PICTURE}", "", words)
    words = re.sub(rf"((?:on|in) the (?:left|right)) of (?:this|the) {_PICTURE}", r"\1", words)
    words = re.sub(r"^(?:do|can) you (?:also )?see|^(?:is|are) there", "there:", words)
    words = words.replace(" in the middle", "")
    words = re.sub(r"^do you think (the .+?) (is|are) ", r"\2 \1 ", words)
    if words.startswith("there:"):
        return _existing(scene, words.removeprefix("there: "))
    if re.search(r"\bcolou?r\b", words):
        return _color(scene, words)
    if re.search(rf"\bside\b.* (?:is|are) |(?:is|are) on (?:which|what) side|^(?:is|are) the .+ {_SIDES}$", words):
        return _side(scene, words)
    if found := re.fullmatch(
        r"(?:is|are) the (.+) to the (?:left|right) or (?:to )?the (?:left|right) of the (.+)", words
    ):
        return _which(scene, found[1], found[2])
    if found := re.fullmatch(r"(?:is|are|does|do) the (.+)", words):
        return _related(scene, found[1], acts=words.startswith("d"))
    return "<not read>"


def _said(truth: bool) -> str:
    return "yes" if truth else "no"


def _existing(scene: Scene, words: str) -> str:
    if found := re.fullmatch(r"(?:either )?(.+) or (.+)", words):
        return _said(any(_there(scene, group) for group in found.groups()))
    if found := re.fullmatch(rf"(.+?)(?: that (?:is|are))? ({_RELATION}) the (.+)", words):
        return _placed(scene, *found.groups())
    return "<not read>"


def _bare(phrase: str) -> str:
    return re.sub(r"^(?:a|an|any|some) ", "", phrase)


def _there(scene: Scene, phrase: str) -> bool:
    return any(_fits(one, _bare(phrase)) for one in scene)


def _is(one: SceneObject, name: str) -> bool:
    if name in (one.name, singular(one.name), plural(one.name)):
        return True
    try:
        return is_a(one.name, name)
    except UnknownName:
        return False


def _fits(one: SceneObject, phrase: str) -> bool:
    """Whether a thing is what an indefinite phrase says, with values before its noun."""
    value, _, rest = phrase.partition(" ")
    return _is(one, phrase) or (bool(rest) and value in one.attributes and _fits(one, rest))


def _placed(scene: Scene, phrase: str, relation: str, other: str) -> str:
    anchors = _meant(scene, other)
    if len(anchors) != 1:
        return f"<{len(anchors)} for {other}>"
    name = _bare(phrase)
    return _said(any(_fits(one, name) and _holds(scene, one, relation, anchors[0]) for one in scene))


def _color(scene: Scene, words: str) -> str:
    phrase = re.sub(r"^.*?\bthe (?:colou?r of the )?", "", words, count=1)
    phrase = re.sub(r" (?:(?:is|are)(?: (?:of )?(?:what|which) colou?r)?|(?:has|have)(?: \w+ colou?r)?)$", "", phrase)
    found = _meant(scene, phrase)
    colors = [value for value in found[0].attributes if value in _COLORS] if len(found) == 1 else []
    return colors[0] if len(colors) == 1 else f"<{len(found)} for {phrase}>"


def _side(scene: Scene, words: str) -> str:
    phrase = re.sub(rf" {_SIDES}$", "", words)
    phrase = re.sub(r"^(?:(?:on |in )?(?:which|what) side )?(?:is |are )?the ", "", phrase)
    phrase = re.sub(r" (?:is|are) on (?:which|what) side$| on$", "", phrase)
    found = _meant(scene, phrase)
    if len(found) != 1 or found[0].box is None:
        return f"<{len(found)} for {phrase}>"
    return "left" if found[0].box.middle[0] < scene.size.width / 2 else "right"


def _which(scene: Scene, phrase: str, other: str) -> str:
    """Left or right, where exactly one of them holds of two things."""
    one, two = _meant(scene, phrase), _meant(scene, other)
    if len(one) != 1 or len(two) != 1:
        return f"<{len(one)} for {phrase}, {len(two)} for {other}>"
    sides = [name for name in ("left", "right") if _holds(scene, one[0], f"to the {name} of", two[0])]
    return sides[0] if len(sides) == 1 else "<neither, or both>"


def _related(scene: Scene, words: str, *, acts: bool) -> str:
    """Every way to part the words into a thing, a relation and another is tried, until both are found."""
    problem = "<not read>"
    verb = rf"\w+(?: (?:with|from|{_PLACE}))?"
    for found in _partings(words, verb if acts else _RELATION):
        phrase, relation, article, other = found
        relation = gerund(relation) if acts else relation
        one = _meant(scene, phrase)
        two = _meant(scene, other) if article == "the" else [thing for thing in scene if _fits(thing, other)]
        if len(one) == 1 and (len(two) == 1 or article != "the"):
            return _said(any(_holds(scene, one[0], relation, thing) for thing in two if thing.id != one[0].id))
        problem = f"<{len(one)} for {phrase}, {len(two)} for {other}>"
    return problem


def _partings(words: str, relation: str) -> list[tuple[str, str, str, str]]:
    """Thing, relation, article and other thing, those with the last relation and its longest form first."""
    starts = [found.start() + 1 for found in re.finditer(" ", words)]
    found = (re.fullmatch(rf"({relation}) (?:(the|a|an|any|some) )?(.+)", words[start:]) for start in starts)
    rows = [(words[: start - 1], one[1], one[2] or "", one[3]) for start, one in zip(starts, found, strict=True) if one]
    return sorted(rows, key=lambda row: (not row[1].partition(" ")[0].endswith("ing"), -len(row[0])))


def _holds(scene: Scene, one: SceneObject, relation: str, other: SceneObject) -> bool:
    if any(link.name == relation and link.object == other.id for link in scene.relations_of(one.id)):
        return True
    if one.box and other.box and relation in PLACES[:2]:
        apart = one.box.right <= other.box.x if relation == PLACES[0] else one.box.x >= other.box.right
        return apart and one.id != other.id
    if one.box and other.box and relation in (_HIGHER, _LOWER):
        upper, lower = (one.box, other.box) if relation == _HIGHER else (other.box, one.box)
        return upper.bottom <= lower.y
    return False


def _meant(scene: Scene, phrase: str) -> list[SceneObject]:
    """All things that a phrase with "the" could mean: of exactly this name, or else those that are such a thing."""
    found = _called(scene, phrase, exactly=True) or _called(scene, phrase, exactly=False)
    return [one for one in found if not is_plural(one.name)] or found if len(found) > 1 else found


def _called(scene: Scene, phrase: str, *, exactly: bool) -> list[SceneObject]:
    """The things of a phrase: by name, values, side, clothes, owner or relation."""
    if found := re.fullmatch(r"(.+) (?:on|to) the (left|right)(?: side)?", phrase):
        half = scene.size.width / 2
        return [
            one
            for one in _called(scene, found[1], exactly=exactly)
            if one.box and (one.box.middle[0] < half) is (found[2] == "left")
        ]
    if found := re.fullmatch(r"(.+)'s? (.+)", phrase):
        owners = {one.id for one in _called(scene, found[1], exactly=exactly)}
        worn = {link.object for link in scene.relations if link.name == "wearing" and link.subject in owners}
        return [one for one in _called(scene, found[2], exactly=exactly) if one.id in worn]
    if found := re.fullmatch(rf"(.+?)(?: that (?:is|are))? ({_RELATION}) the (.+)", phrase):
        relations = ("wearing", "in") if found[2] == "in" else (found[2],)
        others = _meant(scene, found[3])
        return [
            one
            for one in _called(scene, found[1], exactly=exactly)
            if any(_holds(scene, one, relation, other) for relation in relations for other in others)
        ]
    if found := re.fullmatch(r"(.+) that (?:is|are) (\w+)", phrase):
        return [one for one in _called(scene, found[1], exactly=exactly) if found[2] in one.attributes]
    named = [one for one in scene if (one.name == phrase if exactly else _is(one, phrase))]
    if named:
        return named
    value, _, rest = phrase.partition(" ")
    if rest and any(value in one.attributes for one in scene):
        return [one for one in _called(scene, rest, exactly=exactly) if value in one.attributes]
    return []

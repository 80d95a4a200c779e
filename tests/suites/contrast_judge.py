"""A second opinion on contrast questions: the answer from the words and the scene alone, by the plainest means.

It knows the wordings of the world's questions and nothing of the suite: no programs, no lexicon of doubts, no margins.
"""

import re

from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.nouns import plural, singular
from counterpoint.language.senses import is_a

PLACES = ("to the left of", "to the right of", "in front of", "behind", "above", "below", "under", "on", "near")
_PLACE = "|".join(PLACES)
_COLORS = ["white", "black", "gray", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown"]


def judged(scene: Scene, text: str) -> str:
    """The answer, or why there is none, in angle brackets."""
    words = text.lower().rstrip("?")
    words = re.sub(r" in this (?:photo|image)|(?<=side|part) of the (?:photo|image)", "", words)
    if found := re.fullmatch(r"(?:do you see|(?:is|are) there)(?: either)? (.+) or (.+)", words):
        return _said(any(_there(scene, one) for one in found.groups()))
    if found := re.fullmatch(rf"(?:is|are) there (.+?) ({_PLACE}) the (.+)", words):
        return _placed(scene, *found.groups())
    if "color" in words:
        return _color(scene, words.partition(" the ")[2].removeprefix("color of the "))
    if found := re.fullmatch(r"(?:on )?which side (?:is|are) the (.+?)(?: on)?", words):
        return _side(scene, found[1])
    if found := re.fullmatch(r"(?:is|are) the (.+) (?:on|in) the \w+ or (?:on|in) the \w+(?: side| part)?", words):
        return _side(scene, found[1])
    if found := re.fullmatch(rf"(?:is|are) the (.+) ({_PLACE}|\w+ing(?: on| from)?) the (.+)", words):
        return _related(scene, *found.groups())
    return "<not read>"


def _said(truth: bool) -> str:
    return "yes" if truth else "no"


def _bare(phrase: str) -> str:
    return re.sub(r"^(?:a|an|any|some) ", "", phrase)


def _there(scene: Scene, phrase: str) -> bool:
    return any(_is(one, _bare(phrase)) for one in scene)


def _is(one: SceneObject, name: str) -> bool:
    return name in (one.name, singular(one.name), plural(one.name)) or is_a(one.name, name)


def _placed(scene: Scene, phrase: str, relation: str, other: str) -> str:
    anchors = _meant(scene, other)
    if len(anchors) != 1:
        return f"<{len(anchors)} for {other}>"
    name = _bare(phrase)
    return _said(any(_is(one, name) and _holds(scene, one, relation, anchors[0]) for one in scene))


def _color(scene: Scene, phrase: str) -> str:
    phrase = re.sub(r" (?:is|are) (?:of )?(?:what|which) color$", "", phrase)
    found = _meant(scene, phrase)
    colors = [value for value in found[0].attributes if value in _COLORS] if len(found) == 1 else []
    return colors[0] if len(colors) == 1 else f"<{len(found)} for {phrase}>"


def _side(scene: Scene, phrase: str) -> str:
    found = _meant(scene, phrase)
    if len(found) != 1 or found[0].box is None:
        return f"<{len(found)} for {phrase}>"
    return "left" if found[0].box.middle[0] < scene.size.width / 2 else "right"


def _related(scene: Scene, phrase: str, relation: str, other: str) -> str:
    one, two = _meant(scene, phrase), _meant(scene, other)
    if len(one) != 1 or len(two) != 1:
        return f"<{len(one)} for {phrase}, {len(two)} for {other}>"
    return _said(_holds(scene, one[0], relation, two[0]))


def _holds(scene: Scene, one: SceneObject, relation: str, other: SceneObject) -> bool:
    if any(link.name == relation and link.object == other.id for link in scene.relations_of(one.id)):
        return True
    if one.box and other.box and relation in PLACES[:2]:
        apart = one.box.right <= other.box.x if relation == PLACES[0] else one.box.x >= other.box.right
        return apart and one.id != other.id
    return False


def _meant(scene: Scene, phrase: str) -> list[SceneObject]:
    """All things that a phrase with "the" could mean: by name, values, side, clothes, owner or relation."""
    if found := re.fullmatch(r"(.+) on the (left|right)", phrase):
        half = scene.size.width / 2
        return [
            one for one in _meant(scene, found[1]) if one.box and (one.box.middle[0] < half) is (found[2] == "left")
        ]
    if found := re.fullmatch(r"(.+)'s? (.+)", phrase):
        owners = {one.id for one in _meant(scene, found[1])}
        worn = {link.object for link in scene.relations if link.name == "wearing" and link.subject in owners}
        return [one for one in _meant(scene, found[2]) if one.id in worn]
    if found := re.fullmatch(rf"(.+?) (in|{_PLACE}|\w+ing(?: on| from)?) the (.+)", phrase):
        relation = "wearing" if found[2] == "in" else found[2]
        others = {one.id for one in _meant(scene, found[3])}
        linked = {link.subject for link in scene.relations if link.name == relation and link.object in others}
        return [one for one in _meant(scene, found[1]) if one.id in linked]
    exact = [one for one in scene if one.name == phrase]
    if exact:
        return exact
    value, _, rest = phrase.partition(" ")
    if rest and any(value in one.attributes for one in scene):
        return [one for one in _meant(scene, rest) if value in one.attributes]
    return [one for one in scene if _is(one, phrase)]

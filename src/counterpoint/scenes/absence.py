"""Absence: whether it is proved that a scene has no object of a name.

A name is absent if nothing annotated could be such an object or may show one, if it does not stand in a background that
nobody annotates, and if no caption tells of it.
"""

from collections.abc import Collection
from functools import cache, lru_cache

from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.lexicon.senses import sense_of
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.language.lexicon.wordnet import lexicon
from counterpoint.language.noun_chunks import tag_text
from counterpoint.language.nouns import singular
from counterpoint.language.tokens import is_noun
from counterpoint.scenes.ambiguity import PART_ANNOTATED, ambiguity_reason, ambiguity_reasons, may_be, naming_doubt
from counterpoint.scenes.names import DATA, is_known, is_listed, is_part, is_part_of, last_word, may_show
from counterpoint.scenes.recognition import is_indoors

BACKGROUND = "it may stand in the background, which is not annotated"
"""Why nothing is denied that people seldom annotate."""
IN_CAPTION = "a caption names it, something of its kind, or a part of it"
"""Why a name is not absent, although no box has it."""
_LONGEST_NAME = 3  # nouns of a name in a caption


def absence_doubt(scene: Scene, name: str, names: Collection[str], lone: Collection[str]) -> str:
    """Why it is not proved that no object of this name is present, or nothing.

    `names` are those of the scene, `lone` those of its parts without an owner, as `lone_names` finds them.
    """
    if name in scene.names:
        return ambiguity_reason(name, names) if scene.categories is None else "it is annotated"
    if reason := naming_doubt(scene, name, names):
        return reason
    if lone and PART_ANNOTATED in map(ambiguity_reasons(name).among(names).get, lone):
        return PART_ANNOTATED
    if may_be_in_background(scene, name):
        return BACKGROUND
    return IN_CAPTION if scene.captions and any(_is_in(text, name) for text in scene.captions) else ""


def lone_parts(scene: Scene) -> tuple[SceneObject, ...]:
    """What belongs to nothing that is annotated, as a coat away from every person: its owner is not.

    Where everything is annotated, or a source lists its categories, nothing is concluded from that.
    """
    if not scene.is_sparse:
        return ()
    return tuple(thing for thing in scene if thing.box and is_part(thing.name) and not _is_owned(scene, thing))


def lone_names(scene: Scene) -> frozenset[str]:
    """The names of what belongs to nothing that is annotated."""
    return frozenset(thing.name for thing in lone_parts(scene))


def _is_owned(scene: Scene, part: SceneObject) -> bool:
    wholes = [thing.box for thing in scene if is_part_of(part.name, thing.name)]
    return any(part.box is None or box is None or box.overlap(part.box) for box in wholes)


def is_outdoors(scene: Scene) -> bool:
    """Whether a scene is said to be outdoors, or something is annotated that is nowhere else."""
    return scene.place == "outdoors" or not word_list("readings", "background.outdoors", DATA).isdisjoint(scene.names)


def may_be_in_background(scene: Scene, name: str) -> bool:
    """Whether such an object may be visible although annotators, who name what they notice, did not annotate it.

    What stands in the open behind other things, as a fence or a tree, is denied indoors only, and what stands in rooms
    outdoors only; paper or a sign nowhere. Where a source lists its categories, or everything is annotated, this does
    not matter.
    """
    if not scene.is_sparse:
        return False
    anywhere, in_the_open, in_rooms = _backgrounds(name)
    return anywhere or (in_the_open and not is_indoors(scene)) or (in_rooms and not is_outdoors(scene))


@cache
def _backgrounds(name: str) -> tuple[bool, bool, bool]:
    """Whether such an object may stand in the background anywhere, in the open, in rooms."""
    return (
        is_listed("background.anywhere", name),
        is_listed("background.open", name),
        is_listed("background.rooms", name),
    )


def _is_in(caption: str, name: str) -> bool:
    """Whether a caption names an object of this name, one that might be called so, or the part or whole of one."""
    if not is_known(name):
        return last_word(name) in {last_word(noun) for noun in caption_nouns(caption)}
    known = filter(is_known, caption_nouns(caption))
    return any(_may_tell_of(noun, name) for noun in known)


@lru_cache(1 << 16)
def _may_tell_of(noun: str, name: str) -> bool:
    """Whether a noun of a caption may mean an object of a name, its part or its whole, also in its commonest sense.

    Among things that are seen a driver is a golf club, but a caption means the person.
    """
    if may_be(noun, name) or may_show(noun, name) or may_show(name, noun):
        return True
    commonest = lexicon().senses(noun, "n")[:1]
    return any(lexicon().is_kind_of(sense, sense_of(name)) for sense in commonest)


@lru_cache(1 << 15)
def caption_nouns(text: str) -> frozenset[str]:
    """The nouns of a text in the singular, alone and in runs of up to three.

    >>> sorted(caption_nouns("Two small dogs near a stop sign"))
    ['dog', 'sign', 'stop', 'stop sign']
    """
    tokens = tag_text(text)
    spans = (tokens[end - length : end] for end in range(1, len(tokens) + 1) for length in range(1, _LONGEST_NAME + 1))
    runs = (span for span in spans if span and all(is_noun(token.tag) for token in span))
    return frozenset(singular(" ".join(token.text for token in span)) for span in runs)

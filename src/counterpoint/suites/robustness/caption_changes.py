"""Captions on changed pictures: a caption ranks above its foil on the picture as it is, and after each edit of it.

Foils are those of the source where it has them, and else those that the suite `objects` keeps with the seed 0.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import TypeAlias

from counterpoint.core.groups import Group
from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import Caption
from counterpoint.core.pictures import Edit
from counterpoint.suites.question_groups import Tags, ranking_group
from counterpoint.suites.suite import Rejection, Suite
from counterpoint.suites.valse.objects import ObjectSurvey, propose_foils
from counterpoint.suites.valse.paired_foils import MirroredSampler

CAPTION_KIND = "caption"
"""The kind of every such group."""
UNEDITED = "none"
"""The tag `edit` of a group about the picture as it is."""

FoiledCaptions: TypeAlias = Mapping[str, Group]
"""The caption and foil of each caption that has one, as a group about the picture as it is, by the caption's id."""
CaptionEdits: TypeAlias = Callable[[Sequence[str], Random], Iterable[tuple[Edit, Tags] | Rejection]]
"""The edits of a picture that leave a caption true and its foil false, and the reasons against others."""


def foil_captions(captions: Iterable[Caption]) -> FoiledCaptions:
    """A foil for each caption that has one of its source, or for which one can be made by exchanging a noun."""
    captions = list(captions)
    own = [caption for caption in captions if caption.foil]
    if own:
        return {caption.id: _own_group(caption) for caption in own}
    survey, sampler = ObjectSurvey(captions), MirroredSampler(sys.maxsize, 0)
    for caption in captions:
        for group in propose_foils(caption, survey, seeded_rng(0, "objects", caption.id)):
            if isinstance(group, Group):
                sampler.add(group)
    return {dict(draft.tags)["caption"]: draft.make() for draft in sampler.chosen()}


def propose_edited(
    caption: Caption, foiled: FoiledCaptions, rng: Random, *, edits: CaptionEdits
) -> Iterator[Group | Rejection]:
    """The caption and its foil about the picture as it is, then about the picture after each edit."""
    group = foiled.get(caption.id)
    if group is None:
        yield Rejection(CAPTION_KIND, "it has no foil")
        return
    clean = replace(group, kind=CAPTION_KIND, test="")
    texts = [query.text for query in clean.queries]
    yield _tagged(clean, (("edit", UNEDITED),))
    for row in edits(texts, rng):
        if isinstance(row, Rejection):
            yield row
        else:
            queries = tuple(replace(query, picture=caption.picture.edited(row[0])) for query in clean.queries)
            yield _tagged(replace(clean, queries=queries), row[1])


def _tagged(group: Group, tags: Tags) -> Group:
    return replace(group, tags=tuple((*tags, *own) for own in group.tags))


def _own_group(caption: Caption) -> Group:
    words = [(("word", word),) if word else () for word in (caption.word, caption.foil_word)]
    tags = ((*words[0], ("caption", caption.id)), words[1])
    proof = f"caption {caption.id} and its foil are those of the source"
    return ranking_group(caption.picture, (caption.text, caption.foil), tags, proof=proof)


def caption_suite(name: str, *, tests: str, edits: CaptionEdits) -> Suite[Caption, FoiledCaptions]:
    """A suite of captions with foils on edited pictures."""
    propose = partial(propose_edited, edits=edits)
    return Suite(name, tests=tests, propose=propose, survey=foil_captions, takes="captions", prefers="described")

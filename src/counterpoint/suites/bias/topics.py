"""What a text is about: its nouns, found by a tagger or by the lexicon, and what each of them may be called as well.

Two texts share a subject or an object if one has a noun of the other, a word for the same, or a more general or more
special one: a question about an animal shares it with one about a dog. Whatever one of the two deciders takes for a
noun is one, and a text in which both find none may be about anything.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from counterpoint.core.items import GroundedQuestion, Question
from counterpoint.core.scenes import Scene
from counterpoint.language.lexicon.senses import curated_names, hypernyms, sense_coverage
from counterpoint.language.lexicon.word_lists import split_list
from counterpoint.language.lexicon.wordnet import lexicon
from counterpoint.language.nouns import singular
from counterpoint.language.tagger import is_noun, tag_words

AMBIGUOUS_TAGS = ("AJ", "VV", "UNC")
"""How the tags of words begin that could be nouns after all; the lexicon is asked about these."""

_LIST = Path(__file__).parent / "data" / "subjects.toml"
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CLITIC = re.compile(r"['’](?:s|re|ll|d|ve|m)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NounSenses:
    """By what a noun is known: as a word and as a sense; and all that it is a kind of."""

    own: frozenset[str]
    above: frozenset[str]  # its own among them


@cache
def text_nouns(text: str) -> frozenset[str]:
    """The nouns of a text in the singular, alone and with the nouns that they follow; none where none is known.

    >>> sorted(text_nouns("What color are the traffic lights in the picture?"))
    ['light', 'traffic', 'traffic light']
    """
    words = tuple(_CLITIC.sub("", word) for word in _WORD.findall(text))
    return frozenset(name for run in _runs(words) for name in name_nouns(" ".join(run)))


@cache
def name_nouns(name: str) -> frozenset[str]:
    """A name of one word or several in the singular, and each of its words.

    >>> sorted(name_nouns("Traffic lights"))
    ['light', 'traffic', 'traffic light']
    """
    low = name.lower()
    words = {singular(word) for word in low.split()} - stop_nouns()
    return frozenset(words | ({singular(low)} if len(low.split()) > 1 else set()))


@cache
def stop_nouns() -> frozenset[str]:
    """Nouns that speak of pictures and of looks as such: what a question asks, and not what it is about."""
    return frozenset(split_list(tomllib.loads(_LIST.read_text("utf-8"))["no_subjects"]))


def question_nouns(item: Question | GroundedQuestion) -> frozenset[str]:
    """What a question is about."""
    return text_nouns((item.question if isinstance(item, GroundedQuestion) else item).text)


def item_nouns(item: Question | GroundedQuestion) -> frozenset[str]:
    """Everything that a question tells of its picture: its nouns, its answers, and what is annotated."""
    question = item.question if isinstance(item, GroundedQuestion) else item
    answers = _all(answer for answer, _ in question.gold.answers)
    return (
        question_nouns(question)
        | answers
        | (_annotated(item.scene) if isinstance(item, GroundedQuestion) else frozenset())
    )


@cache
def noun_senses(name: str) -> NounSenses:
    """By what a noun is known; one that the lexicon does not have is known by its letters alone.

    >>> "animal.n.01" in noun_senses("dog").above, "dog.n.01" in noun_senses("animal").above
    (True, False)
    """
    if not (name in hypernyms() or lexicon().senses(name) or lexicon().base_forms(name)):
        return NounSenses(frozenset([name]), frozenset([name]))
    coverage = sense_coverage(name)
    own = frozenset([name, *(sense.name for sense in coverage.covers)])
    return NounSenses(own, own.union(sense.name for senses in coverage.ancestors for sense in senses))


def _runs(words: tuple[str, ...]) -> Iterator[list[str]]:
    """Nouns that follow each other."""
    run: list[str] = []
    for word, tag in zip(words, tag_words(words), strict=True):
        if is_noun(tag) or (tag.startswith(AMBIGUOUS_TAGS) and singular(word.lower()) in _curated()):
            run.append(word)
        elif run:
            yield run
            run = []
    if run:
        yield run


@cache
def _curated() -> frozenset[str]:
    return frozenset(curated_names())


def _all(texts: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*(name_nouns(" ".join(_WORD.findall(text))) for text in texts))


def _annotated(scene: Scene) -> frozenset[str]:
    return _all((*scene.names, *filter(None, [scene.place])))

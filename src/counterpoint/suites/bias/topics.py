"""What a text is about: its nouns, by the part-of-speech tagger or by the lexicon, and the senses of each noun.

Two texts share a topic if one has a noun of the other, a synonym, a hypernym or a hyponym: a question about an animal
shares it with one about a dog. A word is a noun if either the tagger or the lexicon takes it for one; a text without
any may be about anything.
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
"""Tag prefixes of words that may be nouns after all; the lexicon decides."""

_LIST = Path(__file__).parent / "data" / "subjects.toml"
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CLITIC = re.compile(r"['’](?:s|re|ll|d|ve|m)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NounSenses:
    """The senses of a noun, the word itself included, and all senses that it is a kind of."""

    own: frozenset[str]
    above: frozenset[str]  # its own among them


@cache
def text_nouns(text: str) -> frozenset[str]:
    """The nouns of a text in the singular, alone and in compounds.

    >>> sorted(text_nouns("What color are the traffic lights in the picture?"))
    ['light', 'traffic', 'traffic light']
    """
    words = tuple(_CLITIC.sub("", word) for word in _WORD.findall(text))
    return frozenset(name for run in _runs(words) for name in name_nouns(" ".join(run)))


@cache
def name_nouns(name: str) -> frozenset[str]:
    """A name in the singular, and each of its words.

    >>> sorted(name_nouns("Traffic lights"))
    ['light', 'traffic', 'traffic light']
    """
    low = name.lower()
    words = {singular(word) for word in low.split()} - stop_nouns()
    return frozenset(words | ({singular(low)} if len(low.split()) > 1 else set()))


@cache
def stop_nouns() -> frozenset[str]:
    """Nouns about pictures and appearance as such (color, photo), which are no topic."""
    return frozenset(split_list(tomllib.loads(_LIST.read_text("utf-8"))["no_subjects"]))


def question_nouns(item: Question | GroundedQuestion) -> frozenset[str]:
    """What a question is about."""
    return text_nouns((item.question if isinstance(item, GroundedQuestion) else item).text)


def item_nouns(item: Question | GroundedQuestion) -> frozenset[str]:
    """Everything that a question implies about its picture: its nouns, its answers, and the annotation."""
    question = item.question if isinstance(item, GroundedQuestion) else item
    answers = _all(answer for answer, _ in question.gold.answers)
    return (
        question_nouns(question)
        | answers
        | (_annotated(item.scene) if isinstance(item, GroundedQuestion) else frozenset())
    )


@cache
def noun_senses(name: str) -> NounSenses:
    """The senses of a noun; a word that the lexicon does not have stands for itself.

    >>> "animal.n.01" in noun_senses("dog").above, "dog.n.01" in noun_senses("animal").above
    (True, False)
    """
    if not (name in hypernyms() or lexicon().senses(name) or lexicon().base_forms(name)):
        return NounSenses(frozenset([name]), frozenset([name]))
    coverage = sense_coverage(name)
    own = frozenset([name, *(sense.name for sense in coverage.covers)])
    return NounSenses(own, own.union(sense.name for senses in coverage.ancestors for sense in senses))


def _runs(words: tuple[str, ...]) -> Iterator[list[str]]:
    """Runs of adjacent nouns."""
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

"""Number agreement: the verbs that change when a noun phrase changes its number."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from counterpoint.core.errors import UnknownName
from counterpoint.language.lexicon.senses import sense_of
from counterpoint.language.lexicon.wordnet import lexicon
from counterpoint.language.noun_chunks import Determiner, NounChunk, TaggedToken
from counterpoint.language.verbs import base_form, third_person
from counterpoint.suites.valse.caption_foils import listed_words

_ONE, _MANY = ("VBZ", "VHZ", "VDZ", "VVZ"), ("VBB", "VHB", "VDB", "VVB")
_BE = {"is": ("is", "are"), "are": ("is", "are"), "was": ("was", "were"), "were": ("was", "were")}
_HELPING = _BE | {"has": ("has", "have"), "have": ("has", "have"), "does": ("does", "do"), "do": ("does", "do")}
_RELATIVE = ("that", "which", "who")
JOINED = -1
"""Stands for a coordination of noun phrases: the verb keeps its form."""


class NumberForms(NamedTuple):
    """A token by its place, in its singular and plural form."""

    place: int
    one: str
    many: str


@cache
def is_kind(noun: str, *senses: str) -> bool:
    """Whether a noun names something of one of these kinds; a word that nobody knows names nothing."""
    try:
        own = sense_of(noun)
    except UnknownName:
        return False
    return any(lexicon().is_kind_of(own, lexicon().sense(sense)) for sense in senses)


def verb_subjects(tokens: Sequence[TaggedToken], phrases: Sequence[NounChunk]) -> dict[int, int] | None:
    """The noun phrase that each finite verb agrees with, both by place; None where that is ambiguous."""
    inside = {place for chunk in phrases for place in range(chunk.start, chunk.end)}
    subjects, last = dict[int, int](), None
    for verb, word in enumerate(tokens):
        if verb in inside or not _is_finite(word):
            continue
        chosen = _subject(tokens, phrases, verb, subjects, last)
        if chosen is None:
            return None
        many = word.tag in _MANY or word.text == "were"
        is_group = chosen != JOINED and phrases[chosen].determiner is Determiner.GROUP
        if not is_group and many is not (chosen == JOINED or phrases[chosen].many):
            return None
        subjects[verb] = chosen
        last = chosen if tokens[verb - 1].text not in _RELATIVE else last
    return subjects


def _is_finite(word: TaggedToken) -> bool:
    if word.tag == "VBD":
        return word.text in _BE
    if word.tag == "VVB" and word.text.endswith(("ed", "ing")):
        return False
    return word.tag in _ONE or word.tag in _MANY


def _subject(
    tokens: Sequence[TaggedToken], phrases: Sequence[NounChunk], verb: int, subjects: dict[int, int], last: int | None
) -> int | None:
    before = verb - 1
    while before >= 0 and tokens[before].tag in ("AV0", "XX0") and tokens[before].text != "there":
        before -= 1
    if before < 0:
        return None
    word = tokens[before]
    if word.text in _RELATIVE:
        return _antecedent(tokens, phrases, before)
    if word.tag == "EX0" or word.text == "there":
        after = verb + 1
        while after < len(tokens) and tokens[after].tag == "AV0":
            after += 1
        return _at(phrases, after)
    if word.tag == "CJC" or word.text == ",":
        return last
    if word.tag in ("PNP", "PNI", "DT0", "TO0", "VM0"):
        return None
    return _first(tokens, phrases, verb, subjects)


def _antecedent(tokens: Sequence[TaggedToken], phrases: Sequence[NounChunk], relative: int) -> int | None:
    """The phrase before a relative pronoun; not where it stands after "of", since the first noun may be meant."""
    end = relative - 1 if tokens[relative - 1].text == "," else relative
    for place, chunk in enumerate(phrases):
        if chunk.end == end:
            return None if chunk.start and tokens[chunk.start - 1].text == "of" else place
    return None


def _first(
    tokens: Sequence[TaggedToken], phrases: Sequence[NounChunk], verb: int, subjects: dict[int, int]
) -> int | None:
    """The phrase that opens the clause of a verb, alone or joined to others."""
    begins = 0
    for place in range(verb - 1, -1, -1):
        word = tokens[place]
        opens = (word.text in listed_words("agreement", "openers") and word.tag != "PRP") or word.text in (";", ".")
        joins = word.tag == "CJC" and _at(phrases, place + 1) is not None and any(verb < place for verb in subjects)
        if opens or joins:
            begins = place + 1
            break
    chosen = _at(phrases, begins)
    if chosen is None:
        return None
    end = phrases[chosen].end
    joined = tokens[end].tag == "CJC" or tokens[end].text == ","
    return JOINED if joined and _at(phrases, end + 1) is not None else chosen


def _at(phrases: Sequence[NounChunk], start: int) -> int | None:
    return next((place for place, chunk in enumerate(phrases) if chunk.start == start), None)


def verb_forms(tokens: Sequence[TaggedToken], agreeing: dict[int, int], phrase: int) -> Iterator[NumberForms]:
    """The verbs that agree with a phrase."""
    for place, subject in agreeing.items():
        if subject == phrase:
            text = tokens[place].text
            verb = infinitive(text)
            yield NumberForms(place, *(_HELPING.get(text) or (third_person(verb), verb)))


@cache
def infinitive(form: str) -> str:
    """The base form of a verb, by rule or else by WordNet.

    >>> infinitive("chasing"), infinitive("strolling")
    ('chase', 'stroll')
    """
    by_rule = base_form(form)
    return by_rule if lexicon().senses(by_rule, "v") else next(iter(lexicon().base_forms(form, "v")), by_rule)

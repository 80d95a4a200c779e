"""Verb inflection and lemmatization; of a phrase, the first word is the verb."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from counterpoint.language.lexicon.word_lists import word_list, word_table

_VOWELS = "aeiou"


def third_person(verb: str) -> str:
    """The third person singular: carries, watches, rides.

    >>> third_person("carry"), third_person("look at"), third_person("have")
    ('carries', 'looks at', 'has')
    """
    return _first_word(verb, "third")


def gerund(verb: str) -> str:
    """The gerund: riding, sitting, lying.

    >>> gerund("ride"), gerund("sit"), gerund("lie"), gerund("ski"), gerund("pick up")
    ('riding', 'sitting', 'lying', 'skiing', 'picking up')
    """
    return _first_word(verb, "gerund")


def past(verb: str) -> str:
    """The past tense: rode, carried, stopped."""
    return _first_word(verb, "past")


def participle(verb: str) -> str:
    """The past participle: ridden, carried, cut."""
    return _first_word(verb, "participle")


@cache
def base_form(form: str) -> str:
    """The lemma of a verb form: ride for rides, riding, rode and ridden.

    >>> base_form("riding"), base_form("hopping"), base_form("held"), base_form("looking at")
    ('ride', 'hop', 'hold', 'look at')
    """
    word, space, rest = form.partition(" ")
    lemma = word if word in word_list("verbs", "known") else _forms().get(word)
    return (lemma or next(_stems(word), word)) + space + rest


def syllables(word: str) -> int:
    """The number of syllables of a word, estimated from its letters."""
    sounded = re.sub(r"(?<=[^aeiouyl])e$|(?<=[aeiouy]l)e$|(?<=[^aeiouydt])ed$", "", word.lower())
    sounded = re.sub(r"(?<=[aeiou])y(?=[aeiou])|(?<=q)u", "j", sounded)
    return max(1, len(re.findall(r"[aeiou]+y?|y", sounded)))


def _first_word(phrase: str, form: str) -> str:
    word, space, rest = phrase.partition(" ")
    return _inflections(word)[form] + space + rest


@cache
def _inflections(verb: str) -> Mapping[str, str]:
    forms: dict[str, str] = {"past": _add_ed(verb)} | word_table("verbs")["irregular"].get(verb, {})
    return {"third": _add_s(verb), "gerund": _add_ing(verb), "participle": forms["past"]} | forms


def _add_s(verb: str) -> str:
    if verb.endswith("y") and verb[-2:-1] not in tuple(_VOWELS):
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) and not verb.endswith("oo") else "s")


def _add_ing(verb: str) -> str:
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "ye", "oe")) and len(verb) > 2:
        return verb[:-1] + "ing"
    return _doubled(verb) + "ing"


def _add_ed(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2:-1] not in tuple(_VOWELS):
        return verb[:-1] + "ied"
    return _doubled(verb) + "ed"


def _doubled(verb: str) -> str:
    """A verb as it stands before a vowel: its last letter is doubled in stop and begin, not in rain and open."""
    if verb.endswith("ic"):
        return verb + "k"
    one_vowel = re.search(r"(?:^|[^aeiou]|qu)[aeiouy][^aeiouwxy]$", verb)
    return verb + (verb[-1] if one_vowel and (syllables(verb) == 1 or verb in word_list("verbs", "doubling")) else "")


@cache
def _forms() -> Mapping[str, str]:
    """The lemma of every form of every known verb; known verbs win over other irregular ones."""
    verbs = [*sorted(word_list("verbs", "known")), *word_table("verbs")["irregular"]]
    return {form: verb for verb in reversed(verbs) for form in _inflections(verb).values() if form != verb}


def _stems(word: str) -> Iterator[str]:
    """The verbs that could have this form by the regular rules, likelier first."""
    for ending in ("ing", "ed", "es", "s"):
        if not word.endswith(ending) or len(word) < len(ending) + 3:
            continue
        stem = word.removesuffix(ending)
        guesses = (stem[:-1], stem, stem + "e", stem[:-1] + "y", stem[:-1] + "ie")
        yield from (guess for guess in guesses if guess != word and word in _inflections(guess).values())

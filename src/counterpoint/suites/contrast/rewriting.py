"""A question with one atom changed: nouns, determiners and verbs that agree after the change."""

import re
from collections.abc import Mapping

from counterpoint.language.english import article, be, do, have, is_countable, is_mass, is_plural, plural, singular
from counterpoint.suites.contrast.grounding import Phrase

Span = tuple[int, int]


def rewrite_spans(text: str, changes: Mapping[Span, str]) -> str:
    """A text with some spans replaced.

    >>> rewrite_spans("Is the cup red?", {(7, 10): "shoes", (0, 2): "are"})
    'Are the shoes red?'
    """
    for (start, end), words in sorted(changes.items(), reverse=True):
        replacement = words[:1].upper() + words[1:] if text[start:end][:1].isupper() else words
        text = text[:start] + replacement + text[end:]
    return text


def replace_definite(text: str, match: re.Match[str], phrase: Phrase, name: str) -> str:
    """The question with another name after "the", in the number of that name."""
    return rewrite_spans(text, {phrase.at: name} | _verbs(match, name))


def replace_value(text: str, phrase: Phrase, place: int, value: str) -> str:
    """The question with another value before the noun of a phrase."""
    span = phrase.values[place][1]
    if phrase.determiner in ("a", "an") and place == 0:
        return rewrite_spans(text, {span: value, phrase.determiner_at: article(value)})
    return rewrite_spans(text, {span: value})


def replace_indefinite(text: str, match: re.Match[str], phrase: Phrase, name: str, *, alike: bool = False) -> str:
    """The question after "a" or "any" thing of another name, or nothing where its number does not fit.

    A count noun keeps the number of the noun in whose place it stands; mass nouns and pairs ask for "any". Where both
    have to be `alike`, in a list of two, a count noun takes the place of a count noun only.
    """
    form = _form(phrase.noun, name)
    was, now = _class(phrase.noun), _class(form)
    if alike and was != now:
        return ""
    changes = {phrase.at: form} | (_verbs(match, form) if phrase.at[0] < match.end("x") else {})
    if phrase.determiner in ("a", "an"):
        first = phrase.values[0][0] if phrase.values and phrase.values[0][1][1] else form
        changes[phrase.determiner_at] = article(first) if now == "one" else "any"
    elif not phrase.determiner and now == "one":
        return ""
    return rewrite_spans(text, changes)


def _form(noun: str, name: str) -> str:
    """A name in the number of the noun it replaces, as far as it has both; count nouns are many beside mass nouns."""
    if is_mass(name) or not is_countable(name):
        return name
    return plural(name) if is_plural(noun) or is_mass(noun) else singular(name)


def _class(noun: str) -> str:
    return "many" if is_plural(noun) else "mass" if is_mass(noun) else "one"


def _verbs(match: re.Match[str], noun: str) -> dict[Span, str]:
    """The verbs of a wording that agree with its first noun."""
    forms = {"be": be(noun), "be2": be(noun), "do": do(noun), "have": have(noun)}
    named = match.groupdict()
    return {match.span(group): form for group, form in forms.items() if named.get(group)}

"""One of the answers that were offered: as it is, by its letter, or named in a sentence."""

import re
from dataclasses import dataclass
from functools import lru_cache

from counterpoint.language.answers.final_answer import concluding_answer, normalize
from counterpoint.language.answers.polarity import yes_or_no
from counterpoint.language.answers.refusals import starts_with_refusal
from counterpoint.language.nouns import plural, singular

_LABEL = re.compile(
    r"\s*(?:\((?P<round>[a-z])\)|\[(?P<square>[a-z])\]|(?P<bare>[a-z])[.):])\s*(?P<rest>.*)", re.I | re.S
)
_LETTER = re.compile(
    r"[\s*\"'`]*(?:(?:the )?(?:correct |right |best )?(?:option|choice|letter)(?: is)?:?\s*)?(?:\((?P<round>[a-z])\)|"
    r"\[(?P<square>[a-z])\]|\**(?P<bare>[a-z])(?:[.):]|\**(?=\s*$)|\*\*))(?P<rest>.*)",
    re.I | re.S,
)
_SENTENCE = re.compile(r"\n|(?<=[.!?])\s")
_DENIED = re.compile(
    r"\b(?:no|(?:not|nor|neither|never|without|than|instead of|isn't|aren't|wasn't|doesn't|don't)(?: \w+)?) $"
)


@dataclass(frozen=True, slots=True)
class _Offer:
    """Options in the forms in which a text can name them."""

    exact: dict[str, str]  # each normal form with its option
    letters: dict[str, str]
    named: re.Pattern[str] | None
    forms: dict[str, str]  # each form that a sentence can hold, with its option
    polar: bool  # yes or no


def match_choice(text: str, options: tuple[str, ...], words: frozenset[str] = frozenset()) -> str | None:
    """The option that a text means; nothing where it means none, or several.

    >>> colors = ("blue", "light blue")
    >>> [choice(text, colors) for text in ("Light blue.", "(B)", "A. Blue", "It is blue.", "Answer: b", "blue or not")]
    ['light blue', 'light blue', 'blue', 'blue', 'light blue', 'blue']
    """
    if text in options:
        return text
    offer = _offer(options)
    said = concluding_answer(text)
    found = offer.exact.get(normalize(text)) or offer.exact.get(normalize(said))
    if found is not None:
        return found
    letter = _LETTER.fullmatch(said)
    if letter and (option := offer.letters.get(_label(letter))) is not None:
        return option if _by_name(letter["rest"], offer) in (None, option) else None
    if offer.polar:
        polar = yes_or_no(said, words)
        return None if polar is None else offer.exact[polar]
    first, *rest = _SENTENCE.split(said, maxsplit=1)
    if normalize(first) in offer.exact and not (rest and normalize(rest[0]) in offer.exact):
        return offer.exact[normalize(first)]
    return None if starts_with_refusal(said) else _by_name(said, offer)


def _by_name(text: str, offer: _Offer) -> str | None:
    """The only option that a text names as whole words, longer ones first, and does not deny."""
    if offer.named is None:
        return None
    line = f" {normalize(text)} "
    hits = [
        hit for hit in offer.named.finditer(line) if not _DENIED.search(line[max(0, hit.start() - 30) : hit.start()])
    ]
    found = {offer.forms[hit[1]] for hit in hits}
    return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=1 << 14)
def _offer(options: tuple[str, ...]) -> _Offer:
    options = tuple(option for option in options if option.strip())
    letters, bodies = _label_options(options)
    exact: dict[str, str] = {}
    for text, option in [*zip(options, options, strict=True), *zip(bodies, options, strict=True)]:
        exact.setdefault(normalize(text), option)
    forms = dict(exact)
    for change in (plural, singular):
        for text, option in exact.items():
            forms.setdefault(change(text), option)
    forms = {form: option for form, option in forms.items() if any(sign.isalnum() for sign in form)}
    listed = "|".join(
        re.escape(form) for form in sorted(forms, key=len, reverse=True) if len(form) > 1 or form.isdigit()
    )
    polar = set(exact) == {"yes", "no"}
    return _Offer(exact, letters, re.compile(rf"(?<=\s)({listed})(?=\s)") if listed else None, forms, polar)


def _label_options(options: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
    """Options by letter, and what they say beside it: by the letters they bring or are, else by their order."""
    labels = [found for option in options if (found := _LABEL.fullmatch(option))]
    own = [_label(found) for found in labels]
    if len(own) == len(set(own)) == len(options):
        return dict(zip(own, options, strict=True)), [found["rest"] or _label(found) for found in labels]
    single = [normalize(option) for option in options if len(normalize(option)) == 1]
    if single:
        return dict(zip(single, options, strict=True)) if len(single) == len(options) else {}, list(options)
    return {chr(ord("a") + place): option for place, option in enumerate(options[:26])}, list(options)


def _label(found: re.Match[str]) -> str:
    return (found["round"] or found["square"] or found["bare"]).lower()

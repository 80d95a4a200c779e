"""Matching a reply to one of the offered options: verbatim, by its letter, or named in a sentence."""

import re
from dataclasses import dataclass
from functools import lru_cache

from counterpoint.language.answers.final_answer import concluding_answer, normalize, starts_with_refusal
from counterpoint.language.answers.polarity import yes_or_no
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
_NEGATED = re.compile(
    r"\b(?:no|(?:not|nor|neither|never|without|than|instead of|isn't|aren't|wasn't|doesn't|don't)(?: \w+)?) $"
)


@dataclass(frozen=True, slots=True)
class _OptionForms:
    """The forms in which a text can name each option."""

    exact: dict[str, str]  # from normalized forms to options
    letters: dict[str, str]
    named: re.Pattern[str] | None
    in_sentence: dict[str, str]  # from the forms that a sentence can contain to options
    is_yes_no: bool


def match_choice(text: str, options: tuple[str, ...], words: frozenset[str] = frozenset()) -> str | None:
    """The option that a reply chooses; None where it chooses none or several.

    >>> colors = ("blue", "light blue")
    >>> [match_choice(text, colors) for text in ("Light blue.", "(B)", "A. Blue", "It is blue.", "Answer: b")]
    ['light blue', 'light blue', 'blue', 'blue', 'light blue']
    """
    if text in options:
        return text
    forms = _option_forms(options)
    answer = concluding_answer(text)
    exact = forms.exact.get(normalize(text)) or forms.exact.get(normalize(answer))
    if exact is not None:
        return exact
    letter = _LETTER.fullmatch(answer)
    if letter and (option := forms.letters.get(_label(letter))) is not None:
        return option if _by_name(letter["rest"], forms) in (None, option) else None
    if forms.is_yes_no:
        polarity = yes_or_no(answer, words)
        return None if polarity is None else forms.exact[polarity]
    first, *rest = _SENTENCE.split(answer, maxsplit=1)
    if normalize(first) in forms.exact and not (rest and normalize(rest[0]) in forms.exact):
        return forms.exact[normalize(first)]
    return None if starts_with_refusal(answer) else _by_name(answer, forms)


def _by_name(text: str, forms: _OptionForms) -> str | None:
    """The only option that a text names in whole words, longest first, and does not negate."""
    if forms.named is None:
        return None
    line = f" {normalize(text)} "
    hits = [
        hit for hit in forms.named.finditer(line) if not _NEGATED.search(line[max(0, hit.start() - 30) : hit.start()])
    ]
    named = {forms.in_sentence[hit[1]] for hit in hits}
    return named.pop() if len(named) == 1 else None


@lru_cache(maxsize=1 << 14)
def _option_forms(options: tuple[str, ...]) -> _OptionForms:
    options = tuple(option for option in options if option.strip())
    letters, bodies = _label_options(options)
    exact: dict[str, str] = {}
    for text, option in [*zip(options, options, strict=True), *zip(bodies, options, strict=True)]:
        exact.setdefault(normalize(text), option)
    forms = dict(exact)
    for change in (plural, singular):
        for text, option in exact.items():
            forms.setdefault(change(text), option)
    forms = {form: option for form, option in forms.items() if any(char.isalnum() for char in form)}
    listed = "|".join(
        re.escape(form) for form in sorted(forms, key=len, reverse=True) if len(form) > 1 or form.isdigit()
    )
    return _OptionForms(
        exact, letters, re.compile(rf"(?<=\s)({listed})(?=\s)") if listed else None, forms, set(exact) == {"yes", "no"}
    )


def _label_options(options: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
    """Options by letter, and their texts without it: by their own letters, else by their order."""
    matches = [match for option in options if (match := _LABEL.fullmatch(option))]
    labels = [_label(match) for match in matches]
    if len(labels) == len(set(labels)) == len(options):
        return dict(zip(labels, options, strict=True)), [match["rest"] or _label(match) for match in matches]
    single = [normalize(option) for option in options if len(normalize(option)) == 1]
    if single:
        return dict(zip(single, options, strict=True)) if len(single) == len(options) else {}, list(options)
    return {chr(ord("a") + index): option for index, option in enumerate(options[:26])}, list(options)


def _label(match: re.Match[str]) -> str:
    return (match["round"] or match["square"] or match["bare"]).lower()

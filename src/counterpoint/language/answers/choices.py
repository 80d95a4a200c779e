"""Matching a reply to one of the offered options: verbatim, by its letter or number, or named in a sentence."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from counterpoint.language.answers.final_answer import is_conclusion, normalize, split_sentences
from counterpoint.language.answers.polarity import yes_or_no
from counterpoint.language.nouns import plural, singular

_MARK = r"[a-z]|[0-9]{1,2}"
_NOUN = (
    r"(?:option|choice|letter|number|output|answer|caption|sentence|statement|description|text|image|selection"
    r"|选项|答案)"
)
_LABEL = re.compile(
    rf"\s{{0,4}}(?:\((?P<round>{_MARK})\)|\[(?P<square>{_MARK})\]|(?P<bare>{_MARK})[.):])\s{{0,4}}(?P<rest>.{{0,2000}})",
    re.I | re.S,
)
_LEADING = re.compile(
    rf"[\s\"'*]{{0,4}}(?:(?:the |my )?(?:correct |right |best |better |final )?(?P<noun>{_NOUN})(?: is)?[:\s]{{0,3}})?"
    rf"(?:\((?P<round>{_MARK})\)|\[(?P<square>{_MARK})\]|(?P<bare>{_MARK})(?:[.):](?![0-9])|[\s\"'.]{{0,3}}$))",
    re.I,
)
_INSIDE = re.compile(
    rf"(?:\b{_NOUN}\s?(?:is |would be |[:]\s?)?"
    r"|\b(?:choose|pick|select|go with|is)\s(?=\(|[a-z0-9]{1,2}[\s.!]{0,3}$)"
    rf"|选项|答案是?:?)\s?\(?(?P<bare>{_MARK})\)?(?![\w'])|\((?P<round>{_MARK})\)(?!\w)",
    re.I,
)
_NEGATED = re.compile(
    r"\b(?:no|(?:not|nor|neither|never|without|than|instead of|isn't|aren't|wasn't|doesn't|don't|can't|cannot)"
    r"(?: be| \w{1,40})?) $"
)
_SEVERAL = re.compile(r"\b(?:both|either|and|or)\b", re.I)


@dataclass(frozen=True, slots=True)
class _OptionForms:
    """The forms in which a text can name each option."""

    exact: Mapping[str, str]  # from normalized forms to options
    labels: Mapping[str, str]  # from letters and numbers to options
    named: re.Pattern[str] | None
    in_sentence: Mapping[str, str]  # from the forms that a sentence can contain to options
    is_yes_no: bool


def match_choice(
    text: str, options: tuple[str, ...], words: frozenset[str] = frozenset(), spans: tuple[str, ...] = ()
) -> str | None:
    """The option that a reply chooses; None where it chooses none or several.

    Spans are longer forms of options that a question offers without listing them: a reply that is or names one has it.

    >>> colors = ("blue", "light blue")
    >>> [match_choice(text, colors) for text in ("Light blue.", "(B)", "A. Blue", "It is blue.", "Option 2")]
    ['light blue', 'light blue', 'blue', 'blue', 'light blue']
    >>> match_choice("2", ("12", "20")), match_choice("short-sleeved", ("short sleeved", "long sleeved"))
    (None, 'short sleeved')
    >>> match_choice("Short sleeved", ("sleeved", "long sleeved"), spans=("short sleeved", "shirt short sleeved"))
    'short sleeved'
    """
    if text in options:
        return text
    forms = _option_forms(options, spans)
    plain = normalize(text)
    exact = forms.exact.get(plain) or forms.exact.get(plain.replace("-", " "))
    if exact is not None:
        return exact
    leading = _LEADING.match(text)
    if leading and (option := forms.labels.get(_label(leading))) is not None:
        rest = _by_name(text[leading.end() :].partition("\n")[0], forms)
        return option if leading["noun"] or rest in (None, option) else None
    if forms.is_yes_no:
        polarity = yes_or_no(text, words)
        return None if polarity is None else forms.exact[polarity]
    sentences = split_sentences(text)
    first = normalize(sentences[0]) if sentences else ""
    if first in forms.exact and not (len(sentences) > 1 and normalize(sentences[1]) in forms.exact):
        return forms.exact[first]
    return _by_parts(sentences, forms) or _by_words(plain, options, spans)


def names_several(text: str, options: tuple[str, ...]) -> bool:
    """Whether a reply takes more than one of the options: "both", "A or B".

    >>> names_several("Both", ("a dog", "a cat")), names_several("A and B", ("a dog", "a cat"))
    (True, True)
    """
    line = text.lower().strip(" .!")
    forms = _option_forms(options, ())
    if re.search(r"\b(?:both|either)\b", line):
        return True
    marks = {mark for mark in re.findall(r"\b[a-z]\b|\b[0-9]{1,2}\b", line) if mark in forms.labels}
    return _SEVERAL.search(line) is not None and (len(_named(line, forms)) > 1 or len(marks) > 1)


def _by_parts(sentences: list[str], forms: _OptionForms) -> str | None:
    """By the sentence that concludes, then by the whole text, then by its first and its last sentence."""
    whole = " ".join(sentences)
    concluding = [part for part in sentences if is_conclusion(part)]
    for part in [*concluding[:-2:-1], whole, *sentences[:1], *sentences[-1:]]:
        option = _by_label(part, forms) or _by_name(part, forms)
        if option is not None:
            return option
    return None


def _by_label(text: str, forms: _OptionForms) -> str | None:
    """The only option whose letter or number a text names as such."""
    labels = {(match["bare"] or match["round"]).lower() for match in _INSIDE.finditer(text)}
    options = {forms.labels[label] for label in labels if label in forms.labels}
    return options.pop() if len(options) == 1 else None


def _by_name(text: str, forms: _OptionForms) -> str | None:
    """The only option that a text names in whole words, longest first, and does not negate."""
    named = _named(text, forms)
    return named.pop() if len(named) == 1 else None


def _named(text: str, forms: _OptionForms) -> set[str]:
    if forms.named is None:
        return set()
    line = f" {normalize(text)} "
    hits = [
        hit for hit in forms.named.finditer(line) if not _NEGATED.search(line[max(0, hit.start() - 30) : hit.start()])
    ]
    return {forms.in_sentence[hit[1]] for hit in hits}


def _by_words(text: str, options: tuple[str, ...], spans: tuple[str, ...]) -> str | None:
    """The only option that has all words of a short reply: "short" of "short sleeved" and "long sleeved"."""
    words = set(text.split())
    if not words or len(words) > 8 or not any(len(word) > 1 for word in words):
        return None
    fitting = [option for option in dict.fromkeys((*spans[:1], *options)) if words <= set(normalize(option).split())]
    return fitting[0] if len(fitting) == 1 else None


@lru_cache(maxsize=1 << 14)
def _option_forms(options: tuple[str, ...], spans: tuple[str, ...]) -> _OptionForms:
    options = tuple(option for option in options if option.strip())
    labels, bodies = _label_options(options)
    exact: dict[str, str] = {}
    for text, option in [*zip(options, options, strict=True), *zip(bodies, options, strict=True)]:
        exact.setdefault(normalize(text), option)
    forms = dict(exact)
    for change in (plural, singular):
        for text, option in exact.items():
            forms.setdefault(change(text), option)
    for span in spans:
        exact.setdefault(span, span)
        if not any(word.endswith("ing") for word in span.split()[:-1]):
            forms.setdefault(span, span)
    forms = {form: option for form, option in forms.items() if any(char.isalnum() for char in form)}
    listed = "|".join(
        re.escape(form) for form in sorted(forms, key=len, reverse=True) if len(form) > 1 or form.isdigit()
    )
    return _OptionForms(
        exact, labels, re.compile(rf"(?<=\s)({listed})(?=\s)") if listed else None, forms, set(exact) == {"yes", "no"}
    )


def _label_options(options: tuple[str, ...]) -> tuple[dict[str, str], list[str]]:
    """Options by letter and number, and their texts without it: by their own labels, else by their order."""
    matches = [match for option in options if (match := _LABEL.fullmatch(option))]
    own = [_label(match) for match in matches]
    if len(own) == len(set(own)) == len(options):
        return dict(zip(own, options, strict=True)), [match["rest"] or _label(match) for match in matches]
    counts = any(char.isdigit() for option in options for char in option)  # then "2" is a value, not a place
    numbers = {} if counts else {str(index): option for index, option in enumerate(options, 1)}
    single = [normalize(option) for option in options if len(normalize(option)) == 1]
    if single:
        return dict(zip(single, options, strict=True)) if len(single) == len(options) else {}, list(options)
    return numbers | {chr(ord("a") + index): option for index, option in enumerate(options[:26])}, list(options)


def _label(match: re.Match[str]) -> str:
    return (match["round"] or match["square"] or match["bare"]).lower()

"""Matching a reply to yes or no, or to one of the offered options: verbatim, by its letter, or named in a sentence."""

import re
from dataclasses import dataclass
from functools import lru_cache

from counterpoint.language.answers.final_answer import concluding_answer, normalize, starts_with_refusal
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.language.nouns import plural, singular

_YES = r"(?:yes|yeah|yep|yup|true|correct|affirmative|indeed)"
_NO = (
    r"(?:no|nope|nah|false|incorrect|definitely not|absolutely not|certainly not|of course not|probably not|not really)"
)
_NEITHER = re.compile(
    r"\b(?:yes|no)\s*(?:and|or|/|,)\s*(?:yes|no)\b"
    r"|\b(?:maybe|perhaps|possibly|(?:not|\w+n't) (?:be )?sure|unsure|uncertain)\b"
)
_DOUBT = re.compile(
    r"(?:there is |there's |i have )?(?:no|without(?: a| any)?) (?:doubt|question)(?: that| about (?:it|that))?[, ]*"
)
_LEADS_YES = re.compile(rf"{_YES}\b(?!-)")
_LEADS_NO = re.compile(rf"{_NO}\b(?!-|\s*(?:\.\s*)?[0-9])")
_SAYS_YES = re.compile(r"\byes\b")
_SAYS_NO = re.compile(r"\bno\b(?=\s*(?:[.,;:!?)\"'*]|$))")
_WHO = r"(?:it|they|he|she|there|this|that|these|those|i|we|you)"
_DOES = r"(?:is|are|does|do|did|was|were|has|have|could|would)"
_AFFIRMS = re.compile(
    rf"{_WHO} (?:{_DOES}|can|will)|i (?:think|believe|guess|suppose) so|definitely|absolutely|certainly|of course|y"
    r"|(?:that|this|it)(?:'s| is) (?:true|correct|right)"
)
_DENIES = re.compile(
    rf"{_WHO} (?:(?:{_DOES}|can|will) not|{_DOES}n't|can't|won't|cannot)|(?:it|that|this|he|she)'s not|they're not|n"
    r"|i (?:don't|do not) (?:think|believe) so|i (?:think|believe|guess) not|not that i (?:can )?(?:see|know)(?: of)?"
    r"|not at all|(?:that|this|it)(?:'s| is) (?:false|incorrect|wrong|not (?:true|correct|right))"
)
_NEGATION = re.compile(r"\b(?:no|not|none|never|neither|nor|nothing|nobody|cannot|without|\w+n't)\b")
_CLAUSE = re.compile(r"[.,;:!?\n]|\b(?:but|because|since|although|however)\b")
_WORD = re.compile(r"[\w']+")


def yes_or_no(text: str, words: frozenset[str] = frozenset()) -> str | None:
    """The polarity of a reply to a yes/no question of these words; None for both, neither, or uncertainty.

    A sentence without "yes" or "no" counts only where it repeats the question: "There is no dog" is a "no" to "Is there
    a dog?", and None to "Is there a cat?". A negative question is answered by "yes" or "no" alone.

    >>> yes_or_no("Yes, there is a dog."), yes_or_no("There is no doubt that it is."), yes_or_no("Yes and no.")
    ('yes', 'yes', None)
    >>> yes_or_no("There is no dog.", frozenset({"is", "there", "a", "dog"}))
    'no'
    """
    lower = " ".join(text.lower().replace("’", "'").split()).lstrip(" \"'*_`(.-:#>")
    if _NEITHER.search(lower):
        return None
    sure = _DOUBT.sub("", lower)
    if sure != lower and not _WORD.search(sure):
        return "yes"
    return (
        _by_first_word(sure) or (None if _is_negative(words) else _by_first_clause(sure, words)) or _by_any_word(sure)
    )


def _by_first_word(text: str) -> str | None:
    """By the first word, unless the other polarity follows."""
    if _LEADS_YES.match(text):
        return None if _SAYS_NO.search(text) else "yes"
    if _LEADS_NO.match(text):
        return None if _SAYS_YES.search(text) else "no"
    return None


def _by_any_word(text: str) -> str | None:
    """By "yes" or "no" anywhere in the text."""
    yes, no = _SAYS_YES.search(text), _SAYS_NO.search(text)
    if starts_with_refusal(text) or (yes is None) == (no is None):
        return None
    return "yes" if yes else "no"


def _by_first_clause(text: str, words: frozenset[str]) -> str | None:
    """By the first clause, if it affirms or denies by itself or repeats the question."""
    clause = _CLAUSE.split(text, maxsplit=1)[0].strip(" \"'*_`)")
    if _AFFIRMS.fullmatch(clause):
        return "yes"
    if _DENIES.fullmatch(clause):
        return "no"
    content = {_stem(word) for word in _WORD.findall(clause) if word not in word_list("replies", "empty")}
    if not content or not content <= {_stem(word) for word in words}:
        return None
    return "no" if _NEGATION.search(clause) else "yes"


def _is_negative(words: frozenset[str]) -> bool:
    return any(_NEGATION.fullmatch(word) for word in words)


def _stem(word: str) -> str:
    return word.removesuffix("'s").rstrip("s")


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

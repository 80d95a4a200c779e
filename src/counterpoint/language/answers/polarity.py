"""Polarity of free text: yes or no, said outright or by a sentence that affirms or denies the question."""

import re

from counterpoint.language.answers.final_answer import starts_with_refusal
from counterpoint.language.lexicon.word_lists import word_list

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

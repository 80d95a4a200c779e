"""Refusals and hedges in a reply, and what it settles on beside them.

A refusal declines to answer or says that there is no picture; a hedge has looked and does not settle: "I cannot tell".
"""

import re
from collections.abc import Iterator

from counterpoint.language.answers.final_answer import split_sentences

_WORDS = r"(?:\w{1,30} ){0,3}"
_UNABLE = r"(?:can't|cannot|can not|couldn't|could not|unable to|not able to)"
_CANNOT = (
    rf"(?:{_UNABLE}|won't(?: be able to)?|will not|not allowed to|don't|do not|decline to|(?:'m|am) not comfortable)"
)
_PEOPLE = (
    r"(?:people|persons?|individuals?|someone|who (?:this|that|he|she|they)|faces?|race|ethnicity|gender|religion"
    r"|wealth|identity|identities|emotions?|weight|attractiveness|personal)"
)
_PICTURE = r"(?:images?|pictures?|photos?|photographs?|attachments?|visual content)"
_REFUSALS = (
    rf"{_CANNOT} {_WORDS}(?:help|assist|answer|respond|comply|fulfill?|engage|continue|provide|share|comment|diagnose"
    r"|transcribe|speculate|discuss|give|identify|recogni[sz]e|describe|describing|process|feel comfortable)\b",
    rf"{_CANNOT} {_WORDS}(?:determine|judge|assess|assume|infer|make|making)\b[^.]{{0,60}}\b{_PEOPLE}",
    rf"{_CANNOT} {_WORDS}make that\b|{_CANNOT} (?:have|possess) (?:the |any )?(?:ability|capability|access)",
    rf"{_CANNOT} {_WORDS}(?:see|view|look at|access|open|analy[sz]e|display|interpret)(?: or \w{{1,30}})? "
    rf"(?:an?|the|this|that|your|any|these)? ?{_PICTURE}",
    rf"\bno {_PICTURE} (?:was|is|were|has|attached|provided|in our)|\b(?:no|any|an) {_PICTURE} attached",
    rf"\b(?:seem|appear)s? to be (?:an?|any) {_PICTURE}",
    rf"\b{_PICTURE} (?:failed to|could not be|couldn't be|did not|didn't) load",
    rf"\b{_PICTURE} (?:is|was)(?: not|n't) (?:provided|attached|available|shown|visible|loaded)\b",
    rf"\bthere(?: is|'s) no {_PICTURE}(?! of)|^no {_PICTURE}\b(?! of)",
    r"\b(?:please|could you(?: please)?|can you(?: please)?) (?:provide|upload|share|attach|describe)\b",
    r"\bas an? (?:ai|artificial|language|large|text|vision|visual)\b",
    r"\bi(?: am|'m) (?:just |only )?an? (?:ai|language|text)\b|\bi'm not a (?:doctor|lawyer|physician)\b",
    r"\b(?:must|have to|going to have to) decline\b|\brefuse to\b|\bagainst my (?:policy|guidelines|programming)\b",
    r"\b(?:i'd|i would) (?:rather|prefer) not\b|\bi prefer not\b|\bi (?:aim|try) not to\b|\bi (?:won't|will not)\b",
    r"\bi don't (?:identify|infer|make|judge|assume)\b|\bwould be inappropriate\b|\bnot comfortable\b",
)
_JUDGE = (
    r"(?:determine|tell|say|know|confirm|discern|make out|verify|judge|assess|identify|count|read"
    r"|be (?:\w{1,30} )?(?:sure|certain)|answer)"
)
_ENOUGH = r"(?:enough|sufficient) (?:information|context|detail)"
_HEDGES = (
    rf"\b{_UNABLE} (?:\w{{1,30}} )?{_JUDGE}\b(?! (?:you|who)\b)",
    rf"\b(?:impossible|not possible|isn't possible|hard|difficult|tough|tricky) to (?:\w{{1,30}} )?(?:see|{_JUDGE})\b",
    r"\b(?:cannot|can't|can not|could not|couldn't) be (?:\w{1,30} )?"
    r"(?:determined|identified|told|answered|discerned|known|inferred|judged|verified|confirmed|seen|read)\b",
    r"(?:\bnot|n't|\bnever) (?:be |entirely |completely |really |fully |so |quite )?"
    r"(?:sure|certain|clear|visible|legible|readable|known)\b",
    r"\b(?:unsure|uncertain|unclear|undetermined|indeterminate|unknown|illegible|ambiguous)\b",
    r"\bi (?:do not|don't) know\b|\bno idea\b|\bno way (?:to|of)\b",
    r"\btoo (?:\w{1,30}) to (?:tell|see|read|count|say|make out)\b",
    rf"\b(?:not|doesn't) (?:(?:give|provide|contain|offer|show) (?:\w{{1,30}} )?)?{_ENOUGH}",
    r"\b(?:insufficient|no) (?:information|context|detail)",
    r"\byes\s{0,2}(?:and|or|/)\s{0,2}no\b|\bno\s{0,2}(?:and|or|/)\s{0,2}yes\b",
    r"^(?:maybe|perhaps|possibly|it depends|could be)(?=[.,!]|$)",
    r"\b(?:could|might|may) be (?:\w{1,30} ){0,4}or\b|\b(?:could|might|may) be (?:either|both)\b",
)
_REFUSAL = re.compile("|".join(f"(?:{part})" for part in _REFUSALS))
_HEDGE = re.compile("|".join(f"(?:{part})" for part in _HEDGES))
_TENTATIVE = re.compile(r"\b(?:could|might|may|both|either)\b")
_POLITE = re.compile(
    r"(?:(?:i(?: am|'m) (?:so |very )?sorry|sorry|my apologies|apologies|i apologi[sz]e|unfortunately|i'm afraid|well"
    r"|hmm|hm|oh|honestly|actually|however|that said)\b"
    r"(?: (?:for|about) [^.,!;]{1,40})?[,.!]? {0,2}(?:but |that )?){1,3}",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"(?:[,;:]\s)(?:but|however|though|although|yet|so|and|as|since|because)?\b\s?"
    r"|\s(?:but|however|though|although|because)\s",
    re.IGNORECASE,
)
_REASONS = frozenset(("as", "since", "because"))
_RETURNS = frozenset(("but", "however", "though", "although", "yet"))
_RETURN = re.compile(r"(?:but|however|that said|still|nevertheless|nonetheless|what i can)\b", re.IGNORECASE)
_CONCEDES = re.compile(r"(?:although|though|while|even though)\b", re.IGNORECASE)


def is_refusal(text: str) -> bool:
    """Whether a text declines to answer, or says that there is no picture.

    >>> is_refusal("I'm sorry, but I can't help with that."), is_refusal("I can't see a dog."), is_refusal("No.")
    (True, False, False)
    """
    return _REFUSAL.search(text.lower()) is not None


def is_hedge(text: str) -> bool:
    """Whether a text leaves open what it says.

    >>> is_hedge("It cannot be determined."), is_hedge("Not sure."), is_hedge("It is clear.")
    (True, True, False)
    """
    return _HEDGE.search(text.lower().strip(" \"'(")) is not None


def is_tentative(text: str) -> bool:
    """Whether a text names a possibility, or several things at once."""
    return _TENTATIVE.search(text.lower()) is not None


def settled_text(text: str) -> str:
    """What a reply says beside its apologies, refusals and hedges; empty where it says nothing else.

    >>> settled_text("I'm not sure, but it looks like a dog."), settled_text("I cannot tell.")
    ('it looks like a dog.', '')
    """
    kept: list[str] = []
    has_refused = False
    for sentence in split_sentences(text):
        plain = _strip_apology(sentence)
        if is_refusal(plain) or is_hedge(plain):
            has_refused |= is_refusal(plain)
            kept += map(_strip_apology, _settled_clauses(plain))
        elif not has_refused or _RETURN.match(sentence):
            kept.append(plain)
    return "\n".join(part for part in kept if part)


def _settled_clauses(sentence: str) -> Iterator[str]:
    """The clauses that neither refuse nor hedge nor give a reason; after a refusal only what is set against it."""
    start, word, has_refused = 0, "", False
    concedes = _CONCEDES.match(sentence) is not None
    for turn in [*_TURN.finditer(sentence), None]:
        clause = sentence[start : turn.start() if turn else len(sentence)].strip()
        if is_refusal(clause):
            has_refused = True
        elif not is_hedge(clause) and word not in _REASONS and (not has_refused or concedes or word in _RETURNS):
            yield clause
        if turn:
            start, word = turn.end(), turn[0].strip(" ,;:\n").lower()


def _strip_apology(text: str) -> str:
    match = _POLITE.match(text)
    return text[match.end() :].strip() if match else text

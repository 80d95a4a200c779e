"""Refusals: replies that decline to answer, or state that the answer cannot be seen or told.

Both are refusals, because "I cannot tell" contains no answer that could be correct. Uncertainty is none: "Maybe" and
"Not sure" are unparsed replies.
"""

import re

_CANNOT = r"(?:can't|cannot|can not|couldn't|could not|(?:am|'m|was) (?:unable|not able) to|(?:am|'m) not allowed to)"
_DOING = (
    r"(?:help|assist|answer|respond|provide|comply|fulfil|fulfill|do (?:that|this)|determine|tell|say|see|view|look|"
    r"identify|recogni[sz]e|judge|know|confirm|discern|make out|access|analy[sz]e|process|assess|verify|give|engage|"
    r"continue|discuss|describe|interpret|open|find|detect|infer|guess)"
)
_DETERMINED = r"(?:determined|identified|told|answered|discerned|known|inferred|judged|verified|confirmed)"
_OPENING = (
    r"i(?: am|'m)? (?:\w+ )?sorry\b.{0,60}?\b(?:can't|cannot|unable|not able|won't|couldn't|don't|not allowed)",
    r"sorry\b.{0,60}?\b(?:can't|cannot|unable|not able|won't|couldn't|don't|not allowed)",
    r"(?:i )?apologi[sz]e",
    r"my apologies",
    r"as an? (?:ai|artificial|language|large|text|vision|visual)\b",
    rf"i ?(?:really |simply |just |honestly )?{_CANNOT} (?:\w+ )?{_DOING}\b",
    rf"{_CANNOT} (?:\w+ )?{_DOING}\b",
    rf"(?:unable|not able|impossible|not possible|hard|difficult) to (?:\w+ )?{_DOING}\b",
    r"i (?:do not|don't|can't|cannot) (?:really )?(?:know|have (?:enough|access|the ability|any|sufficient|an? image))",
    r"i have no (?:idea|way|access)",
    r"i(?: must| have to|'m going to have to) decline",
    r"i(?: will not| won't|'d rather not| would rather not| prefer not| refuse)",
    r"(?:it|this|that)(?: is|'s| was) (?:\w+ )?(?:unclear|not clear|not possible|impossible|hard to|difficult to)",
    r"(?:it|this|that) isn't (?:clear|possible)",
    r"(?:there is |there's )?(?:no (?:image|picture|photo)\b(?! of)|no way to|(?:not enough|insufficient) information)",
    r"please (?:provide|upload|share|attach)",
    r"(?:cannot|can't) say",
)
_ANYWHERE = (
    rf"\b(?:cannot|can't|can not|could not|couldn't) be (?:\w+ )?{_DETERMINED}\b",
    r"\b(?:image|picture|photo) (?:is|was)(?: not|n't) (?:provided|visible|attached|available|shown)\b",
    r"\b(?:not enough|insufficient) (?:information|context|detail)\b",
)
_LEAD = r"(?:(?:unfortunately|well|hmm|hm|oh|actually|honestly|but|however)[, ]{1,2})?"
_START = f"{_LEAD}(?:{'|'.join(_OPENING)})"
_STARTS = re.compile(_START, re.DOTALL)
_SENTENCES = re.compile(rf"(?:^|[.!?,;:\n]\s{{1,3}}){_START}|{'|'.join(_ANYWHERE)}", re.DOTALL)


def starts_with_refusal(text: str) -> bool:
    """Whether a text begins with a refusal.

    >>> starts_with_refusal("I'm sorry, but I can't help with that."), starts_with_refusal("No.")
    (True, False)
    """
    return _STARTS.match(_plain(text)) is not None


def contains_refusal(text: str) -> bool:
    """Whether a text contains a refusal.

    >>> contains_refusal("The color cannot be determined."), contains_refusal("Not sure.")
    (True, False)
    """
    return _SENTENCES.search(_plain(text)) is not None


def _plain(text: str) -> str:
    return text.lower().replace("’", "'").lstrip(" \t\r\n\"'*`_")

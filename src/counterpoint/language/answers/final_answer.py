"""The final answer in a reply: reasoning removed, boxes and "Answer:" markers followed, refusals told apart.

"I cannot tell" is a refusal, because it contains no answer that could be correct. Uncertainty is none: "Maybe" and "Not
sure" are unparsed replies.
"""

import re
import unicodedata

_TAG = re.compile(
    r"[<\[◁]\s?(?P<end>/?)\s?(?:seed:)?(?:think|thinking|thought|thoughts|reasoning)\s?[>\]▷]"
    r"|<\|(?P<side>begin|end)_of_thought\|>",
    re.IGNORECASE,
)
_TAGGED = re.compile(
    r"<answer>(?P<tag>[^<]*)(?:</answer>|$)|<\|begin_of_box\|>(?P<box>[^<]*)(?:<\|end_of_box\|>|$)"
    r"|<\|channel\|>\s?final\s?<\|message\|>(?P<channel>[^<]*)",
    re.IGNORECASE,
)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s?\{(?:\\text\s?\{)?(?P<inner>[^{}]*)\}", re.IGNORECASE)
_FINAL = re.compile(r"\bfinal answer\s{0,3}(?:is|would be|:|=)[\s:*]{0,5}", re.IGNORECASE)
_ANSWER = re.compile(
    r"(?:^|(?<=[\s*(\"'.,:;]))(?:final |correct |right |best |short )?answer(?: to (?:the|this|your) question)?"
    r"[*\s]{0,3}(?:is\b|would be\b|should be\b|:|=)[\s:*]{0,5}",
    re.IGNORECASE,
)
_PUNCTUATION = str.maketrans(
    dict.fromkeys(',;!?()[]{}"*`~<>|\\…=^“”«»„¿¡。、！？◁▷\u200b\ufeff', " ") | {"‘": "'", "’": "'", "–": "-", "—": "-"}
)
_EDGES = "-.:'/&_@"
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_ARTICLES = frozenset(("a", "an", "the"))


def strip_reasoning(raw: str) -> str | None:
    """Remove blocks of reasoning from a reply; None where the reasoning never ends.

    >>> strip_reasoning("<think>A dog, or a cat?</think> A cat."), strip_reasoning("<think>A dog")
    ('A cat.', None)
    """
    kept: list[str] = []
    position, depth = 0, 0
    for tag in _TAG.finditer(raw):
        if not depth:
            kept.append(raw[position : tag.start()])
        if tag["end"] or tag["side"] == "end":
            kept = kept if depth else []  # a closing tag alone: all before it is reasoning
            depth = max(depth - 1, 0)
        else:
            depth += 1
        position = tag.end()
    if depth:
        return None
    return "".join([*kept, raw[position:]]).strip()


def final_answer(text: str) -> str:
    r"""The answer that a text marks by a box, a tag or "Final answer:", else the text itself.

    >>> final_answer(r"2 + 1 makes \boxed{3}."), final_answer("It has fur. Final answer: cat")
    ('3', 'cat')
    """
    for marks in (_TAGGED, _BOXED):
        for match in reversed(list(marks.finditer(text))):
            content = next((part for part in match.groups() if part is not None), "").strip()
            if content:
                return content
    return _after(_FINAL, text)


def concluding_answer(text: str) -> str:
    """The final answer, or what follows "the answer is" or "Answer:" in it.

    >>> concluding_answer("The answer is red."), concluding_answer("Red, I would answer.")
    ('red.', 'Red, I would answer.')
    """
    return _after(_ANSWER, final_answer(text))


def normalize(text: str) -> str:
    """Lowercase, without articles, without punctuation at the edges of words, with single spaces.

    >>> normalize(" The  T-shirt, **obviously**. "), normalize("1,000"), normalize("A"), normalize("?!")
    ('t-shirt obviously', '1000', 'a', '?!')
    """
    lower = text.lower()
    if not lower.isascii():
        lower = unicodedata.normalize("NFC", lower)
    words = [word for part in _THOUSANDS.sub("", lower).translate(_PUNCTUATION).split() if (word := part.strip(_EDGES))]
    kept = [word for word in words if word not in _ARTICLES] or words
    return " ".join(kept or lower.split())


def _after(marks: re.Pattern[str], text: str) -> str:
    """The text after the last marker that is followed by any, else the whole text."""
    for match in reversed(list(marks.finditer(text))):
        rest = text[match.end() :].strip()
        if any(sign.isalnum() for sign in rest):
            return rest
    return text


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

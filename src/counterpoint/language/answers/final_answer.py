"""The final answer in a reply: reasoning blocks removed, boxes and "Answer:" markers followed, text normalized."""

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

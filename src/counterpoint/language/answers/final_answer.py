"""What a model says in the end: without its thinking, and from the place where it gives its answer."""

import re
import unicodedata

_TAG = re.compile(
    r"[<\[◁]\s?(?P<end>/?)\s?(?:seed:)?(?:think|thinking|thought|thoughts|reasoning)\s?[>\]▷]"
    r"|<\|(?P<side>begin|end)_of_thought\|>",
    re.IGNORECASE,
)
_HELD = re.compile(
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
_SIGNS = str.maketrans(
    dict.fromkeys(',;!?()[]{}"*`~<>|\\…=^“”«»„¿¡。、！？◁▷\u200b\ufeff', " ") | {"‘": "'", "’": "'", "–": "-", "—": "-"}
)
_EDGES = "-.:'/&_@"
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_ARTICLES = frozenset(("a", "an", "the"))


def strip_reasoning(raw: str) -> str | None:
    """A reply without its blocks of thinking; nothing where thinking never ended, for then it never answered.

    >>> spoken("<think>A dog, or a cat?</think> A cat."), spoken("so, a cat</think>A cat."), spoken("<think>A dog")
    ('A cat.', 'A cat.', None)
    """
    kept: list[str] = []
    place, depth = 0, 0
    for tag in _TAG.finditer(raw):
        if not depth:
            kept.append(raw[place : tag.start()])
        if tag["end"] or tag["side"] == "end":
            kept = kept if depth else []  # a lone end: all before it was thinking
            depth = max(depth - 1, 0)
        else:
            depth += 1
        place = tag.end()
    if depth:
        return None
    return "".join([*kept, raw[place:]]).strip()


def final_answer(text: str) -> str:
    r"""The answer that a text marks as its last word, by a box, a tag or "Final answer:", else the text itself.

    >>> final(r"2 + 1 makes \boxed{3}."), final("It has fur. Final answer: cat")
    ('3', 'cat')
    """
    for marks in (_HELD, _BOXED):
        for found in reversed(list(marks.finditer(text))):
            held = next((part for part in found.groups() if part is not None), "").strip()
            if held:
                return held
    return _after(_FINAL, text)


def concluding_answer(text: str) -> str:
    """The same, and what follows "the answer is" or "Answer:".

    >>> concluded("The answer is red."), concluded("Red, I would answer.")
    ('red.', 'Red, I would answer.')
    """
    return _after(_ANSWER, final_answer(text))


def normalize(text: str) -> str:
    """Small letters, without articles, without signs at the edges of words, with single spaces.

    >>> normal(" The  T-shirt, **obviously**. "), normal("1,000"), normal("A"), normal("?!")
    ('t-shirt obviously', '1000', 'a', '?!')
    """
    small = text.lower()
    if not small.isascii():
        small = unicodedata.normalize("NFC", small)
    words = [word for part in _THOUSANDS.sub("", small).translate(_SIGNS).split() if (word := part.strip(_EDGES))]
    kept = [word for word in words if word not in _ARTICLES] or words
    return " ".join(kept or small.split())


def _after(marks: re.Pattern[str], text: str) -> str:
    """What follows the last mark that anything follows."""
    for found in reversed(list(marks.finditer(text))):
        rest = text[found.end() :].strip()
        if any(sign.isalnum() for sign in rest):
            return rest
    return text

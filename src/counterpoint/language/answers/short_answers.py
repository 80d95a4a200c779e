"""The short answer in a reply to an open question."""

import re

from counterpoint.language.answers.final_answer import is_conclusion, normalize, split_sentences
from counterpoint.language.lexicon.word_lists import word_list

_OPENING = re.compile(
    r"(?:(?:sure|certainly|okay|ok|well|so|therefore|thus|hence|based on [^,]{1,60}|from what i can (?:see|tell)"
    r"|(?:in|from) th(?:e|is) (?:image|picture|photo|scene))[,!.:]?\s{1,2}"
    r"|i(?: can|'d| would)? (?:see|think|believe|say|guess|choose|can say)(?: that)?\s"
    r"|(?:the|this) (?:image|picture|photo) (?:shows|depicts|contains)\s|it looks like\s|there's\s"
    r"|(?:it|this|that|he|she)(?: is|'s| was| looks like| appears to be| seems to be| might be| could be| may be)"
    r"(?: (?:probably|likely|most likely|clearly|called))?(?: taken (?:in|on|at))?\s"
    r"|(?:this|it) looks like\s|they(?: are|'re| were)\s|(?:these|those|there) (?:are|is|were|was)\s){1,5}",
    re.IGNORECASE,
)
_ASIDE = re.compile(r",\s(?:which|who|where|with|and|as|because|since|while|not|so|although|though)\b|;\s|\s[-—–]\s")
_PREFACE = re.compile(r"(?:sure|certainly|of course|absolutely|okay|ok|great question|good question)[!.]", re.I)
_ARTICLES = frozenset(("a", "an", "the", "some"))
_VERBS = frozenset(("is", "are", "was", "were", "has", "have", "be", "being", "does", "do"))
_COLOR = frozenset(("color", "colour"))
_REASONED = 3  # sentences from which on a reply is reasoning, whose last sentence answers


def short_answer(text: str, words: frozenset[str] = frozenset()) -> str | None:
    """The first or concluding sentence without its opening phrase, words repeated from the question, and asides.

    >>> short_answer("It is a red cup."), short_answer("A dog.\\n\\nIt has fur.")
    ('red cup', 'dog')
    >>> short_answer("The man is riding a bicycle on the road.", frozenset(("what", "is", "the", "man", "riding")))
    'bicycle'
    """
    sentences = [part for part in split_sentences(text) if not _PREFACE.fullmatch(part)]
    if not sentences:
        return None
    sentence = next((part for part in reversed(sentences) if len(sentences) > 1 and is_conclusion(part)), "")
    last = sentences[-1] if len(sentences) >= _REASONED and "\n" in text else sentences[0]
    return _phrase(sentence or last, words) or None


def _phrase(sentence: str, words: frozenset[str]) -> str:
    sentence = _ASIDE.split(sentence, maxsplit=1)[0]
    label, colon, rest = sentence.partition(": ")
    if colon and len(label.split()) < 5 and {*normalize(label).split()} & {*words, *word_list("replies", "generic")}:
        sentence = rest
    opening = _OPENING.match(sentence)
    short = sentence[opening.end() :] if opening else sentence
    phrase = _strip_repetition(short, words, opening is not None)
    return normalize(phrase).removeprefix("some ")


def _strip_repetition(text: str, words: frozenset[str], has_opening: bool) -> str:
    """A sentence without the words of the question before and after its answer; a phrase without verb stays whole."""
    parts = text.split()
    plain = [normalize(part) for part in parts]
    is_sentence = any(_is_verb(word) for word in plain)
    if not words or not parts or not (is_sentence or has_opening):
        return text
    fillers = word_list("replies", "fillers")
    known = [word in words or _is_verb(word) or word in _ARTICLES for word in plain]
    if all(known):
        return text
    lead = [
        own or word in fillers or word in word_list("replies", "generic")
        for own, word in zip(known, plain, strict=True)
    ]
    stop = len(known) - known[::-1].index(False)
    if has_opening and not is_sentence and not words & _COLOR:  # "potted plant" answers "What kind of plant?"
        while stop < len(parts) and not plain[stop].endswith("ing"):  # "a clock hanging" answers "What is hanging?"
            stop += 1
    verbs = [index for index, word in enumerate(plain) if _is_verb(word)]
    start = lead.index(False) if False in lead else known.index(False)
    if not verbs or verbs[0] < start:
        return _cut_tail(parts[start:stop] if stop > start else parts[start:])
    start = known.index(False)
    if any(_is_verb(word) for word in plain[stop:]):
        return " ".join(parts[start:stop])
    return _cut_tail(parts[start:]) if has_opening else text


def _is_verb(word: str) -> bool:
    start, apostrophe, end = word.partition("'")
    return word in _VERBS or (end in ("s", "re") and bool(apostrophe) and start in word_list("replies", "fillers"))


def _cut_tail(parts: list[str]) -> str:
    """A phrase up to the preposition or conjunction that follows its answer; two things joined by "and" stay."""
    tails = word_list("replies", "tails")
    for index, part in enumerate(parts):
        word = normalize(part)
        joined = word == "and" and len(parts) <= index + 3
        if index and word in tails and not joined:
            return " ".join(parts[:index])
        if part.endswith(",") and index:
            return " ".join(parts[: index + 1])
    return " ".join(parts)

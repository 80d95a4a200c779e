"""The count in a reply, in digits, in words, or as "none"."""

import re
from functools import cache

from counterpoint.language.answers.final_answer import split_sentences
from counterpoint.language.answers.numerals import compounds_as_digits, parse_fraction
from counterpoint.language.english import number_value, number_word
from counterpoint.language.lexicon.attributes import classes_of
from counterpoint.language.lexicon.word_lists import split_list, word_table
from counterpoint.language.nouns import plural

_WORDS = "|".join(sorted((number_word(n).replace("-", "[- ]") for n in range(101)), key=len, reverse=True))
_SIZES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "dozen": 12}
_DIGITS = r"[0-9]{1,3}(?:,[0-9]{3}){1,4}(?![0-9])|[0-9]{1,15}(?:\.[0-9]{1,9})?"
_NUMBER = re.compile(
    r"\bhalf a dozen\b|(?P<pair>\ba (?:couple|pair)\b)"
    rf"|(?<![\w.,$€£])(?:(?P<digits>{_DIGITS})|(?P<words>{_WORDS}|a|an))[ -](?P<size>{'|'.join(_SIZES)})\b"
    rf"|(?<![a-z0-9_.,])(?<![0-9]:)(?P<alone>(?:(?<![^\s(=])-)?(?:{_DIGITS}))(?![a-z0-9_]|[.,:][0-9])"
    r"|^x ?(?P<times>[0-9]{1,3})$"
    rf"|^(?P<many>[0-9]{{1,3}}) ?x$"
    rf"|(?<!\bno )(?<!\bnot )(?<!\bnot a )(?<!\bnot a single )\b(?P<word>{_WORDS}|single|dozen)\b"
    r"(?! of (?:them|the|these|those|which))"
)
_NONE = re.compile(
    r"\bnone\b|\bnobody\b|\bno one\b|\bno (?!doubt|idea|way|question|image|picture)\w{1,40}"
    r"|(?:\bnot|n't) (?:\w{1,40} ){0,2}any\b|\bnot (?:a single|one)\b"
)
_NO_SUCH = re.compile(
    r"(?:\bno|\bany) (?!other|more|further|fewer|less)(?:\w{1,30} )?(?P<noun>\w{1,40})\b[^.]{0,60}[,;] "
)
_BOUND = re.compile(r"\b(?:more|less|fewer|greater|other|rather) than\b|\bnot\b[^.]{0,20}\bbut\b")
_RANGE = re.compile(
    rf"(?:{_DIGITS}|\b(?:{_WORDS}))(?: or | to |-| - |–| and |,? (?:or )?(?:maybe|possibly|perhaps) )(?:{_DIGITS}"
    rf"|(?:{_WORDS})\b)"
)
_TOTAL = re.compile(r"\b(?:total|altogether|overall|makes|leaves|therefore|thus|hence|so)\b")
_LABEL = re.compile(
    rf"^(?:the )?(?:final |total )?(?:count|number|total|sum)(?: of \w{{1,40}}){{0,2}}\s?[:=]\s?({_DIGITS}"
    rf"|(?:{_WORDS})\b)"
)
_SUBSET = re.compile(r"^(?:out )?of (?:the|these|all|those)\b[^,]{1,50}, ")
_SUM = re.compile(r"\bplus [^.]{1,40}?\b(?:is|equals|makes) ")
_ONE = re.compile(
    r"\b(?:there(?: is|'s)|i (?:can )?see|you can see|shows|has|contains) (?:only "
    r"|just )?an? (?P<noun>(?:\w{1,30} ){0,2}\w{1,30})"
)
_ENTRY = re.compile(r"(?P<noun>\w{1,30}) (?P<number>[0-9]{1,2}):")
_LIST_ITEM = re.compile(r"(?:[0-9]{1,2}[.)]|(?:step|person|object|image) [0-9]{1,2}[:.]?) ")
_LONE_MARK = re.compile(r"^([0-9]{1,2}\.)\n", re.MULTILINE)  # a sentence of its own, as its full stop ends one
_STATES = re.compile(
    r"\b(?:there (?:are|is|were|was|'re|'s)|there's|i (?:can )?(?:see|count|counted|spot|estimate)|has|have|shows"
    r"|contains|with|a total of|i'd (?:say|estimate)|seems? to be|appears? to be|maybe|perhaps)"
    r"(?: (?:about|around|approximately|roughly|just|only|exactly|a total of|at least|that)){0,2} $"
)
_SUMS = re.compile(
    r"\b(?:(?:a )?total of|total is|makes|leaves|leaving|sum of|sum is|altogether|equals|giving)(?: us)? $"
)
_SHARE = re.compile(rf"\b({_DIGITS}|{_WORDS}) (?:out )?of (?:the |these |those |all )?(?:{_DIGITS}|{_WORDS})\b")
_PART = re.compile(rf"\b(?P<word>{_WORDS}) of (?:the|these|those|them)\b")
_ABOUT = re.compile(
    r"^(?:(?:it|that|this)(?: is|'s) )?(?:about |around |approximately |roughly |exactly |only |just )?"
    r"|(?<=half)(?: of (?:it|them|the \w{1,30}))$"
)
_EDGES = " \t\"'*_`.!()~[]"
_CJK = re.compile(
    r"(?:(?<=有)|(?<=是)|(?<=为)|^|(?<=[:\s]))([零〇一二两兩三四五六七八九十百千万]{1,9})(?!共|些|样|个人都)"
)
_CJK_UNITS = {"十": 10, "百": 100, "千": 1000}
_POINT = re.compile(r"(?<![\w.,])\.(?=[0-9])")  # ".5" is 0.5
_IN_TOTAL = re.compile(r"(?P<noun>(?: \w{1,30}){0,2}) (?:in total|altogether|in all)\b")
_SAME_NOUN = re.compile("more|on|in|at|to|by|near|here|there|behind|beside|under|over|above|below|is|are|and")


def parse_count(text: str, words: frozenset[str] = frozenset()) -> str | None:
    """The count that a text settles on, as digits; None where there are none, several, or only a bound.

    The items of a numbered list are counted where neither they nor what surrounds them states a number. Of several
    numbers the one after a sum, in a sentence that concludes, after "there are", or before a noun of the
    question counts.

    >>> [parse_count(text) for text in ("There are three dogs.", "a dozen", "No dogs.", "2 or 3", "1,000")]
    ['3', '12', '0', None, '1000']
    """
    lower = compounds_as_digits(_POINT.sub("0.", text.lower().replace("’", "'").replace("−", "-").strip()))
    if entries := _count_entries(lower, words):
        return entries
    answer, items = _split_items(lower)
    if items and not any(_NUMBER.search(part) for part in (answer, *items)):
        return str(len(items))
    return _stated_count(answer, words) if answer else None


def _split_items(text: str) -> tuple[str, list[str]]:
    """A text without the items of a list that is numbered from 1, and these items without their numbers."""
    lines = _LONE_MARK.sub(r"\1 ", text).splitlines()
    marks = [_LIST_ITEM.match(line) for line in lines]
    items = [line[mark.end() :] for line, mark in zip(lines, marks, strict=True) if mark]
    numbers = [mark[0].rstrip(".) ") for mark in marks if mark]
    if len(items) < 2 or numbers != [str(number) for number in range(1, len(items) + 1)]:
        return text, []
    return "\n".join(line for line, mark in zip(lines, marks, strict=True) if not mark), items


def _count_entries(text: str, words: frozenset[str]) -> str | None:
    """How many lines a text has, where each is an entry of what was asked for: "Dog 1: brown"."""
    entries = [_ENTRY.match(line) for line in text.splitlines()]
    found = [entry for entry in entries if entry]
    numbers = [entry["number"] for entry in found]
    is_list = len(found) == len(entries) > 1 and numbers == [str(number) for number in range(1, len(found) + 1)]
    return str(len(found)) if is_list and all(_is_word(entry["noun"], words) for entry in found) else None


def _is_word(noun: str, words: frozenset[str]) -> bool:
    """Whether a noun is in a question, in the singular or the plural."""
    return noun in words or plural(noun) in words


def _stated_count(answer: str, words: frozenset[str]) -> str | None:
    parts = split_sentences(answer) or [""]
    sentences = [part for part in parts if len(parts) == 1 or not _LIST_ITEM.match(part)] or parts
    whole = _NUMBER.fullmatch(sentences[0].strip(_EDGES))
    if whole is not None:
        return _digits(whole)
    if (fraction := parse_fraction(_ABOUT.sub("", sentences[0].strip(_EDGES)))) is not None:
        return fraction
    if is_range(answer) or _BOUND.search(answer):
        return None
    totals = [part for part in sentences if _TOTAL.search(part) or "=" in part]
    for part in sentences:
        if (label := _LABEL.match(part)) is not None and (number := _NUMBER.match(label[1])) is not None:
            return _digits(number)
    for part in [*reversed(totals), *sentences[:1], *sentences[:0:-1]]:
        if (count := _count_in(part, words)) is not None:
            return count
    return _foreign_count(answer) or ("0" if _NONE.search(answer) else _single(answer, words))


def _single(text: str, words: frozenset[str]) -> str | None:
    """One, where a text says that there is one of what was asked for: "There is a boat."; or a part of many."""
    for match in _ONE.finditer(text):
        if any(plural(noun) in words for noun in match["noun"].split()):
            return "1"
    parts = {str(number_value(match["word"])) for match in _PART.finditer(text)}
    return parts.pop() if len(parts) == 1 else None


def is_range(text: str) -> bool:
    """Whether a text names two numbers without a decision.

    >>> is_range("3 or 4"), is_range("between 20 and 30"), is_range("3")
    (True, True, False)
    """
    lower = text.lower()
    return any(" and " not in match[0] or "between" in lower for match in _RANGE.finditer(lower)) and "=" not in lower


def _count_in(sentence: str, words: frozenset[str]) -> str | None:
    """The only count in a sentence, or the one that it states first of all."""
    if "=" in sentence:
        sentence = sentence.rpartition("=")[2]
    elif (total := _SUM.search(sentence)) is not None:
        sentence = sentence[total.end() :]
    sentence = sentence.replace("every one of ", "").replace("each one of ", "")
    sentence = _SHARE.sub(r"\1", _SUBSET.sub("", sentence))
    found = list(_NUMBER.finditer(sentence))
    if found and _denies_asked(sentence, found, words):
        return "0"
    counts = {_digits(match) for match in found}
    if len(counts) == 1:
        return counts.pop()
    for match in found:
        if _SUMS.search(sentence[max(0, match.start() - 30) : match.start()]):
            return _digits(match)
    if (count := _in_total(sentence, found, words)) is not None:
        return count
    for match in found:
        if _STATES.search(sentence[max(0, match.start() - 60) : match.start()]):
            return _digits(match)
    named = {_digits(match) for match in found if _precedes(sentence[match.end() : match.end() + 40], words)}
    if len(named) == 1:
        return named.pop()
    if (count := _by_repetition(sentence, found, words)) is not None:
        return count
    first = {_digits(match) for match in _NUMBER.finditer(re.split(r"[,:;(](?![0-9])\s?", sentence, maxsplit=1)[0])}
    return first.pop() if len(first) == 1 else None


def _denies_asked(sentence: str, found: list[re.Match[str]], words: frozenset[str]) -> bool:
    """Whether there are none of what was asked for, and the numbers are of other things: "no dogs, but 3 cats"."""
    denial = _NO_SUCH.search(sentence)
    if denial is None or not _is_word(denial["noun"], words) or denial.start() > found[0].start():
        return False
    return all(_names_another(sentence[match.end() : match.end() + 80], words) for match in found)


def _in_total(sentence: str, found: list[re.Match[str]], words: frozenset[str]) -> str | None:
    """The number before "in total"; where it sums up other things too, as dogs and cats, that of what was asked for."""
    rests = {match: sentence[match.end() : match.end() + 80] for match in found}
    totals = {match: total for match, rest in rests.items() if (total := _IN_TOTAL.match(rest))}
    if not totals:
        return None
    whole, total = next(iter(totals.items()))
    parts = [match for match in found if match not in totals]
    named = [match for match in parts if _precedes(rests[match], words)]
    is_mixed = any(_names_another(rests[match], words) for match in parts if match not in named)
    if is_mixed and len({*map(_digits, named)}) == 1 and not _precedes(total["noun"], words):
        return _digits(named[0])
    return _digits(whole)


def _names_another(after: str, words: frozenset[str]) -> bool:
    """Whether a noun that the question lacks follows a number: "1 cat", and not "1 on the right" or "1 white"."""
    following = re.findall(r"\w+", after)[:2]
    if not following or any(_is_word(word, words) for word in following):
        return False
    return _SAME_NOUN.fullmatch(following[0]) is None and not classes_of(following[0])


def _by_repetition(sentence: str, found: list[re.Match[str]], words: frozenset[str]) -> str | None:
    """The number whose clause repeats more of the question than that of any other: "three are on the lake"."""
    ends = [*(match.start() for match in found[1:]), len(sentence)][: len(found)]
    shared = [len({*sentence[match.end() : end].split()} & words) for match, end in zip(found, ends, strict=True)]
    best = max(shared, default=0)
    return _digits(found[shared.index(best)]) if shared.count(best) == 1 else None


def _precedes(after: str, words: frozenset[str]) -> bool:
    """Whether a noun of the question follows a number, perhaps behind an adjective."""
    return any(word.strip(".,;:!") in words for word in after.split()[:2])


def _foreign_count(text: str) -> str | None:
    numerals = _numerals()
    counts: set[int | None] = {numerals[word] for part in text.split() if (word := part.strip(".,!;:")) in numerals}
    if not counts and not text.isascii():
        counts = {_cjk_number(match[1], numerals) for match in _CJK.finditer(text)}
    number = counts.pop() if len(counts) == 1 else None
    return None if number is None else str(number)


def _cjk_number(text: str, numerals: dict[str, int]) -> int | None:
    """The value of a numeral below ten thousand: "二十三" is 23; None where it is larger, or no number."""
    if text in numerals:
        return numerals[text]
    total = 0
    digit: int | None = None
    for char in text:
        if (unit := _CJK_UNITS.get(char)) is None:
            if char not in numerals or digit:
                return None
            digit = numerals[char]
        else:
            total, digit = total + unit * (1 if digit is None else digit), None
    return total + (digit or 0)


@cache
def _numerals() -> dict[str, int]:
    listed = split_list(word_table("replies")["numerals"])
    return {word: number for number, words in enumerate(listed) for word in words.split("/")}


def _digits(match: re.Match[str]) -> str:
    """A number as digits, without thousands separators and without a fraction of zero."""
    if size := match["size"]:
        many = match["digits"] or str(number_value(match["words"]) or 1)
        return str(int(float(many.replace(",", "")) * _SIZES[size])) if len(many) < 9 else many
    if match["pair"]:
        return "2"
    if alone := match["alone"] or match["times"] or match["many"]:
        whole, _, rest = alone.replace(",", "").partition(".")
        return f"{whole}.{rest}" if rest.strip("0") else whole
    return "6" if match["word"] is None else str(number_value(match["word"]))

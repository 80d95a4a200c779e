"""Yes or no in a reply: said outright, or by a sentence that affirms or denies what was asked."""

import re
from dataclasses import dataclass
from functools import cache

from counterpoint.language.answers.final_answer import is_conclusion, split_sentences
from counterpoint.language.answers.refusals import is_hedge
from counterpoint.language.lexicon.word_lists import word_list

_YES = r"(?:yes|yeah|yep|yup|true|correct|affirmative|indeed|right)"
_NO = (
    r"(?:no|nope|nah|false|incorrect|wrong|negative|definitely not|absolutely not|certainly not|of course not|"
    r"probably not|most likely not|likely not|not (?:really|quite|exactly|at all))"
)
_LEAD = re.compile(
    r"(?:(?:i(?:'d| would| will|'ll)? (?:say|think|believe|guess|answer|go with)(?: that)?|so|therefore|thus|hence"
    r"|then|in conclusion|overall|my answer (?:is|would be)|the answer is|it is|it's|probably|likely|most likely|and"
    r"|well|great question|good question|actually|sure|okay|ok)[,:!.]? {1,2}){1,4}"
)
_DOUBT = re.compile(
    r"(?:there is |there's |i have )?(?:no|without(?: a| any)?) (?:doubt|question)(?: that| about (?:it|that))?"
    r"[, ]{0,2}"
)
_SIGN = re.compile(
    r"\b(?:no|any|not a) (?:visible |clear )?(?:signs?|traces?|evidence|hints?|indications?) (?:of(?: any| a)?|that) "
)
_UNTRUE = re.compile(
    r"\bit(?: is| would be|'s) (?:incorrect|wrong|false|inaccurate) to (?:say|claim|state)(?: that)? "
    r"(?!.{0,60}(?:\b(?:no|not|nobody|none|never|without|missing|absent|lacks?)\b|n't))"
)
_LEADS_YES = re.compile(rf"{_YES}\b(?![-']|\snot?\b)")
_LEADS_NO = re.compile(rf"{_NO}\b(?!['-]|\s?(?:\.\s?)?[0-9])")
_SAYS_YES = re.compile(r"\byes\b")
_SAYS_NO = re.compile(r"\bno\b(?=\s?(?:[.,;:!?)\"']|$))")
_WHO = r"(?:it|they|he|she|there|this|that|these|those|i|we|you)"
_DOES = r"(?:is|are|does|do|did|was|were|has|have|could|would)"
_SURELY = (
    r"(?:sure|surely|certainly|definitely|absolutely|most certainly|most definitely|most likely|probably|likely|really"
    r"|clearly|indeed|actually|in fact|almost certainly)"
)
_THINK = (
    r"(?:i (?:think|believe|guess|suppose|would say)|i'd say"
    r"|i'm (?:pretty |fairly |quite |very )?(?:sure|confident|certain))(?: that)?"
)
_AFFIRMS = re.compile(
    rf"(?:{_THINK} )?{_WHO} (?:{_SURELY} )?(?:{_DOES}|can|will)(?: {_SURELY})?(?: one| some| several)?"
    rf"|{_THINK} so|y|{_SURELY} (?:is|are|does|do|so)|you bet|present|probably|likely|(?:most|very|quite) likely"
    r"|(?:it |that )?(?:would )?(?:looks?|seems?|appears?) (?:like it|so|that way|to be)|they (?:seem|appear)(?: so"
    r"| to(?: be)?)"
    r"|(?:that|this|it)(?:'s| is) (?:true|correct|right|the case|so)"
)
_SURE = re.compile(r"(?:definitely|absolutely|certainly|of course|indeed)\b[,!. ]{0,3}")
_HERE = r"(?: (?:here|in (?:this|the) (?:image|picture|photo|scene)|(?:that|from what) i can (?:see|tell|spot)))"
_DENIES = re.compile(
    rf"(?:{_THINK} )?{_WHO} (?:{_SURELY} )?(?:(?:{_DOES}|can|will) (?:{_SURELY} )?not|{_DOES}n't|can't|won't|cannot)"
    rf"(?: one| any)?{_HERE}?|(?:it|that|this|he|she)'s not|they're not|n"
    r"|not|i (?:don't|do not) (?:think|believe) so|i (?:think|believe|guess) not|not that i (?:can )?(?:see|know)"
    r"(?: of)?|not at all|(?:that|this|it)(?:'s| is) (?:false|incorrect|wrong|not (?:true|correct|right|the case|so))"
    rf"|absent|unlikely|doubtful|(?:very |highly |quite |most )?(?:unlikely|doubtful)|not (?:likely|present){_HERE}?"
    rf"|(?:there (?:are|is) )?none(?: at all)?{_HERE}?|not{_HERE}|(?:it|that) (?:doesn't|does not) (?:look|seem|appear)"
    r" (?:like it|so|to be|that way)|i (?:wouldn't|would not) say (?:so|that)|i'm afraid not|i doubt (?:it|that|so)"
    r"|i (?:don't|do not|can't|cannot) (?:see|spot|find) (?:one|any|it|them)"
)
_NEGATION = re.compile(r"(?:no|not|none|never|neither|nor|nothing|nobody|cannot|without|\w{1,12}n't)")
_ENDS = re.compile(r"\b(?:so|hence|therefore|thus),? (?:the answer is )?(?P<value>yes|no)[.!]?$")
_CLAIM = re.compile(rf"\b(?:{_DOES}|can|will|looks?|seems?|appears?|\w{{1,12}}n't|\w{{1,12}}'(?:s|re))\b")
_CLAUSE = re.compile(
    r"[.,;:!?\n—–]|\s-\s|\b(?:but|because|since|although|however|while|though)\b"
    r"|(?<!think )(?<!believe )(?<!guess )(?<!suppose )(?<!appears )(?<!seems )(?<!say )"
    r"(?<!seem )(?<!appear )(?<!look )\bso\b"
)
_INSTEAD = re.compile(r"\b(?:rather than|instead of) (?:(?:an?|the|any) )?(?P<thing>[\w']{1,40})")
_WORD = re.compile(r"[\w']{1,40}")
_CONFIRMS = re.compile(r", (?:right|(?:is|are|does|do|was|were|has|have|can)(?:n't)? \w{1,5})\?$")
_PRONOUNS = frozenset(("it", "they", "he", "she", "there", "he's", "she's", "it's", "they're"))
_ONE_WAY = frozenset(
    ("than", "behind", "above", "below", "under", "over", "left", "right", "front")
)  # not of both at once
_PLACES = frozenset(("in", "on", "at", "by", "against", "along", "around", "across"))
_MARKS = ".,!;:،¡।。、"
_MAYBE = re.compile(r"\b(?:maybe|perhaps|possibly|might|may|could (?:well |also |easily )?be)\b")


@dataclass(frozen=True, slots=True)
class _Claim:
    """The claim of a yes/no question: the stems of its content words, all its words, and the stem of its subject."""

    content: frozenset[str]
    words: frozenset[str]
    subject: str

    def is_confirmed(self, words: list[str], content: frozenset[str]) -> bool:
        """Whether a clause says all that was asked but for the subject, which a pronoun stands for.

        With "indeed", that may be any one word.
        """
        missing = self.content - content
        if len(missing) != 1 or not content & self.content or not _PRONOUNS & {*words}:
            return False
        return "indeed" in words or (missing == {self.subject} and not self.strays(content))

    def is_reversed(self, words: list[str]) -> bool:
        """Whether a clause says of another thing what was asked of the subject: "The girl is taller than the boy"."""
        stems = [_stem(word) for word in words if _content([word])]
        return bool(self.words & _ONE_WAY) and self.subject in stems[1:] and stems[0] in self.content - _ONE_WAY

    def strays(self, content: frozenset[str]) -> bool:
        """Whether a clause makes a reservation, or names another place where the question asks about one."""
        others = content - self.content
        places = word_list("replies", "places")
        asks_place = bool(self.words & (places | _PLACES))
        return bool(others & word_list("replies", "reservations")) or (asks_place and bool(others & places))


def yes_or_no(text: str, words: frozenset[str] = frozenset(), subject: str = "") -> str | None:
    """The polarity of a reply to a yes/no question of these words; None for both, neither, or uncertainty.

    A sentence without "yes" or "no" counts only where it repeats the question: "There is no dog" is a "no" to "Is there
    a dog?", and None to "Is there a cat?". A negative question is answered by "yes" or "no" alone.

    >>> yes_or_no("Yes, there is a dog."), yes_or_no("There is no doubt that it is."), yes_or_no("Yes and no.")
    ('yes', 'yes', None)
    >>> yes_or_no("There is no dog.", frozenset({"is", "there", "a", "dog"}))
    'no'
    """
    lower = text.lower().replace("’", "'").strip(" \"'(.-:#>[\n")
    sure = _UNTRUE.sub("not ", _SIGN.sub("no ", _DOUBT.sub("", lower)))
    if sure != lower and not _WORD.search(sure):
        return "yes"
    sure = sure if sure.isascii() else sure.replace("?", "? ")
    sentences = [" ".join(part.split()).lstrip("\"'( ") for part in split_sentences(sure)]
    claims = [part for part in sentences if not part.endswith("?") or _CONFIRMS.search(part)]
    if not sentences:
        return None
    if not claims:  # "Is there a dog?" is no claim that there is
        return _by_first_word(sentences[0], sure) or None
    sure = sure if len(claims) == len(sentences) else "\n".join(claims)
    sentences = claims
    is_negated = any(map(_NEGATION.fullmatch, words))
    asked = _Claim(frozenset() if is_negated else _content(words), words, _stem(subject))
    ordered = [*reversed([part for part in sentences if is_conclusion(part)]), *sentences[:1], *sentences[:0:-1]]
    outright = _by_first_word(sentences[0], " ".join(sentences)) or _by_foreign_word(sure)
    if outright is not None:
        return outright or None
    if (end := _ENDS.search(sentences[-1])) is not None:
        return end["value"]
    for sentence in ordered:
        if (polarity := _by_clauses(sentence, asked)) is not None:
            return polarity
    return _by_any_word(sure) or ("yes" if _SURE.match(sure) else None)


def _by_first_word(sentence: str, whole: str) -> str | None:
    """By the first words, unless the other polarity follows: then there is neither, ""."""
    start = _LEAD.match(sentence)
    for text in (sentence, sentence[start.end() :] if start else ""):
        if _LEADS_YES.match(text):
            return "" if _SAYS_NO.search(whole) else "yes"
        if _LEADS_NO.match(text) and not _rest_of_question(text):
            return "" if _SAYS_YES.search(whole) else "no"
    return None


def _rest_of_question(text: str) -> bool:
    """Whether "no" begins a noun phrase that goes on, as in "no other glass is visible"; "no dog" denies."""
    return text.startswith(("no other ", "no one else"))


def _by_foreign_word(text: str) -> str | None:
    """By the first word in another language; neither, "", where that begins a reply that does not settle."""
    bare = text.strip(_MARKS)
    if text.isascii() and not bare.isalpha() and " " not in bare:
        return None
    if text.startswith(_starts("unsettled_start")):
        return ""
    if not text.isascii():
        for polarity in ("no", "yes"):  # 不是 and ไม่ใช่ contain a yes
            if text.startswith(_starts(f"{polarity}_start")):
                return polarity
    words = text.split(maxsplit=1)
    first = words[0].strip(_MARKS)
    for polarity in ("yes", "no"):
        is_alone = len(words) == 1 or words[0] != first
        if first in word_list("replies", polarity) or (is_alone and first in word_list("replies", f"{polarity}_alone")):
            return polarity
    return None


@cache
def _starts(name: str) -> tuple[str, ...]:
    return tuple(sorted(word_list("replies", name)))


def _by_any_word(text: str) -> str | None:
    """By "yes" or "no" anywhere in the text."""
    yes, no = _SAYS_YES.search(text), _SAYS_NO.search(text)
    if _MAYBE.search(text) or (yes is None) == (no is None):
        return None
    return "yes" if yes else "no"


def _by_clauses(sentence: str, asked: _Claim) -> str | None:
    """By the first clause that affirms or denies by itself, or that repeats what was asked."""
    sentence = _SURE.sub("", sentence, count=1) if _SURE.match(sentence) else sentence
    position = 0
    for stop in [*_CLAUSE.finditer(sentence), None]:
        clause = sentence[position : stop.start() if stop else len(sentence)].strip(" \"')")
        position = stop.end() if stop else position
        is_label = stop is not None and stop[0] == ":" and not _CLAIM.search(clause)
        if not clause or is_hedge(clause) or _MAYBE.search(clause):
            continue
        start = _LEAD.match(f"{clause} ")
        bare = clause[start.end() :] if start and start.end() < len(clause) else clause
        for text in (clause, bare):
            if _AFFIRMS.fullmatch(text) or re.fullmatch(_YES, text):
                return "yes"
            if _DENIES.fullmatch(text) or re.fullmatch(_NO, text):
                return "no"
        if (instead := _INSTEAD.search(clause)) and _stem(instead["thing"]) in asked.content:
            return "no"
        if asked.content and not is_label and (polarity := _by_repetition(bare, asked)) is not None:
            return polarity
    return None


def _by_repetition(clause: str, asked: _Claim) -> str | None:
    """By a clause that has no other content than the question, or all of it and no other place."""
    words = _WORD.findall(clause)
    content, is_denied = _content(words), False
    for word in sorted(content - asked.content):
        for opposite in _opposites().get(word, ()):
            if opposite in asked.content:
                content, is_denied = (content - {word}) | {opposite}, True
    for word, opposite in (("on", "off"), ("off", "on")):
        if word in asked.words and opposite in words and not (opposite in asked.words or word in words):
            content, is_denied = (content - {opposite}) | (asked.content & {word}), True
    repeats = content <= asked.content or (asked.content <= content and not asked.strays(content))
    if not (content or is_denied) or not (repeats or asked.is_confirmed(words, content)):
        return None
    if asked.is_reversed(words):
        is_denied = not is_denied
    for index, word in enumerate(words):
        if _NEGATION.fullmatch(word):
            following = next((_stem(later) for later in words[index + 1 :] if _content([later])), "")
            if word == "no" and following and following not in asked.content:
                return None
            is_denied = not is_denied
            break
    return "no" if is_denied else "yes"


def _content(words: frozenset[str] | list[str]) -> frozenset[str]:
    """The stems of the words that are not empty."""
    empty = word_list("replies", "empty")
    return frozenset(_stem(word) for word in words if word not in empty and not _NEGATION.fullmatch(word))


def _stem(word: str) -> str:
    """A word without its possessive, its plural and, where it is a verb, its ending."""
    word = word.removesuffix("'s").rstrip("s'")
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            return word.removesuffix(ending)
    return word.removesuffix("e") if len(word) > 4 else word


@cache
def _opposites() -> dict[str, tuple[str, ...]]:
    opposites: dict[str, tuple[str, ...]] = {}
    for pair in word_list("replies", "opposites"):
        first, second = map(_stem, pair.split("/"))
        opposites[first] = (*opposites.get(first, ()), second)
        opposites[second] = (*opposites.get(second, ()), first)
    return opposites

"""The short answer in a reply to an open question."""

import re

from counterpoint.language.answers.final_answer import is_conclusion, normalize, split_sentences
from counterpoint.language.lexicon.word_lists import word_list

_OPENING = re.compile(
    r"(?:(?:sure|certainly|okay|ok|well|so|therefore|thus|hence"
    r"|(?:based on|according to|judging by|judging from|given|from the looks?|by the looks?|considering) [^,]{1,60}"
    r"|from what i can (?:see|tell)"
    r"|(?:in|from) th(?:e|is) (?:image|picture|photo|scene))[,!.:]?\s{1,2}"
    r"|i(?: can|'d| would)? (?:see|think|believe|say|guess|choose|can say)(?: that)?\s"
    r"|(?:you|we)(?: can|'ll| will)?(?: also)? (?:see|find|notice|spot)\s|(?:it|that|this|he|she) (?:must|has to"
    r"|should|would) be\s"
    r"|[^,.]{1,40}\s(?:suggests?|indicates?|implies|means) (?:that )?(?:he|she|it|they|this|that)(?: is| are|'s|'re)\s"
    r"|(?:most likely|probably|likely|perhaps|maybe|possibly)[,:]?\s"
    r"|(?:the|this) (?:image|picture|photo) (?:shows|depicts|contains)\s|it looks like\s|there's\s"
    r"|(?:it|this|that|he|she)(?: is|'s| was| looks like| appears to be| seems to be| might be| could be| may be)"
    r"(?: (?:probably|likely|most likely|clearly|called))?(?: taken (?:in|on|at))?\s"
    r"|(?:he|she|it|they) (?:looks?|seems?|feels?|appears?)(?: (?:to be|like))?\s"
    r"|(?:this|it|that) (?:costs|weighs|measures)\s"
    r"|the (?:clock|watch|thermometer|scoreboard|display|screen|scale|gauge) (?:shows|reads|says|displays|indicates)\s"
    r"|(?:about|around|approximately|roughly|exactly)\s(?=[0-9][\w.,%]{0,20}(?:\s[a-z%°]{1,20})?[.!]?$)"
    r"|(?:this|it|that|these|those|they) looks? like\s|they(?: are|'re| were)\s|(?:these|those|there) (?:are|is"
    r"|were|was)\s){1,5}",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r",\s(?:which|who|where|with|and|as|because|since|while|not|so|although|though|given|judging|based|considering"
    r"|specifically|more specifically|namely|(?:possibly|likely|probably|perhaps|maybe)(?= an? )"
    r"|(?:i(?:'d)? (?:think|believe|guess|suppose|say)|it (?:seems|appears)|apparently|probably)(?=[.,!]|$))\b"
    r"|;\s|\s[-—–]\s",
    re.IGNORECASE,
)
_MADE_BY = re.compile(
    r"(?:(?P<subject>[^,.]{1,60}?)\s(?:is|are|was|were)\s(?:\w{1,20}ly\s)?)?"
    r"(?P<done>written|painted|drawn|made|created|designed|built|directed|taken|shot|photographed|composed|published"
    r"|produced|invented|developed|manufactured|signed|sung|performed|played|sent|given|thrown|won|led|owned|driven"
    r"|ridden|held|carried|worn)\sby\s",
    re.IGNORECASE,
)
_THINGS = frozenset(("it", "this", "that", "these", "those"))
_SCORE = re.compile(r"(?<=[0-9])\s[-–—]\s(?=[0-9])")
_CORRECTED = re.compile(
    r"(?:it|this|that|he|she|they)(?: is|'s| are|'re) not [^,;.]{1,60}?(?:[,;] (?:but |rather )?| but )"
    r"(?=(?:it|this|that|he|she|they)(?: is|'s| are|'re) |an? |(?<=but )\w{1,30}(?: \w{1,30}){0,2}[.!]?$)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^[0-9]{1,2}[.)]\s(?=[^\W\d])")
_HENCE = re.compile(
    r",\s(?:so|therefore|thus|hence)\s(?=(?:it|this|that|he|she|they|the \w{1,30})(?:'s|'re| is| are| must be"
    r"| has to be)\s)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?P<subject>(?:an?|some|two|three|four|several)\s[^,.]{1,40}?)\s(?:is|are|was|were|hangs?|stands?|sits?|lies?"
    r"|lie)\s"
    r"(?P<rest>[^,.]{1,200})",
    re.IGNORECASE,
)
_ASKS = frozenset(("what", "which", "who", "where", "kind", "type", "sort"))
_COPULA = re.compile(
    r"(?:the|this|that|these|those|his|her|its|their)\s(?P<subject>[^,.]{1,60}?)\s"
    r"(?:is|are|was|were|looks? like|appears? to be|seems? to be|would be|must be"
    r"|should be)\s(?!\w{1,20}ing\b)(?P<rest>.{1,200})$",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?P<place>(?:behind|under|beneath|in|on|at|by|near|next|beside|between|above|below|over|inside|outside|around"
    r"|to|along"
    r"|against|atop|across|within)\b[^.,]{1,60}?),?\s"
    r"(?:(?:you|we|i|one)(?: can|'ll| will)?(?: also)? (?:see|find|notice|spot)|there(?:'s| is| are| was| were)"
    r"|(?:is|are|stands?|sits?|lies|lie|hangs?|appears?|was|were))\s",
    re.IGNORECASE,
)
_PREFACE = re.compile(r"(?:sure|certainly|of course|absolutely|okay|ok|great question|good question)[!.]", re.I)
_ARTICLES = frozenset(("a", "an", "the", "some"))
_VERBS = frozenset(
    (
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "be",
        "being",
        "does",
        "do",
        "contains",
        "holds",
        "seems",
        "looks",
        "appears",
    )
)
_HOLDS = frozenset(("holding", "carrying", "wearing"))
_WRITTEN = frozenset(("say", "says", "read", "reads", "written", "printed", "title", "words", "text", "called"))
_QUOTED = re.compile(r"[\"“]([^\"“”]{1,200})[\"”]")
_COLOR = frozenset(("color", "colour"))
_YEAR = re.compile(r"[0-9]{4}\W?")
_REASONED = 3  # sentences from which on a reply is reasoning, whose last sentence answers


def short_answer(text: str, words: frozenset[str] = frozenset()) -> str | None:
    """The first or concluding sentence without its opening phrase, words repeated from the question, and asides.

    >>> short_answer("It is a red cup."), short_answer("A dog.\\n\\nIt has fur.")
    ('red cup', 'dog')
    >>> short_answer("The man is riding a bicycle on the road.", frozenset(("what", "is", "the", "man", "riding")))
    'bicycle'
    """
    text = _SCORE.sub("-", _NUMBERED.sub("", text))
    sentences = [part for part in split_sentences(text) if not _PREFACE.fullmatch(part)]
    if len(sentences) > 1 and normalize(sentences[0]) in word_list("replies", "headings"):
        sentences = sentences[1:]
    if not sentences:
        return None
    quotes = _QUOTED.findall(text) if words & _WRITTEN else []
    if len(quotes) == 1:
        return normalize(quotes[0])
    sentence = next((part for part in reversed(sentences) if len(sentences) > 1 and is_conclusion(part)), "")
    last = sentences[-1] if len(sentences) >= _REASONED and "\n" in text else sentences[0]
    phrase = _phrase(sentence or _closest(sentences, last, words), words)
    return phrase if phrase.strip(".") else None  # "It is 🙂." without its symbol


def _closest(sentences: list[str], usual: str, words: frozenset[str]) -> str:
    """The sentence to read: the usual one, unless it is whole, shares no word with the question, and another does."""
    asked = words - word_list("replies", "empty")
    shared = [len({*normalize(part).split()} & asked) for part in sentences]
    is_whole = any(_is_verb(word) for word in normalize(usual).split()) and not _OPENING.match(usual)
    if is_whole and not shared[sentences.index(usual)] and shared.count(max(shared)) == 1:
        return sentences[shared.index(max(shared))]
    return usual


def _phrase(sentence: str, words: frozenset[str]) -> str:
    sentence = _CORRECTED.sub("", _HENCE.split(sentence)[-1], count=1)
    sentence = _without_aside(sentence)
    label, colon, rest = sentence.partition(": ")
    if colon and len(label.split()) < 5 and {*normalize(label).split()} & {*words, *word_list("replies", "generic")}:
        sentence = rest
    if "who" in words and (made := _MADE_BY.match(sentence)) and _asks_maker(made, words):
        return normalize(_cut_tail(sentence[made.end() :].split(), is_place=False))
    opening = _OPENING.match(sentence) or _place_of(sentence, words)
    short = sentence[opening.end() :] if opening else sentence
    phrase = _strip_repetition(short, words, opening is not None)
    if phrase == sentence and (copula := _COPULA.match(sentence)) and _names(copula["subject"], words):
        phrase = copula["rest"]
    elif phrase == sentence and (subject := _SUBJECT.match(sentence)) and _covers(subject["rest"], words):
        phrase = subject["subject"]
    return normalize(phrase).removeprefix("some ")


def _asks_maker(made: re.Match[str], words: frozenset[str]) -> bool:
    """Whether "written by" names whom a question asks for: of its thing, and by another word than its own."""
    subject = made["subject"]
    if subject is None:
        return True
    return (subject.lower() in _THINGS or _names(subject, words)) and made["done"].lower() not in words


def _without_aside(sentence: str) -> str:
    """A sentence up to its first aside; a semicolon between things of as many words, "left; right", begins none."""
    is_list = ";" in sentence and _is_list(sentence)
    asides = (aside for aside in _ASIDE.finditer(sentence) if not (is_list and aside[0][0] == ";"))
    aside = next(asides, None)
    return sentence[: aside.start()] if aside else sentence


def _is_list(sentence: str) -> bool:
    """Whether the parts between semicolons are things: of one to three words, as many in each, and without a verb."""
    opening = _OPENING.match(sentence)
    parts = [normalize(part).split() for part in sentence[opening.end() if opening else 0 :].split(";")]
    empty = word_list("replies", "empty")
    is_thing = (1 <= len(part) <= 3 and not any(_is_verb(word) or word in empty for word in part) for part in parts)
    return all(is_thing) and len({*map(len, parts)}) == 1


def _names(subject: str, words: frozenset[str]) -> bool:
    """Whether a subject has a word of a question, other than the small ones."""
    nouns = {word.removesuffix("'s") for word in normalize(subject).split()} - word_list("replies", "empty")
    return bool(nouns & words)


def _covers(text: str, words: frozenset[str]) -> bool:
    """Whether a text has all words of a question but the small ones."""
    nouns = {word.removesuffix("'s") for word in words - word_list("replies", "empty") - _ASKS}
    return bool(nouns) and nouns <= {word.removesuffix("'s") for word in normalize(text).split()}


def _place_of(sentence: str, words: frozenset[str]) -> re.Match[str] | None:
    """The place that a sentence names first, where the question asked what is there: "Behind the barn you can see"."""
    match = _PLACE.match(sentence)
    known = {*words, *word_list("replies", "fillers"), *_ARTICLES, "him", "them", "me"}
    return match if match and {*normalize(match["place"]).split()} <= known else None


def _strip_repetition(text: str, words: frozenset[str], has_opening: bool) -> str:
    """A sentence without the words of the question before and after its answer; a phrase without verb stays whole."""
    parts = text.split()
    plain = [normalize(part) for part in parts]
    verbs = _verb_forms(words)
    is_sentence = any(_is_verb(word) or word in verbs for word in plain)
    if not words or not parts or not (is_sentence or has_opening):
        return text
    fillers = word_list("replies", "fillers") | (_HOLDS if "doing" not in words else frozenset())
    after_being = ["", *plain]
    words |= {word.removesuffix("'s") for word in words}
    known = [
        word in words or _is_verb(word) or word in _ARTICLES or word in verbs or before == "being"
        for before, word in zip(after_being, plain, strict=False)
    ]
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
    places = [index for index, word in enumerate(plain) if _is_verb(word) or word in verbs]
    start = lead.index(False) if False in lead else known.index(False)
    if not places or places[0] < start:
        return _cut_tail(parts[start:stop] if stop > start else parts[start:], is_place="where" in words)
    start = known.index(False)
    if any(_is_verb(word) or word in verbs for word in plain[stop:]):
        return " ".join(parts[start:stop])
    return _cut_tail(parts[start:], is_place="where" in words) if has_opening else text


def _verb_forms(words: frozenset[str]) -> frozenset[str]:
    """The third person of the participles of a question ("sits" of "sitting"), and verbs of writing if it asks one."""
    stems = {word.removesuffix("ing") for word in words if word.endswith("ing") and len(word) > 4}
    stems |= {stem[:-1] for stem in stems if len(stem) > 2 and stem[-1] == stem[-2]} | {f"{stem}e" for stem in stems}
    written = {"says", "reads", "say", "read"} if words & {"say", "says", "read", "reads", "written"} else set()
    third = {f"{stem[:-1]}ies" if stem.endswith("y") else f"{stem}s" for stem in stems}
    return frozenset(third | written)


def _is_verb(word: str) -> bool:
    start, apostrophe, end = word.partition("'")
    return word in _VERBS or (end in ("s", "re") and bool(apostrophe) and start in word_list("replies", "fillers"))


def _cut_tail(parts: list[str], *, is_place: bool) -> str:
    """A phrase up to the preposition or conjunction that follows its answer; two things joined by "and" stay."""
    tails = word_list("replies", "tails")
    for index, part in enumerate(parts):
        word = normalize(part)
        after = [normalize(later) in tails for later in parts[index + 1 : index + 4]]
        joined = word == "and" and (any(after[1:]) or len(after) < 3)
        bound = is_place and index == 1 and parts[0].endswith("ing")  # "hanging on a hook"
        if index and word in tails and not joined and not bound:
            return " ".join(parts[:index])
        is_day = part[:-1].isdigit() and _YEAR.fullmatch("".join(parts[index + 1 : index + 2]))  # "May 5, 2020"
        if part.endswith(",") and index and not is_day:
            return " ".join(parts[: index + 1])
    return " ".join(parts)

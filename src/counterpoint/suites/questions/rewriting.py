"""Rewrites of a question by its words: negation, antonyms, the order of what is listed, and other words for the same.

Each returns the rewrites that the words allow, or the reason why there is none.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from counterpoint.language.clauses import PRONOUNS, PolarClause, parse_clause, strip_question
from counterpoint.language.english import article, be
from counterpoint.language.lexicon.attributes import action_of, class_of, opposite
from counterpoint.language.lexicon.senses import curated_names, is_a
from counterpoint.language.lexicon.word_lists import split_list, word_table
from counterpoint.language.noun_chunks import find_noun_chunks, tag_text
from counterpoint.language.nouns import is_mass, is_plural, singular
from counterpoint.language.tokens import tag_words
from counterpoint.suites.questions.existence import parse_existence
from counterpoint.suites.questions.flaws import flaw
from counterpoint.suites.questions.words import DATA, SIGNS, has_word, listed_words
from counterpoint.suites.rad.augmentation import QuestionSubject
from counterpoint.suites.rad.color_questions import parse_thing
from counterpoint.suites.rad.count_questions import parse_counted

_POINTS = re.compile(r"\b(?:this|these|those|today|here)\b|^(?:is|are|was|were|does|do|did|can) that\b", re.IGNORECASE)
_DENIED = re.compile(r"\bun(?!der|til|i)\w{3}", re.IGNORECASE)  # unused, unripe
_FINITE = re.compile(r"\b(?:is|are|was|were|do|does|did|can|could)\b", re.IGNORECASE)
_THE = r"(?:the|his|her|their|its|he|she|they)\b"  # not "it", which the picture itself may be
_DOING = "doing|wearing|holding|carrying|eating|drinking|riding|playing|reading|using|throwing|watching|cooking|pulling"
_STATE = re.compile(
    rf"(?:(?:is|are) {_THE}|what colou?r (?:is|are) {_THE}|what is the colou?r of|where (?:is|are) {_THE}"
    r"|(?:what|who) (?:is|are) (?:on|in|under|behind|next to|in front of|sitting|standing|lying|holding|wearing) "
    rf"|what (?:is|are) {_THE}.* (?:{_DOING}|(?:sitting|standing|lying|walking|looking) \w+)$)",
    re.IGNORECASE,
)
_COLOR = re.compile(r"what (colou?r) (?:is|are) (the|this|that|these|those|his|her|their|its) (.+)", re.IGNORECASE)
_COLOR_OF = re.compile(
    r"what(?: is|'s) the (colou?r) of (the|this|that|these|those|his|her|their|its) (.+)", re.IGNORECASE
)
_COUNT = re.compile(r"how many (.+)", re.IGNORECASE)
_KIND = re.compile(r"(what|which) (kind|type|sort) of (.+)", re.IGNORECASE)
_WHERE = re.compile(r"where (is|are) ((?:the|this|that|these|those|his|her|their) .+)", re.IGNORECASE)
_MATERIAL = re.compile(r"what material (is|are) (.+) made (?:out )?of", re.IGNORECASE)
_IN_PICTURE = re.compile(
    r"(.+ (?:in|(?:side|part|middle|center|top|bottom|corner) of) (?:the|this)) (picture|photo|image|photograph)",
    re.IGNORECASE,
)  # and not "to the left of the picture", which may hang on a wall
_OR_WORDS = re.compile(r"(?P<before>.+?) (?P<list>(?:\w+, )*\w+,? or \w+)")
_OR_PHRASES = re.compile(
    r"(?P<before>.+) (?P<first>(?:an?|the) [\w' -]+?) (?P<joint>or|and) (?P<second>(?:an?|the) [\w' -]+)"
)
_JOINT = re.compile(r" (?:or|and) ", re.IGNORECASE)
_SIDES = re.compile(r"(?P<before>.+) (?P<first>to the \w+) (?P<joint>or) (?P<second>to the \w+)(?P<after> of .+)?")


@dataclass(frozen=True, slots=True)
class QuestionRewrite:
    """A rewritten question, the rule, the gold where it is not that of the question, and why this follows."""

    rule: str
    text: str
    proof: str
    answer: str = ""
    choices: tuple[str, ...] = ()


Rewrites = list[QuestionRewrite] | str
"""The rewrites of a question, or the reason why there is none."""


def negate(text: str, answer: str) -> Rewrites:
    """The question whether the opposite is so: for what is there, its absence; for a statement, its negation."""
    other = {"yes": "no", "no": "yes"}[answer]
    if reason := flaw(text):
        return reason
    if existence := parse_existence(text):
        if has_word(existence.things, "amounts") or {"and", "or"} & set(existence.things.lower().split()):
            return "it asks for an amount, or for several things at once"
        if not existence.noun or existence.noun in listed_words("groups") or existence.is_counted_oddly:
            return "what it asks for is no noun phrase"
        is_there = existence.opening.endswith(" there")
        verb = existence.opening.split()[0] if is_there else be(existence.noun)
        asked = f"is it true that there {verb} no {existence.things}"  # a yes to "Is there no dog?" is heard both ways
        proof = f"the gold is {answer}, and the variant asks for the absence, so its gold is {other}"
        return [QuestionRewrite("no", asked, proof, other)]
    clause = parse_clause(text)
    if isinstance(clause, str):
        return clause
    if has_word(text, "scopes"):
        return "what its negation would deny is not settled by its words"
    if clause.is_many and answer == "no":
        return "of several things some may and some may not"
    if _DENIED.search(clause.predicate):
        return "it denies something already"
    proof = f"the gold is {answer}, and the variant asks whether the negated statement is true, so its gold is {other}"
    return [QuestionRewrite("not", f"is it true that {clause.statement(negated=True)}", proof, other)]


def exchange_antonym(text: str, answer: str) -> Rewrites:
    """The question with the opposite of its predicate; what has one of two opposites does not have the other."""
    if reason := flaw(text):
        return reason
    clause = parse_clause(text)
    if isinstance(clause, str):
        return clause
    if has_word(text, "scopes"):
        return "it says more than that something is so"
    pair = _antonyms(clause)
    if pair is None:
        return "its predicate has no listed opposite"
    value, other = pair
    if answer == "no" and (clause.is_many or not is_complementary(value, other)):
        return "what is not one of two opposites need not be the other"
    words = strip_question(text)
    start = words[: len(words) - len(clause.predicate)]
    new = {"yes": "no", "no": "yes"}[answer]
    rest = clause.predicate[len(value) :]
    proof = f"the gold is {answer}, and what is {value} is not {other}, so the gold of the variant is {new}"
    if answer == "no":
        proof = f"the gold is no, and what is not {value} is {other}, so the gold of the variant is yes"
    return [QuestionRewrite("antonym", f"{start}{_decapitalized(other)}{rest}", proof, new)]


def is_complementary(value: str, other: str) -> bool:
    """Whether one of two opposites holds wherever the other does not."""
    return bool({f"{value}|{other}", f"{other}|{value}"} & listed_words("complementary"))


def reorder(text: str, choices: tuple[str, ...]) -> Rewrites:
    """The question with its choices, or with the things that it lists, in other orders."""
    if len(choices) > 1:
        if any(has_word(choice, "by_place") for choice in choices):
            return "a choice refers to other choices"
        orders = dict.fromkeys((choices[::-1], (*choices[1:], choices[0])))
        rules = ("reversed choices", "rotated choices")
        proof = "the same choices in another order"
        return [QuestionRewrite(rule, text, proof, choices=order) for rule, order in zip(rules, orders, strict=False)]
    if reason := flaw(text):
        return reason
    words = strip_question(text)
    joints = len(_JOINT.findall(words))
    if joints != 1:
        return "it lists more than once" if joints else "it offers no choice and lists nothing"
    if swapped := _swap_sides(words) or _swap_phrases(words) or _swap_words(words):
        return [QuestionRewrite("swapped", swapped, "the same things in another order")]
    return "where what it lists begins and ends is not settled by its words"


def rephrase(text: str) -> Rewrites:
    """The question in other words, by each rule that fits."""
    if reason := flaw(text):
        return reason
    rewrites = [
        QuestionRewrite(rule, new, proof)
        for rule, (proof, apply) in REPHRASINGS.items()
        if (new := apply(strip_question(text))) is not None
    ]
    return rewrites or "no rule fits its words"


def _see(words: str) -> str | None:
    """Is there a dog? Do you see a dog?"""
    existence = parse_existence(words)
    if existence is None or not existence.is_visible or not existence.opening.startswith(("is", "are")):
        return None
    if has_word(words, "seeing") or has_word(existence.things, "amounts"):
        return None
    bare = not existence.article and not (is_plural(existence.noun) or is_mass(existence.noun))
    return None if bare or existence.is_counted_oddly else f"do you see {existence.named}"


def _there(words: str) -> str | None:
    """Do you see a dog? Is there a dog?"""
    existence = parse_existence(words)
    if existence is None or not existence.is_visible or existence.opening.endswith("there"):
        return None
    if has_word(existence.things, "seeing") or has_word(existence.things, "amounts"):
        return None
    counted = is_plural(existence.noun) or is_mass(existence.noun)
    if (existence.article in ("a", "an")) == counted or existence.article == "some" or existence.is_counted_oddly:
        return None
    return f"{be(existence.noun)} there {existence.named}"


def _true(words: str) -> str | None:
    """Is the door open? Is it true that the door is open?"""
    clause = parse_clause(words)
    if isinstance(clause, str) or has_word(words, "unstated"):
        return None
    return f"is it true that {clause.statement()}"


def _color_of(words: str) -> str | None:
    match = _COLOR.fullmatch(words)
    if (
        match is None
        or SIGNS.search(words)
        or {"or", "and"} & set(words.split())
        or isinstance(parse_thing(match[3]), str)
    ):
        return None
    return f"what is the {match[1].lower()} of {match[2].lower()} {match[3]}"


def _what_color(words: str) -> str | None:
    match = _COLOR_OF.fullmatch(words)
    if match is None or SIGNS.search(words.replace("'", "")) or isinstance(parse_thing(match[3]), str):
        return None
    tokens = tag_text(f"{match[2]} {match[3]}.")
    chunks = find_noun_chunks(tokens)
    if not chunks or chunks[0].start != 0 or chunks[0].many is None:
        return None
    return f"what {match[1].lower()} {'are' if chunks[0].many else 'is'} {match[2].lower()} {match[3]}"


def _counted(words: str) -> QuestionSubject | None:
    match = _COUNT.fullmatch(words)
    if match is None or SIGNS.search(words) or {"or", "and"} & set(words.lower().split()):
        return None
    counted = parse_counted(match[1])
    if isinstance(counted, str) or not is_plural(counted.noun):
        return None
    nouns = {form for word in counted.noun.lower().split() for form in (word, singular(word))}
    return None if nouns & listed_words("measures") or "{" in counted.rest else counted


def _number_of(words: str) -> str | None:
    """How many dogs are in the park? What is the number of dogs in the park?"""
    counted = _counted(words)
    is_placed = counted is not None and counted.rest and not has_word(counted.rest, "seeing")
    return f"what is the number of {counted.noun} {counted.rest}" if counted and is_placed else None


def _can_be_seen(words: str) -> str | None:
    """How many dogs are in the park? How many dogs can be seen in the park?"""
    counted = _counted(words)
    if counted is None or has_word(words, "seeing") or words.lower().split()[-1] == "here":
        return None
    last = counted.noun.lower().split()[-1]
    if not {last, singular(last)} & set(curated_names()):
        return None
    first = tag_words(("There", "are", "dogs", *counted.rest.split(), "."))[3:4] if counted.rest else ("PRP",)
    return f"how many {counted.noun} can be seen {counted.rest}".strip() if first[0] == "PRP" else None


def _type_of(words: str) -> str | None:
    match = _KIND.fullmatch(words)
    return None if match is None else f"{match[1].lower()} {'kind' if match[2] != 'kind' else 'type'} of {match[3]}"


def _located(words: str) -> str | None:
    match = _WHERE.fullmatch(words)
    if match is None or SIGNS.search(words):
        return None
    tokens = tag_text(f"{match[2]}.")
    chunks = find_noun_chunks(tokens)
    if len(chunks) != 1 or chunks[0].start or chunks[0].end != len(tokens) - 1:
        return None
    name = tokens[chunks[0].head].text
    return f"where {match[1].lower()} {match[2]} located" if {name, singular(name)} & set(curated_names()) else None


def _made_of(words: str) -> str | None:
    match = _MATERIAL.fullmatch(words)
    return None if match is None else f"what {match[1].lower()} {match[2]} made of"


def _picture_name(words: str) -> str | None:
    """… in the photo? … in the picture? A photo may be called a picture or an image, and not the other way round."""
    match = _IN_PICTURE.fullmatch(words)
    if match is None or "pictured" in match[1]:
        return None
    return _decapitalized(f"{match[1]} {'image' if match[2].lower() == 'picture' else 'picture'}")


def _lead_in(words: str) -> str | None:
    """What is he doing? In this picture, what is he doing? Only of what a picture may show so or otherwise.

    Not where the question points itself, as in "is this a …?" and "… here?", nor of what is so in every picture.
    """
    if has_word(words, "pictures") or has_word(words, "seeing") or _POINTS.search(words) or SIGNS.search(words):
        return None
    if not (_STATE.match(words) or _counted(words)) or not _FINITE.search(words):
        return None
    return f"in this picture, {_decapitalized(words)}"


REPHRASINGS: dict[str, tuple[str, Callable[[str], str | None]]] = {
    "see": ("what is in a picture is seen in it", _see),
    "there": ("what is seen in a picture is in it", _there),
    "true": ("a statement is true where it holds", _true),
    "color-of": ("a thing has the color that it is", _color_of),
    "what-color": ("a thing has the color that it is", _what_color),
    "number-of": ("how many there are is their number", _number_of),
    "can-be-seen": ("those in a picture are those that are seen", _can_be_seen),
    "kind-type": ("kind, type and sort are synonyms", _type_of),
    "located": ("where something is, it is located", _located),
    "made-of": ("what something is made of is its material", _made_of),
    "picture-image": ("picture and image are synonyms, and a photo is a picture", _picture_name),
    "lead-in": ("the question is about the picture", _lead_in),
}
"""The rules that keep the sense of a question, by name, each with its reason."""


def _antonyms(clause: PolarClause) -> tuple[str, str] | None:
    """What the predicate begins with or is, and its opposite."""
    predicate = clause.predicate.lower()
    for one, other in _pairs("places"):
        begins = predicate == one or (predicate.startswith(f"{one} ") and not one.startswith(("on the", "in the")))
        if (begins or predicate.startswith(f"{one} side")) and not clause.is_many and clause.head not in PRONOUNS:
            return one, other
    if clause.head in ("it", "this"):
        return next((pair for pair in _pairs("situations") if predicate == pair[0]), None)
    name = {"he": "person", "she": "person"}.get(clause.head, singular(clause.head))
    if clause.auxiliary not in ("is", "are") or name in ("they", "these"):
        return None
    value = predicate if action_of(predicate) is None else predicate.split()[0]
    if value != predicate and not tag_words(("He", "is", *predicate.split()))[3].startswith("PR"):
        return None
    antonym = opposite(value, name) if name in curated_names() else None
    if antonym is None or {value, antonym} & listed_words("unsure"):
        return None
    does = class_of(value) == "pose" and not (is_a(name, "person") or is_a(name, "animal"))
    return None if does else (value, antonym)


def _pairs(key: str) -> Iterator[tuple[str, str]]:
    """The listed pairs, each in both orders."""
    for row in split_list(word_table("rewrites", DATA)[key]):
        one, other = row.split("|")
        yield one, other
        yield other, one


def _swap_sides(words: str) -> str | None:
    match = _SIDES.fullmatch(words)
    return None if match is None else f"{match['before']} {match['second']} or {match['first']}{match['after'] or ''}"


def _swap_phrases(words: str) -> str | None:
    """… a cat or a dog: two noun phrases with articles at the end, each one chunk."""
    match = _OR_PHRASES.fullmatch(words)
    if match is None or not (match["joint"] == "or" or parse_existence(words)):
        return None
    if not all(_is_chunk(match[part]) for part in ("first", "second")):
        return None
    last = match["before"].split()[-1].lower()
    fits = (
        last in ("there", "this", "it", "that", "see", "wearing", "holding", "riding", "eating", "or", "either")
        or last in PRONOUNS
    )
    return f"{match['before']} {match['second']} {match['joint']} {match['first']}" if fits else None


def _swap_words(words: str) -> str | None:
    """… red or blue: two words or more of one part of speech at the end."""
    match = _OR_WORDS.fullmatch(words)
    if match is None:
        return None
    before, listed = match["before"], re.split(r",? or |, ", match["list"])
    tags = tag_words((*before.split(), *re.sub(",", "", match["list"]).split(), "?"))[len(before.split()) : -1 : 2]
    ahead = tag_words((*before.split(), listed[0], "?"))[-3]
    if len(listed) > 2:
        tags = tag_words((*before.split(), listed[0], "?"))[-2:-1]
    kinds = {tag[:2] for tag in tags}
    last = before.split()[-1].lower()
    adjectives = all(tag_words(("It", "is", word, "."))[2][:2] in ("AJ", "VV", "AV") for word in listed)
    is_verbless = adjectives and before.split()[0].lower() in ("do", "does", "did") and ahead.startswith("NN")
    if is_verbless:  # "does the refrigerator full or empty"
        return None
    if ahead.startswith(("AJ", "AV", "ORD", "CRD", "PR", "TO", "VVG")) or (ahead.startswith("NN") and not adjectives):
        return None
    if len(kinds) > 1 and not adjectives:
        return None
    if last in ("a", "an"):
        before = f"{before.rsplit(' ', 1)[0]} {article(listed[-1])}"
    joint = ", or " if ", or " in match["list"] else " or "
    turned = listed[::-1]
    return f"{before} {', '.join(turned[:-1])}{joint}{turned[-1]}"


def _is_chunk(phrase: str) -> bool:
    tokens = tag_text(f"{phrase}.")
    chunks = find_noun_chunks(tokens)
    return len(chunks) == 1 and chunks[0].start == 0 and chunks[0].end == len(tokens) - 1


def _decapitalized(text: str) -> str:
    return text[:1].lower() + text[1:]

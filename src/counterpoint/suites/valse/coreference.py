"""Coreference: a caption, a question with a pronoun, and "yes" against "no"."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from random import Random
from typing import TypeAlias

from counterpoint.core.groups import Group
from counterpoint.core.items import Dialogue, Turn
from counterpoint.core.pictures import Picture
from counterpoint.language.articles import lacks_article
from counterpoint.language.english import question as asked
from counterpoint.language.english import sentence
from counterpoint.language.lexicon.attributes import are_synonyms, class_of, excludes
from counterpoint.language.lexicon.senses import curated_names, is_a
from counterpoint.language.noun_chunks import NounChunk, TaggedToken, find_noun_chunks, tag_text
from counterpoint.language.nouns import is_plural, singular
from counterpoint.language.tokens import is_noun, tag_words
from counterpoint.scenes.ambiguity import may_be
from counterpoint.scenes.names import is_known
from counterpoint.suites.question_groups import ranking_group
from counterpoint.suites.suite import Rejection, Suite
from counterpoint.suites.valse.caption_foils import listed_words, word_pattern
from counterpoint.suites.valse.paired_foils import PAIR_TAG, PairSampler, pair_cases

_HE, _SHE = frozenset({"he", "him", "his", "himself"}), frozenset({"she", "her", "hers", "herself"})
_THEY, _IT = frozenset({"they", "them", "their", "theirs", "themselves"}), frozenset({"it", "its", "itself"})
_POINTING = re.compile(r"(?:is|are|was|were|does|do) (?:this|these|that|those)\b")
_PRONOUN = re.compile(r"\b(?:" + "|".join(sorted(_HE | _SHE | _THEY | _IT)) + r")\b")
_STRAY = re.compile(r"\b(?:this|these|those|that)\b")
_LIST = re.compile(r", (?:and )?(?:an?|some|the|two|three) |\band (?:an?|some|the|two|three) ")
"""Coordinated nouns, any of which a pronoun may refer to."""
_CONTRACTED = re.compile(r"\w+n't|(?:i|you|we|he|she|it|they|that|there|here|what|who|where|let)'")
_words = partial(listed_words, "coreference")


@lru_cache(1 << 14)
def noun_mentions(text: str) -> tuple[str, ...]:
    """The nouns of a text, in their order; contracted verbs are none.

    >>> noun_mentions("can't tell, the man's hat isn't blue")
    ('man', 'hat')
    """
    words = tuple(re.findall(r"[a-z][a-z'-]*", text.lower().replace("’", "'")))
    nouns = (word for word, tag in zip(words, tag_words(words), strict=True) if is_noun(tag))
    return tuple(word.partition("'")[0] for word in nouns if not _CONTRACTED.match(word))


def pronouns(question: str) -> tuple[str, ...]:
    """The pronouns of a question that refer to something, in order.

    >>> pronouns("is he holding his bat"), pronouns("is this photo in color"), pronouns("is there a dog")
    (('he', 'his'), ('this',), ())
    """
    text = question.lower()
    pointing = _POINTING.match(text)
    matches = tuple(_PRONOUN.findall(text))
    return (pointing[0].split()[1], *matches) if pointing else matches


SCENE = "scene"
"""What a pronoun refers to where it means the weather, the time of day, or the picture as a whole."""


def find_antecedents(question: str, caption: str, since: Sequence[str]) -> tuple[str, ...]:
    """What each pronoun of a question refers to: a noun of the caption, or SCENE; nothing where one of them is unclear.

    The turns since the caption must mention nothing else that the pronoun could refer to, nor may the question itself.

    >>> find_antecedents("is he tall", "a man with a dog", ()), find_antecedents("is she tall", "a man with a dog", ())
    (('man',), ())
    >>> find_antecedents("is it red", "a man with a dog", ("is there a car", "yes"))
    ()
    >>> find_antecedents("is it sunny", "a man", ()), find_antecedents("is the man on his phone", "a man", ())
    (('scene',), ())
    """
    text = question.lower()
    words = pronouns(question)
    if not words or len(_STRAY.findall(text)) > (words[0] not in _HE | _SHE | _THEY | _IT):
        return ()
    lead = (
        r"(?:is|was|does) it (?:look |seem |appear |to be |like |a |an |very |really |currently |still |during |in )*"
    )
    of_the_picture = {"this", "these", "that", "those"}  # these need no noun
    of_the_picture |= _IT if re.match(lead + word_pattern("coreference", "scenic").pattern, text) else set()
    mentions_since = tuple(mention for line in since for mention in noun_mentions(line))
    found = list[str]()
    for place, word in enumerate(words):
        ahead = text[: re.search(rf"\b{word}\b", text).start()]  # type: ignore[union-attr]
        if word in words[:place]:  # does it have writing on it
            found.append(found[words.index(word)])
        elif word in of_the_picture:
            found.append(SCENE)
        elif any(_agrees(word, mention) for mention in noun_mentions(ahead)):
            return ()
        elif meant := _meant_noun(word, caption.lower(), mentions_since):
            found.append(meant)
        else:
            return ()
    return tuple(found)


def _meant_noun(word: str, caption: str, since: Sequence[str]) -> str:
    """The noun of a caption that a pronoun means, or nothing: the first, if it agrees, or the only one that agrees."""
    named = chunk_heads(caption)
    meant = [singular(mention) for mention in named if _agrees(word, mention)]
    if not meant and word in _THEY and "and" in caption.split():  # a father and a daughter
        meant = [mention for mention in named if _is_person(mention)] if sum(map(_is_person, named)) > 1 else []
    if not meant or (len(meant) > len(set(meant)) and word not in _THEY):
        return ""  # a parent zebra next to a young zebra
    if word not in _IT and re.search(r"\b(?:another|others?|rest)\b", caption):
        return ""  # four women, one of them facing three others
    owners = [owner for owner in re.findall(r"(\w+)['’]s\b", caption) if _agrees(word, owner)]
    if word in _HE | _SHE and (owners or len(meant) > 1):
        return ""  # a girl brushing a woman's hair
    is_first = _agrees(word, named[0]) or (word in _THEY and _is_person(named[0]))
    if len(set(meant)) > 1 and not (is_first and (word in _THEY or not _LIST.search(caption))):
        return ""
    caption_nouns = {singular(mention) for mention in noun_mentions(caption)}
    if any(_agrees(word, mention) and singular(mention) not in caption_nouns for mention in since):
        return ""
    last = [singular(mention) for mention in since if singular(mention) in meant]
    return meant[0] if not last or last[-1] == meant[0] else ""


@lru_cache(1 << 14)
def chunk_heads(text: str) -> tuple[str, ...]:
    """The heads of the noun phrases of a text, in their order; what somebody does is none.

    >>> chunk_heads("a glass vase sits on a wooden table"), chunk_heads("a small child walking in the snow")
    (('vase', 'table'), ('child', 'snow'))
    """
    tokens = tag_text(f"{text}.")
    return tuple(tokens[_noun_head(tokens, chunk)].text.lower() for chunk in find_noun_chunks(tokens))


def _noun_head(tokens: Sequence[TaggedToken], chunk: NounChunk) -> int:
    """The head of a noun phrase, without a gerund that a tagger takes for a noun behind it."""
    before = chunk.head - 1
    does = tokens[chunk.head].text.endswith("ing") and tokens[chunk.head].text.lower() not in curated_names()
    return before if does and before >= chunk.start and is_noun(tokens[before].tag) else chunk.head


def is_about(question: str, antecedent: str) -> bool:
    """Whether what a question says can be said of an antecedent, and can be seen of it.

    >>> is_about("is it a garbage truck", "truck"), is_about("is it a zoo", "zebra"), is_about("are they eating", "cup")
    (True, False, False)
    """
    text = question.lower()
    words = frozenset(re.findall(r"[a-z]+", text))
    if "it's" in text or re.match(r"(?:is|are|was) (?:he|she|they) (?:an?|the) ", text):
        return False
    if (asked_of := re.match(r"(?:do|does|did) \w+ (\w+)", text)) and is_noun(tag_words(("they", asked_of[1]))[1]):
        return False  # a verb is missing: do they headdresses on
    if match := _PREDICATE.fullmatch(text):
        heads = tuple(map(singular, chunk_heads(f"it is a {singular(match[1])}")))
        named = heads[-1] if heads and singular(match[1]).endswith(heads[-1]) else ""
        if named and named != antecedent and not (is_known(named) and is_known(antecedent) and is_a(named, antecedent)):
            return False
    lives = _is_person(antecedent) or antecedent in _words("several") or not is_known(antecedent)
    lives = lives or is_a(antecedent, "animal") or is_a(antecedent, "person")
    return (lives or not words & (_words("living") | {"their"})) and not lacks_article(question)


def caption_answers(caption: str, question: str) -> bool:
    """Whether a caption alone answers a question, by an attribute, a posture, or all words that are asked for.

    >>> caption_answers("a cat sitting on a rug", "is it asleep"), caption_answers("a closed umbrella", "is it open")
    (True, True)
    >>> caption_answers("a cat on a rug", "is it sitting"), caption_answers("a man in a hat", "does he wear a hat")
    (False, True)
    """
    caption_words, question_words = (_content_words(text) for text in (caption, question))
    pairs = ((word, other) for word in question_words if class_of(word) for other in caption_words)
    if any(are_synonyms(word, other) or excludes(word, other) for word, other in pairs):
        return True
    if question_words and question_words <= caption_words:
        return True
    does_something = any(word in _words("postures") or word.endswith("ing") for word in caption_words)
    if does_something and question_words & _words("postures"):
        return True
    persons = [mention for mention in noun_mentions(caption) if _is_person(mention) or _is_many(mention)]
    return "alone" in question_words and len(persons) > 1


def goes_by_another_name(dialogue: Dialogue, question: str) -> bool:
    """Whether a dialogue says yes to a place that may be called as the place of a question: a table may be a desk."""
    sure = (_place(turn.question) for turn in dialogue.turns if yes_or_no(turn.answer) == "yes")
    place = _place(question)
    return bool(place) and any(other and other != place and may_be(place, other) for other in sure)


def _place(question: str) -> str:
    """The place that a question asks about at its end, or nothing."""
    match = _AT_PLACE.search(question.lower())
    place = singular(chunk_heads(match[1])[-1]) if match and chunk_heads(match[1]) else ""
    return place if place and is_known(place) else ""


def _content_words(text: str) -> frozenset[str]:
    """The words of a text that say something, nouns in the singular."""
    words = frozenset(re.findall(r"[a-z]+", text.lower())) - _words("light")
    return frozenset(singular(word) if is_plural(word) and word not in _words("postures") else word for word in words)


def _agrees(word: str, noun: str) -> bool:
    if word in _THEY:
        return _is_many(noun) and singular(noun) not in _words("unsaid")
    if word in _IT:
        return not _is_many(noun) and not _is_person(noun) and singular(noun) not in _words("unsaid")
    others = _words("women") if word in _HE else _words("men")
    return _is_person(noun) and not _is_many(noun) and singular(noun) not in others


def _is_many(noun: str) -> bool:
    return is_plural(noun) or noun in _words("several")


def _is_person(noun: str) -> bool:
    name = singular(noun)
    return name in _words("men") | _words("women") | {"person"} or (is_known(name) and is_a(name, "person"))


KIND = "coreference"
STANDARD, CLEAN = "coreference-standard", "coreference-clean"
_LED = re.compile(r"(?:is|are|do|does|has|have|can)\b")
_YES, _NO = re.compile(r"(?:yes|yeah|yep|yup)\b"), re.compile(r"(?:no|nope|nah)\b")
_RETRACTION = re.compile(r"\b(?:not|no|none|nothing|never)\b|n't\b|\b(?:left|right|side) of\b")
_PREDICATE = re.compile(
    r"(?:is it|are they) (?:like )?(?:an? |the )?((?!(?:in|on|at|by|with|near|next|from|of|all|both|dressed|\w+ing)\b)"
    r"[a-z-]+(?: [a-z-]+){0,2})[ ?]*"
)
"""What something is said to be: "is it a garbage truck"."""
_SLIPS = re.compile(
    r"\ban? (?:\w+ and )?an?\b|\ba [aeio]|\ba u[^ns]|\ban [^aeiouh8]|\bit's\b|"
    r"\b(?:is|are)(?: (?!(?:and|as|but|or|so|that|there|what|when|where|which|while|who)\b)\w+)* (?:is|are)\b",
    re.IGNORECASE,
)
"""Articles that do not fit, "it's", and two verbs in a clause: a caption with one of them is no English."""
_DISAGREES = re.compile(r"(?:are|do|have) (?:he|she|it)\b|(?:is|does|has) they\b")
_AT_PLACE = re.compile(r"\b(?:on|in|at) ((?:an?|the) [a-z -]+?)[ ?]*$")
_CLOSED = frozenset({"validation", "val", "test", "shifted"})


@dataclass(frozen=True, slots=True)
class PronounTurn:
    """A turn of a dialogue whose pronoun refers to the caption."""

    id: str
    turn: int
    text: str  # caption and question
    question: str
    answer: str
    antecedents: tuple[str, ...]
    pair: str = ""


CoreferencePlan: TypeAlias = Mapping[str, Sequence[PronounTurn]]
"""The cases that are kept, by the id of their dialogue."""


def yes_or_no(answer: str) -> str | None:
    """Yes or no, if an answer is clearly one of them, and what follows does not take it back.

    >>> yes_or_no("yes, he is"), yes_or_no("no i don't think so"), yes_or_no("no"), yes_or_no("2")
    ('yes', None, 'no', None)
    >>> yes_or_no("no, she isn't"), yes_or_no("yes to the right of her")
    ('no', None)
    """
    text = answer.strip().lower()
    if word_pattern("coreference", "unsure").search(text):
        return None
    if _YES.match(text):
        return None if _RETRACTION.search(text) else "yes"
    return "no" if _NO.match(text) else None


def pronoun_turns(dialogue: Dialogue, scenic: bool = False) -> Iterator[PronounTurn | str]:
    """Every turn with a pronoun that refers to the caption, or the reason why one with a pronoun is rejected.

    Turns on the weather, the time or the picture as a whole are among them only where they are asked for (`scenic`).
    """
    since = list[str]()
    for place, turn in enumerate(dialogue.turns):
        if pronoun_turn := _case(dialogue, place, turn, since, scenic):
            yield pronoun_turn
        since += (turn.answer,) if _NO.match(turn.answer.lower()) else (turn.question, turn.answer)


def _case(dialogue: Dialogue, place: int, turn: Turn, since: Sequence[str], scenic: bool) -> PronounTurn | str:
    text = " ".join(turn.question.lower().split())
    if not _LED.match(text) or not pronouns(text):
        return ""
    if word_pattern("coreference", "open").search(text):
        return "the question is not for yes or no"
    if _DISAGREES.match(text):
        return "its verb does not agree with its pronoun"
    antecedents = find_antecedents(text, dialogue.caption, since)
    if SCENE in antecedents and not scenic:
        return "the pronoun means the weather, the time or the picture"
    if (answer := yes_or_no(turn.answer)) is None:
        return "the answer is no plain yes or no"
    if not antecedents:
        return "the pronoun may mean something that the caption does not name"
    if SCENE not in antecedents and word_pattern("coreference", "unseen").search(text):
        return "a picture of it does not tell"
    if not all(noun == SCENE or is_about(text, noun) for noun in antecedents):
        return "the question does not fit what the pronoun refers to"
    if caption_answers(dialogue.caption, text):
        return "the caption answers the question"
    if answer == "no" and goes_by_another_name(dialogue, text):
        return "the place may be called so too"
    if _SLIPS.search(dialogue.caption):
        return "the caption has a slip"
    full_text = f"{sentence(dialogue.caption)} {asked(turn.question)}"
    return PronounTurn(f"{dialogue.id}-{place}", place, full_text, text.rstrip(" ?"), answer, antecedents)


def plan_pairs(dialogues: Iterable[Dialogue], scenic: bool = False) -> CoreferencePlan:
    """As many turns with yes as with no in each instrument, for questions with the same beginning."""
    shelves, owner = defaultdict[str, list[PronounTurn]](list), dict[str, str]()
    for dialogue in dialogues:
        for case in pronoun_turns(dialogue, scenic):
            if isinstance(case, PronounTurn):
                shelves[instrument(dialogue.picture)].append(case)
                owner[case.id] = dialogue.id
    by_dialogue = defaultdict[str, list[PronounTurn]](list)
    for name, cases in shelves.items():
        pairs = pair_cases(
            cases,
            side=lambda case: case.answer,
            keys=(lambda case: case.question,),
            otherwise=tuple(partial(_opening, length) for length in (3, 2, 1)),
        )
        for pair in pairs:
            for case in pair.kept:
                by_dialogue[owner[case.id]].append(replace(case, pair=pair.name(name)))
    return {own: sorted(cases, key=lambda case: case.turn) for own, cases in by_dialogue.items()}


def _opening(length: int, case: PronounTurn) -> tuple[str, ...]:
    return tuple(case.question.split()[:length])


def instrument(picture: Picture) -> str:
    """Standard for pictures of training splits, clean for held-out pictures."""
    folder = picture.path.partition("/")[0]
    return CLEAN if folder in _CLOSED or folder.startswith("VisualDialog_") else STANDARD


def propose_foils(
    dialogue: Dialogue, plan: CoreferencePlan, rng: Random, scenic: bool = False
) -> Iterator[Group | Rejection]:
    """Caption and question with the correct answer, and with the other one."""
    planned = plan.get(dialogue.id, ())
    ids = {case.id for case in planned}
    for case in planned:
        other = "no" if case.answer == "yes" else "yes"
        tags = (
            ("word", case.answer),
            ("dialogue", dialogue.id),
            ("pronoun", " | ".join(dict.fromkeys(pronouns(case.question)))),
            ("antecedent", " | ".join(dict.fromkeys(case.antecedents))),
            (PAIR_TAG, case.pair),
        )
        yield ranking_group(
            dialogue.picture,
            (f"{case.text} {sentence(word)}" for word in (case.answer, other)),
            (tags, (("word", other),)),
            proof=f"turn {case.turn + 1} of dialogue {dialogue.id} is answered {dialogue.turns[case.turn].answer!r}",
            kind=KIND,
            test=instrument(dialogue.picture),
        )
    for rejected in pronoun_turns(dialogue, scenic):
        if isinstance(rejected, str):
            yield Rejection(KIND, rejected)
        elif rejected.id not in ids:
            yield Rejection(KIND, "no other question has the other answer")


def coreference_suite(name: str, *, scenic: bool = False) -> Suite[Dialogue, CoreferencePlan]:
    """The suite, without or with questions on the weather, the time and the picture as a whole."""
    return Suite(
        name,
        tests="a question with a pronoun is answered for the object in the caption that it refers to",
        propose=partial(propose_foils, scenic=scenic),
        survey=partial(plan_pairs, scenic=scenic),
        choose=PairSampler,
        takes="dialogues",
    )


suite = coreference_suite(KIND)
with_scenes = coreference_suite("coreference-with-scenes", scenic=True)
"""With "Is it sunny?" too, as in VALSE, whose "it" refers to nothing in the caption."""

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
from counterpoint.language.english import question as asked
from counterpoint.language.english import sentence
from counterpoint.language.lexicon.attributes import are_synonyms, class_of, excludes
from counterpoint.language.lexicon.senses import is_a
from counterpoint.language.nouns import is_plural, singular
from counterpoint.language.tokens import is_noun, tag_words
from counterpoint.scenes.ambiguity import is_known
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
_words = partial(listed_words, "coreference")


@lru_cache(1 << 14)
def noun_mentions(text: str) -> tuple[str, ...]:
    """The nouns of a text, in their order."""
    words = tuple(re.findall(r"[a-z][a-z'-]*", text.lower()))
    return tuple(word for word, tag in zip(words, tag_words(words), strict=True) if is_noun(tag))


def pronouns(question: str) -> tuple[str, ...]:
    """The pronouns of a question that refer to something, in order.

    >>> pronouns("is he holding his bat"), pronouns("is this photo in color"), pronouns("is there a dog")
    (('he', 'his'), ('this',), ())
    """
    text = question.lower()
    pointing = _POINTING.match(text)
    matches = tuple(_PRONOUN.findall(text))
    return (pointing[0].split()[1], *matches) if pointing else matches


def refer_to_caption(question: str, caption: str, since: Sequence[str]) -> bool:
    """Whether every pronoun of a question refers to a noun of the caption, or to the picture as a whole.

    The turns since then must mention nothing else that the pronoun could refer to.

    >>> refer_to_caption("is he tall", "a man with a dog", ()), refer_to_caption("is she tall", "a man with a dog", ())
    (True, False)
    >>> refer_to_caption("is it red", "a man with a dog", ("is there a car", "yes"))
    False
    """
    text = question.lower()
    words = pronouns(question)
    if not words or len(_STRAY.findall(text)) > (words[0] not in _HE | _SHE | _THEY | _IT):
        return False
    lead = r"(?:is|was|does) it (?:look |seem |appear |to be |like |a |an |very |really |during |in )*"
    of_the_picture = {"this", "these", "that", "those"}  # these need no noun
    of_the_picture |= _IT if re.match(lead + word_pattern("coreference", "scenic").pattern, text) else set()
    mentions_since = tuple(mention for line in since for mention in noun_mentions(line))
    listed = _LIST.search(caption.lower()) is not None
    referring = [word for word in words if word not in of_the_picture]
    return all(_means(word, noun_mentions(caption), mentions_since, listed) for word in referring)


def _means(word: str, named: Sequence[str], since: Sequence[str], listed: bool) -> bool:
    """Whether a pronoun refers to the first noun that agrees with it; in a list there must be only one."""
    meant = [singular(mention) for mention in named if _agrees(word, mention)]
    if listed and word not in _THEY and len(set(meant)) > 1:
        return False
    if not meant and not (word in _THEY and len(named) > 1 and any(map(_is_person, named))):
        return False
    caption_nouns = {singular(mention) for mention in named}
    if any(_agrees(word, mention) and singular(mention) not in caption_nouns for mention in since):
        return False
    last = [singular(mention) for mention in since if singular(mention) in meant]
    return not last or last[-1] == meant[0]


def caption_answers(caption: str, question: str) -> bool:
    """Whether a caption alone answers a question.

    >>> caption_answers("a cat sitting on a rug", "is it sitting"), caption_answers("a closed umbrella", "is it open")
    (True, True)
    >>> caption_answers("a cat on a rug", "is it sitting"), caption_answers("a blue clock", "is it white")
    (False, True)
    """
    caption_words, question_words = (sorted(set(re.findall(r"[a-z]+", text.lower()))) for text in (caption, question))
    pairs = ((word, other) for word in question_words if class_of(word) for other in caption_words)
    return any(are_synonyms(word, other) or excludes(word, other) for word, other in pairs)


def _agrees(word: str, noun: str) -> bool:
    if word in _THEY:
        return _is_many(noun)
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
_LED = re.compile(r"(?:is|are|was|were|do|does|did|has|have|can|could)\b")
_YES, _NO = re.compile(r"(?:yes|yeah|yep|yup)\b"), re.compile(r"(?:no|nope|nah)\b")
_CLOSED = frozenset({"validation", "val", "test", "shifted"})


@dataclass(frozen=True, slots=True)
class PronounTurn:
    """A turn of a dialogue whose pronoun refers to the caption."""

    id: str
    turn: int
    text: str  # caption and question
    question: str
    answer: str
    pair: str = ""


CoreferencePlan: TypeAlias = Mapping[str, Sequence[PronounTurn]]
"""The cases that are kept, by the id of their dialogue."""


def yes_or_no(answer: str) -> str | None:
    """Yes or no, if an answer is clearly one of them.

    >>> yes_or_no("yes, he is"), yes_or_no("no i don't think so"), yes_or_no("no"), yes_or_no("2")
    ('yes', None, 'no', None)
    """
    text = answer.strip().lower()
    if word_pattern("coreference", "unsure").search(text):
        return None
    return "yes" if _YES.match(text) else "no" if _NO.match(text) else None


def pronoun_turns(dialogue: Dialogue) -> Iterator[PronounTurn | str]:
    """Every turn with a pronoun that refers to the caption, or the reason why one with a pronoun is rejected."""
    since = list[str]()
    for place, turn in enumerate(dialogue.turns):
        if pronoun_turn := _case(dialogue, place, turn, since):
            yield pronoun_turn
        since += turn.question, turn.answer


def _case(dialogue: Dialogue, place: int, turn: Turn, since: Sequence[str]) -> PronounTurn | str:
    text = " ".join(turn.question.lower().split())
    if not _LED.match(text) or not pronouns(text):
        return ""
    if word_pattern("coreference", "open").search(text):
        return "the question is not for yes or no"
    if (answer := yes_or_no(turn.answer)) is None:
        return "the answer is no plain yes or no"
    if not refer_to_caption(text, dialogue.caption, since):
        return "the pronoun may mean something that the caption does not name"
    if caption_answers(dialogue.caption, text):
        return "the caption answers the question"
    full_text = f"{sentence(dialogue.caption)} {asked(turn.question)}"
    return PronounTurn(f"{dialogue.id}-{place}", place, full_text, text.rstrip(" ?"), answer)


def plan_pairs(dialogues: Iterable[Dialogue]) -> CoreferencePlan:
    """As many turns with yes as with no in each instrument, for questions with the same beginning."""
    shelves, owner = defaultdict[str, list[PronounTurn]](list), dict[str, str]()
    for dialogue in dialogues:
        for case in pronoun_turns(dialogue):
            if isinstance(case, PronounTurn):
                shelves[instrument(dialogue.picture)].append(case)
                owner[case.id] = dialogue.id
    by_dialogue = defaultdict[str, list[PronounTurn]](list)
    for name, cases in shelves.items():
        pairs = pair_cases(
            cases,
            side=lambda case: case.answer,
            keys=(lambda case: case.question,),
            otherwise=(lambda case: tuple(case.question.split()[:3]), lambda case: tuple(case.question.split()[:2])),
            half=True,
        )
        for pair in pairs:
            for case in pair.kept:
                by_dialogue[owner[case.id]].append(replace(case, pair=pair.name(name)))
    return {own: sorted(cases, key=lambda case: case.turn) for own, cases in by_dialogue.items()}


def instrument(picture: Picture) -> str:
    """Standard for pictures of training splits, clean for held-out pictures."""
    folder = picture.path.partition("/")[0]
    return CLEAN if folder in _CLOSED or folder.startswith("VisualDialog_") else STANDARD


def propose_foils(dialogue: Dialogue, plan: CoreferencePlan, rng: Random) -> Iterator[Group | Rejection]:
    """Caption and question with the correct answer, and with the other one."""
    planned = plan.get(dialogue.id, ())
    ids = {case.id for case in planned}
    for case in planned:
        other = "no" if case.answer == "yes" else "yes"
        tags = (
            ("word", case.answer),
            ("dialogue", dialogue.id),
            ("pronoun", " | ".join(dict.fromkeys(pronouns(case.question)))),
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
    for rejected in pronoun_turns(dialogue):
        if isinstance(rejected, str):
            yield Rejection(KIND, rejected)
        elif rejected.id not in ids:
            yield Rejection(KIND, "no question that begins alike has the other answer")


suite = Suite(
    KIND,
    tests="a question with a pronoun is answered for the object in the caption that it refers to",
    propose=propose_foils,
    survey=plan_pairs,
    choose=PairSampler,
    takes="dialogues",
)

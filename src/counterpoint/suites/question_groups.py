"""Groups around one question of a source, and groups that rank a caption above a foil."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.items import Caption, Question
from counterpoint.core.pictures import Edit, Picture
from counterpoint.language.answers.rule_sets import normalize_vqa
from counterpoint.language.english import number_value

Tags: TypeAlias = tuple[tuple[str, str], ...]
SCATTERED = "fewer than nine of ten people agree"
"""Why a question has no settled answer."""
MIN_AGREEING = 0.9
"""The share of annotators that an answer needs: of ten people nine."""
FULL_CREDIT, RIVAL_CREDIT = 1.0, 0.9
"""The credit that stands for this share where nothing else is known of the votes, and that of a second answer."""
_ROUNDING = 1e-9


def is_agreed(agreeing: int, asked: int) -> bool:
    """Whether so many of the people asked settle an answer.

    >>> is_agreed(9, 10), is_agreed(8, 10), is_agreed(1, 1), is_agreed(2, 3)
    (True, False, True, False)
    """
    return asked > 0 and agreeing >= MIN_AGREEING * asked - _ROUNDING


def disagreement(question: Question) -> str:
    """Why people do not agree on the answer to a question, or nothing; spellings of a number are one answer.

    >>> from counterpoint.core.groups import Gold
    >>> picture, asked = Picture("a:b.png"), "How many dogs?"
    >>> disagreement(Question("7", picture, asked, Gold(()), votes=("2",) * 8 + ("two", "lots")))
    ''
    >>> disagreement(Question("7", picture, asked, Gold(()), votes=("2",) * 8 + ("3",) * 2))
    'fewer than nine of ten people agree'
    >>> disagreement(Question("7", picture, asked, Gold((("2", 1.0), ("3", 0.9)))))
    'people give two answers that exclude each other'
    """
    if question.votes:
        votes = Counter(map(_answer_form, question.votes))
        return "" if is_agreed(max(votes.values()), len(question.votes)) else SCATTERED
    earned = defaultdict[str, float](float)
    for answer, credit in question.gold.answers:
        earned[_answer_form(answer)] = max(earned[_answer_form(answer)], credit)
    if earned and max(earned.values()) < FULL_CREDIT - _ROUNDING:
        return SCATTERED
    exclusive = [answer for answer, credit in earned.items() if credit >= RIVAL_CREDIT - _ROUNDING]
    exclude = sum(map(str.isdecimal, exclusive)) > 1 or {"yes", "no"} <= set(exclusive)
    return "people give two answers that exclude each other" if exclude else ""


def settled_answer(question: Question) -> str | None:
    """Yes or no, where the annotators agree on it; else None."""
    votes = [vote.strip(" .!").lower() for vote in question.votes]
    votes = votes or [answer.strip(" .!").lower() for answer, _ in question.gold.answers]
    return next((word for word in ("yes", "no") if is_agreed(votes.count(word), len(votes))), None)


def _answer_form(answer: str) -> str:
    """An answer in one form for all its spellings: 3 for "three" and "03"."""
    form = normalize_vqa(answer)
    number = None if form in ("no", "single") else number_value(form)
    return form if number is None else str(number)


def base_query(question: Question) -> Query:
    """The question as its source asks it."""
    return Query(question.picture, question.text, choices=question.choices, context=question.context)


def base_tags(question: Question) -> Tags:
    """The id of the question, and its own tags."""
    return (("question", question.id), *question.tags)


def source_proof(question: Question) -> str:
    """The proof of the source, or a reference to the question."""
    return question.proof or f"question {question.id} of its source"


def question_group(
    question: Question,
    variants: Sequence[tuple[Query, Tags]] = (),
    *,
    relation: Relation,
    proof: str,
    keeps_gold: bool = True,
) -> Group:
    """The question and its variants with their tags; the variants have the gold of the question, or none."""
    gold = question.gold if question.gold.answers else None
    return Group(
        relation,
        (base_query(question), *(query for query, _ in variants)),
        (gold, *(gold if keeps_gold else None for _ in variants)),
        proof=proof,
        kind=question.kind,
        tags=(base_tags(question), *(tags for _, tags in variants)),
    )


def edited_variants(question: Question, edits: Iterable[tuple[Edit, Tags]]) -> list[tuple[Query, Tags]]:
    """The question about its picture after each edit; the tags of the question follow those of the edit."""
    base, own = base_query(question), base_tags(question)
    pictures = ((question.picture.edited(edit), (*tags, *own)) for edit, tags in edits)
    return [(Query(edited, base.text, base.mode, base.choices, base.context), tags) for edited, tags in pictures]


def reworded_variants(question: Question, texts: Iterable[tuple[str, Tags]]) -> list[tuple[Query, Tags]]:
    """The question in other words."""
    picture, choices, context = question.picture, question.choices, question.context
    return [(Query(picture, text, Mode.ANSWER, choices, context), tags) for text, tags in texts]


def ranking_group(picture: Picture, texts: Iterable[str], tags: Sequence[Tags], **fields: Any) -> Group:
    """A caption and a foil, in this order, each with its tags; `fields` are further fields of the group."""
    queries = tuple(Query(picture, text, Mode.SCORE) for text in texts)
    return Group(Relation.RANKS, queries, (None, None), tags=tuple(tags), **fields)


def caption_group(
    caption: Caption, texts: tuple[str, str], words: tuple[str, str], *, likelier: str, tags: Tags = (), **fields: Any
) -> Group:
    """A ranking group of a caption; `texts` and `words` are of caption and foil, `likelier` names the likelier text."""
    about = (("word", words[0]), ("exchanged", " | ".join(sorted(words))), ("usual", likelier), ("caption", caption.id))
    return ranking_group(caption.picture, texts, ((*about, *tags), (("word", words[1]), *tags)), **fields)

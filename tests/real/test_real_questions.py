"""Suites from real questions alone: the referee agrees with every gold, and how many groups there are is known."""

from collections import Counter
from collections.abc import Iterator

import pytest
from proving import sample
from real_data import real

from counterpoint.core.groups import Gold, Group
from counterpoint.core.items import Question
from counterpoint.language.english import number_value
from counterpoint.language.lexicon.attributes import are_synonyms
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.gqa import gqa
from counterpoint.sources.formats.visdial import visdial
from counterpoint.sources.formats.vqa import vqa2
from counterpoint.suites.questions import suites
from counterpoint.suites.questions.referee import derive_answer, read_form
from counterpoint.suites.rad import counterfactuals
from counterpoint.suites.robustness import word_noise
from counterpoint.suites.suite import Tally, generate_groups


def _vqa_and_gqa() -> list[Question]:
    return [
        question
        for layout, folder in ((vqa2, "vqa2"), (gqa, "gqa"))
        for question in Source(layout, real(folder), "val", None).questions()
    ]


def _visdial() -> Iterator[Question]:
    """The turns of dialogues as questions; an answer that begins with yes or no is one."""
    for dialogue in Source(visdial, real("visdial"), "val", None).dialogues():
        for number, turn in enumerate(dialogue.turns):
            first = turn.answer.replace(",", " ").split()[:1]
            answer = first[0] if first in (["yes"], ["no"]) else turn.answer
            yield Question(f"{dialogue.id}-{number}", dialogue.picture, turn.question, Gold.of(answer))


def _judged(name: str, questions: list[Question]) -> tuple[int, int, int]:
    """Groups, variants, and rewrites that the referee rejected; it must agree with every gold that is left."""
    tally, variants = Tally(), 0
    for _, group in generate_groups(getattr(suites, name), questions, tally=tally):
        base = group.gold[0].best if group.gold[0] else ""
        for query, gold in zip(group.variants, group.gold[1:], strict=True):
            assert derive_answer(group.base.text, base, query.text) == (gold.best if gold else "")
            variants += 1
    refused = sum(count for (_, reason), count in tally.dropped.items() if "the referee" in reason)
    return tally.groups, variants, refused


COUNTS = {
    "negated": ((106, 106, 1), (316, 316, 0)),
    "antonyms": ((9, 9, 0), (21, 21, 0)),
    "reordered": ((6, 6, 0), (41, 41, 1)),
    "rephrased": ((210, 318, 0), (526, 727, 0)),
}
"""Groups, variants and what the referee rejected, on VQA and GQA and on VisDial."""


@pytest.mark.parametrize("name", sample(COUNTS, 1))
def test_the_referee_agrees_with_every_gold_of_rewritten_questions(name: str) -> None:
    assert (_judged(name, _vqa_and_gqa()), _judged(name, list(_visdial()))) == COUNTS[name]


def test_the_referee_reads_every_sears_rewrite_as_the_same_question() -> None:
    groups = [group for _, group in generate_groups(word_noise.sears, [*_vqa_and_gqa(), *_visdial()])]
    pairs = [(group.base.text, query.text) for group in groups for query in group.variants]
    assert len(pairs) > 500
    assert [pair for pair in pairs if derive_answer(pair[0], "kept", pair[1]) != "kept"] == []


def test_the_gold_of_every_counterfactual_follows_from_its_words() -> None:
    groups = [group for _, group in generate_groups(counterfactuals.suite, _vqa_and_gqa())]
    assert Counter(group.kind for group in groups) == {"color": 20, "how-many": 24, "what-kind": 2}
    for group in groups:
        assert group.gold[1] == Gold.of("yes" if _names_the_gold(group) else "no"), group.queries


def _names_the_gold(group: Group) -> bool:
    """Whether the yes/no question names the best answer of the open one, by the forms of the two."""
    assert group.gold[0] is not None
    best, asked, variant = group.gold[0].best, read_form(group.base.text), read_form(group.variants[0].text)
    assert asked is not None and variant is not None  # noqa: PT018
    if group.kind == "color":
        opening = ("the", "color", "of", *asked.words)
        assert variant.words[: len(opening)] == opening
        named = sorted(set(variant.words[len(opening) :]) - {"and"})
        wanted = sorted(set(best.replace("&", " ").replace("/", " ").split()) - {"and"})
        return len(named) == len(wanted) and all(map(are_synonyms, named, wanted))
    if group.kind == "how-many":
        if variant.is_negated:  # there are none
            return number_value(best) == 0
        counted = variant.words[1 if variant.words[0] == "exactly" else 0]
        return number_value(counted) == number_value(best)
    return best in " ".join(variant.words)

import re
from itertools import product
from random import Random

import pytest
from msgspec.structs import replace
from proving import scaled
from scenery import scene

from counterpoint.core.groups import Gold
from counterpoint.language.english import article, be, is_mass, is_plural, plural
from counterpoint.language.lexicon.attributes import attribute_classes
from counterpoint.language.lexicon.senses import curated_names
from counterpoint.language.question_types import QuestionType, parse_question
from counterpoint.scenes.attributes import attribute_class, goes_before_noun, modified_noun
from counterpoint.scenes.cooccurrence import survey_scenes
from counterpoint.suites.carets.question_kinds import CHOICES, KINDS, VERIFICATIONS
from counterpoint.suites.carets.question_sampling import sample_questions
from counterpoint.suites.carets.templates import QuestionContent, fitting_templates, templates, word_question

LEAST = {
    "object verification": 18,
    "conjunctive verification": 18,
    "disjunctive verification": 18,
    "attribute verification": 25,
    "object choice": 25,
    "attribute choice": 39,
    "action choice": 28,
}
"""How many templates the paper has; 36 more that say a relation."""
YES = Gold.of("yes")


def _texts(asked: QuestionContent, *, negated: bool = False) -> list[str]:
    return [word_question(template.deny if negated else template.ask, asked) for template in fitting_templates(asked)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_at_least_as_many_distinct_templates_as_the_paper(kind: str) -> None:
    found = templates(kind)
    assert len({one.ask for one in found}) == len(found) >= LEAST[kind]


def test_relations_and_negations_have_their_templates_too() -> None:
    related = templates("object verification", related=True)
    assert len({one.ask for one in related}) == len(related) >= 36
    twins = [template for kind in VERIFICATIONS for template in templates(kind)] + list(related)
    assert len(twins) >= 90
    assert all(twin.deny and twin.deny != twin.ask for twin in twins)
    assert len({twin.deny for twin in twins}) == len(twins)


@pytest.mark.parametrize("kind", VERIFICATIONS)
def test_a_negation_holds_exactly_where_its_question_does_not(kind: str) -> None:
    """Read by its small words alone, every twin is the complement of its question by De Morgan."""
    asked = QuestionContent(kind, ("cat", "dog")[: 1 if kind == "object verification" else 2], YES, "")
    for plain, twin in zip(_texts(asked), _texts(asked, negated=True), strict=True):
        for there in product((True, False), repeat=len(asked.options)):
            assert _holds(plain, there) != _holds(twin, there), (plain, twin, there)


def test_no_negation_is_a_bare_negative_question() -> None:
    """A plain yes to "Is there no cat?" is heard both ways, and nobody asks "Can no cat be seen?"."""
    said = ("it (?:true|right|fair to say) that", "it (?:seem that|look as if)", "you (?:say|think|agree) that")
    frame = re.compile(rf"(?:[^,]+, )?(?:is|do|does|would) (?:{'|'.join(said)})")
    plain = re.compile(r"does (?:this|the) \w+ (?:show|contain|have|include) neither")
    rows = [row for kind in VERIFICATIONS for related in (False, True) for row in templates(kind, related)]
    assert [row.deny for row in rows if not frame.match(row.deny) and not plain.match(row.deny)] == []


def test_nobody_sees_or_shows_either_no_cat_or_no_dog() -> None:
    asked = QuestionContent("conjunctive verification", ("cat", "dog"), YES, "")
    texts = _texts(asked, negated=True)
    said = re.compile(r"(?:\bthere (?:is )?|^[^,]*\bthat )either no cat or no dog\b")
    assert [text for text in texts if not said.search(text)] == []


def test_no_question_after_one_thing_or_another_is_heard_as_a_choice() -> None:
    """Who is asked "Do you see a cat or a dog?" says "a dog"."""
    clear = re.compile(
        r"\beither\b|\bat least one of these\b|^is it (?:true|right|fair to say) that\b|^do you agree that\b"
    )
    asked = QuestionContent("disjunctive verification", ("cat", "dog"), YES, "")
    texts = _texts(asked)
    assert [text for text in texts if not clear.search(text.lower())] == []
    assert {parse_question(text).type for text in texts} == {QuestionType.YES_NO}
    both_there = replace(asked, tags=(("either", "no"),))
    assert len(_texts(both_there)) >= 9
    assert not [text for text in _texts(both_there) if "either" in text]


def _holds(text: str, there: tuple[bool, ...]) -> bool:
    """What a question asks for, read naively: who is denied by a word, and how the two are joined."""
    said = text.lower()
    if len(there) == 1:
        return there[0] != bool(re.search(r"\bno\b", said))
    if "neither" in said:
        return not there[0] and not there[1]
    parts = [not one if f"no {name}" in said else one for one, name in zip(there, ("cat", "dog"), strict=True)]
    return all(parts) if " and " in said or " as well as " in said else any(parts)


VALUES = [
    value
    for held in attribute_classes().values()
    for row in held.values
    for value in row
    if attribute_class(value) and goes_before_noun(value)
]


@pytest.mark.parametrize("number", ["as it is", "plural"])
def test_the_whole_vocabulary_agrees_with_its_articles_and_verbs(number: str) -> None:
    """No "a green trees", no "is there any scissors", no "a bread", for whatever name with whatever value."""
    rng = Random(0)
    names = list(curated_names())
    for name in names[:: len(names) // scaled(len(names))]:
        noun = modified_noun(rng.choice(VALUES), name if number == "as it is" else plural(name))
        many, mass = is_plural(noun), is_mass(noun)
        for text in (
            *_texts(one := QuestionContent("object verification", (noun,), YES, "")),
            *_texts(one, negated=True),
        ):
            before = re.findall(rf"(\S+) (?=\b{re.escape(noun.lower())}\b)", text.lower())
            expected = {"any", "some", "no"} if many or mass else {article(noun), "no"}
            assert set(before) <= expected, text
            verbs = re.findall(r"\bthere (is|are)\b|\b(is|are) (?:there|any|no)\b", text.lower())
            assert {one or other for one, other in verbs} <= {be(noun)}, text
        for kind in ("conjunctive verification", "disjunctive verification"):
            for text in _texts(QuestionContent(kind, (noun, "old bus"), YES, "")):
                assert f" a {noun.lower()}" not in text.lower() or not (many or mass), text
                assert not (many and re.search(r"\bis (there )?(either )?" + re.escape(noun), text.lower())), text


@pytest.mark.parametrize("name", ["tree", "trees", "bread", "pants", "scissors", "sheep", "glasses", "old bus"])
def test_what_is_asked_of_a_thing_agrees_with_it(name: str) -> None:
    for kind, options, sort in (
        ("attribute verification", ("red",), "color"),
        ("attribute choice", ("red", "blue"), "color"),
        ("action choice", ("sitting", "standing", "lying"), "pose"),
    ):
        asked = QuestionContent(kind, options, YES, "", about=name, sort=sort)
        texts = _texts(asked)
        assert len(set(texts)) == len(texts) >= 20
        for text in texts:
            found = re.findall(rf"\b(is|are|does|do) the {name}\b|(?<!of )the {name} (is|are)\b", text.lower())
            assert {one or other for one, other in found} <= {be(name), "do" if is_plural(name) else "does"}, text


def test_a_relation_follows_the_noun_and_nothing_comes_between() -> None:
    asked = QuestionContent("object verification", ("old man",), YES, "", where="holding an umbrella")
    texts = _texts(asked)
    assert "Is there an old man holding an umbrella?" in texts
    assert "Do you see an old man holding an umbrella?" in texts
    assert all("holding an umbrella" in text for text in texts)
    about = QuestionContent(
        "attribute verification", ("red",), YES, "", about="cup", where="on the table", sort="color"
    )
    assert "Is the cup on the table red?" in _texts(about)
    assert not any("cup in the photo" in text or "table in the photo" in text for text in _texts(about))


def test_singular_plural_mass_and_pair_nouns_all_have_their_questions() -> None:
    nouns = [("bread", "scissors", "red"), ("glasses", "cheese", "blue"), ("sheep", "toothbrush", "green")]
    examples = [scene(n, (x, "red"), (y, "blue"), ("kite", look)) for n, (x, y, look) in enumerate(nouns)]
    others = [
        *examples,
        scene(8, ("glasses", "green"), ("bread", "white")),
        scene(9, ("ball", "red"), ("frisbee", "blue")),
    ]
    statistics, said = survey_scenes(others), set[str]()
    for shown in examples:
        for seed in range(40):
            for one in sample_questions(KINDS, shown, statistics, Random(seed)):
                if isinstance(one, QuestionContent):
                    assert len(fitting_templates(one)) >= 9
                    said |= set(_texts(one))
    wrong = (" a bread", " a scissors", "is the scissors", "is there any scissors", " a toothbrushs", "is any glasses")
    assert not [text for text in said if any(part in text.lower() for part in wrong)]
    assert {"Are there any scissors?", "Is there any bread?", "Are the glasses red?"} <= said


def test_choices_are_listed_with_a_comma_where_there_are_three() -> None:
    assert tuple(kind for kind in KINDS if kind.endswith("choice")) == CHOICES
    asked = QuestionContent("object choice", ("cow", "old horse", "dog"), YES, "", about="black animal", sort="animal")
    assert "Is the black animal a cow, an old horse, or a dog?" in _texts(asked)

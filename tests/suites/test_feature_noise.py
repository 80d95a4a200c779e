"""Noise in features: one table of groups for every model, with the queries that measure the noise."""

from random import Random

from counterpoint.core.features import REFERENCES, Side, reference_name
from counterpoint.core.groups import Gold, Query
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.suites.feature_noise import TRIALS, disturbed, listed, suite, survey
from counterpoint.suites.suite import generate


def _questions(count: int) -> list[Question]:
    return [
        Question(str(n), Picture(f"p:{n // 3}.png"), f"Is it {n}?", Gold.of("yes"), kind="exist") for n in range(count)
    ]


def test_a_question_has_fifteen_variants_for_each_side_and_nothing_else_differs() -> None:
    asked = _questions(4)
    ((test, group), *_) = generate(suite, asked, 0)
    assert test == "feature-noise"
    assert len(group.variants) == 2 * TRIALS
    base = group.base
    for variant, tags in zip(group.variants, group.tags[1:], strict=True):
        (edit,) = variant.edits
        assert Query(variant.picture, variant.text) == base
        assert edit.arguments == ("1", survey(asked).name)
        side = next(side for side in Side if side.noise == edit.name)
        assert dict(tags)["edit"] == ("picture-features" if side is Side.PICTURE else "question-features")
    assert len({variant.edits for variant in group.variants}) == 2 * TRIALS
    assert set(group.gold) == {Gold.of("yes")}


def test_at_most_five_hundred_reference_queries_whatever_the_order_of_questions() -> None:
    asked = _questions(2 * REFERENCES)
    found = survey(asked)
    assert len(found.queries) == REFERENCES
    assert found == survey(reversed(asked))
    assert found.name == reference_name(found.queries)
    assert len(survey(asked[:3] * 2).queries) == 3


def test_the_manifest_lists_the_reference_queries_as_their_ids_are_made() -> None:
    found = survey(_questions(3))
    assert listed(found) == {"references": {found.name: [query.content for query in found.queries]}}


def test_fewer_variants_can_be_asked_for() -> None:
    ((_, group), *_) = generate(suite.with_variants(2), _questions(2), 0)
    assert len(group.variants) == 4


def test_a_question_without_an_answer_has_no_gold() -> None:
    asked = Question("1", Picture("p:1.png"), "Is it?", Gold(()))
    (group,) = disturbed(asked, survey([asked]), Random(0), trials=1)
    assert group.gold == (None, None, None)

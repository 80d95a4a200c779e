"""Noise in features: one table of groups for every model, with the queries that measure the noise."""

from operator import itemgetter
from random import Random

from counterpoint.core.groups import MAX_REFERENCES, Gold, Query, Side, reference_name
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.models.builtin.models import fusion
from counterpoint.models.feature_edits import FeatureEditor
from counterpoint.suites.robustness.feature_noise import TRIALS, propose_feature_noise, reference_entries, suite, survey
from counterpoint.suites.suite import generate_groups
from counterpoint.world.source import World


def _questions(count: int) -> list[Question]:
    return [
        Question(str(n), Picture(f"p:{n // 3}.png"), f"Is it {n}?", Gold.of("yes"), kind="exist") for n in range(count)
    ]


def test_a_question_has_fifteen_variants_for_each_side_and_nothing_else_differs() -> None:
    asked = _questions(4)
    ((test, group), *_) = generate_groups(suite, asked, 0)
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
    asked = _questions(2 * MAX_REFERENCES)
    found = survey(asked)
    assert len(found.queries) == MAX_REFERENCES
    assert found == survey(reversed(asked))
    assert found.name == reference_name(found.queries)
    assert len(survey(asked[:3] * 2).queries) == 3


def test_the_manifest_lists_the_reference_queries_as_their_ids_are_made() -> None:
    found = survey(_questions(3))
    assert reference_entries(found) == {"references": {found.name: [query.content for query in found.queries]}}


def test_the_seed_draws_the_noise_anew_and_nothing_else() -> None:
    asked = _questions(3)
    one, again, other = ([group for _, group in generate_groups(suite, asked, seed)] for seed in (7, 7, 8))
    assert one == again
    for first, second in zip(one, other, strict=True):
        assert first.base == second.base
        assert first.tags == second.tags
        pairs = [(a.edits[0], b.edits[0]) for a, b in zip(first.variants, second.variants, strict=True)]
        assert all((a.name, a.arguments) == (b.name, b.arguments) for a, b in pairs)
        assert not {a.seed for a, _ in pairs} & {b.seed for _, b in pairs}


def test_another_seed_disturbs_the_features_of_a_model_in_another_way() -> None:
    world = World("test", 2)
    asked = list(world.questions())[:4]
    spread = survey(asked)
    edits = FeatureEditor(fusion(world), {spread.name: spread.queries})
    said = [
        [answer.top for _, answer in sorted(edits.answer(group.variants), key=itemgetter(0))]
        for seed in (0, 1)
        for _, group in generate_groups(suite.configured({"variants": 2}), asked[:1], seed, statistics=spread)
    ]
    assert all(one != other for one, other in zip(*said, strict=True))


def test_fewer_variants_can_be_asked_for() -> None:
    ((_, group), *_) = generate_groups(suite.configured({"variants": 2}), _questions(2), 0)
    assert len(group.variants) == 4


def test_a_question_without_an_answer_has_no_gold() -> None:
    asked = Question("1", Picture("p:1.png"), "Is it?", Gold(()))
    (group,) = propose_feature_noise(asked, survey([asked]), Random(0), variants=1)
    assert group.gold == (None, None, None)

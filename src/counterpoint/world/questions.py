"""Questions in GQA's manner: each with a program, a proof, a full answer, and an answer that cannot be guessed."""

from collections.abc import Iterator
from random import Random

from counterpoint.core.groups import Gold
from counterpoint.core.items import Question
from counterpoint.core.scenes import Scene
from counterpoint.world import choice_questions as choosing
from counterpoint.world import existence_questions as existing
from counterpoint.world import open_questions as querying
from counterpoint.world import verification_questions as verifying
from counterpoint.world.facts import SceneFacts
from counterpoint.world.makers import QuestionWriter, write_drafts
from counterpoint.world.referents import ReferentFinder

MAKERS: tuple[tuple[QuestionWriter, int], ...] = (
    (existing.exist, 8),
    (existing.exist_family, 3),
    (existing.exist_attribute, 5),
    (existing.exist_relation, 7),
    (existing.conjunction, 4),
    (existing.disjunction, 4),
    (verifying.verify_color, 6),
    (verifying.verify_material, 3),
    (verifying.verify_state, 6),
    (verifying.verify_size, 2),
    (verifying.verify_pose, 4),
    (verifying.verify_action, 6),
    (verifying.verify_wearing, 4),
    (verifying.verify_relation, 6),
    (verifying.verify_place, 2),
    (verifying.verify_weather, 2),
    (verifying.same_color, 4),
    (choosing.choose_color, 5),
    (choosing.choose_material, 3),
    (choosing.choose_state, 5),
    (choosing.choose_size, 2),
    (choosing.choose_pose, 3),
    (choosing.choose_side, 3),
    (choosing.choose_name, 5),
    (choosing.choose_relation, 5),
    (choosing.choose_action, 4),
    (choosing.choose_place, 2),
    (choosing.choose_location, 1),
    (choosing.choose_weather, 2),
    (choosing.choose_larger, 4),
    (querying.query_color, 9),
    (querying.query_material, 4),
    (querying.query_side, 4),
    (querying.query_activity, 5),
    (querying.query_object, 8),
    (querying.query_agent, 5),
    (querying.query_worn, 2),
    (querying.query_related, 9),
    (querying.query_quality, 5),
    (querying.query_place, 2),
    (querying.query_weather, 2),
    (querying.count_things, 8),
    (querying.count_related, 3),
)
"""Who writes which kind of question, and how often each is tried."""


def gqa_questions(scene: Scene, rng: Random, limit: int = 12) -> Iterator[Question]:
    """Up to `limit` questions about a scene, of as many kinds as it bears; none that could be doubted."""
    namer = ReferentFinder(SceneFacts(scene))
    asked: set[tuple[str, ...]] = set()
    for draft in write_drafts(MAKERS, namer, rng, 4 * limit):
        if draft.meaning in asked:
            continue
        yield Question(
            id=f"{scene.id}-gqa-{len(asked):02d}",
            picture=scene.picture,
            text=draft.texts[0],
            gold=Gold.of(draft.answer),
            kind=draft.kind,
            scene=scene.id,
            program=draft.program,
            proof=draft.proof,
            full_answer=draft.full_answer,
        )
        asked.add(draft.meaning)
        if len(asked) == limit:
            return

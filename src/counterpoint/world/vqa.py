"""Questions in VQA's manner: as people type them, each in three phrasings, with ten answers that mostly agree."""

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
from counterpoint.world.phrasings import phrasings
from counterpoint.world.referents import ReferentFinder
from counterpoint.world.votes import votes

MAKERS: tuple[tuple[QuestionWriter, int], ...] = (
    (existing.exist, 6),
    (existing.exist_family, 2),
    (existing.exist_attribute, 2),
    (existing.exist_relation, 4),
    (verifying.verify_color, 4),
    (verifying.verify_material, 1),
    (verifying.verify_state, 5),
    (verifying.verify_pose, 3),
    (verifying.verify_action, 4),
    (verifying.verify_wearing, 4),
    (verifying.verify_place, 1),
    (verifying.verify_weather, 2),
    (choosing.choose_color, 1),
    (choosing.choose_state, 2),
    (choosing.choose_pose, 1),
    (choosing.choose_side, 1),
    (querying.query_color, 9),
    (querying.query_material, 2),
    (querying.query_activity, 4),
    (querying.query_object, 7),
    (querying.query_agent, 3),
    (querying.query_worn, 1),
    (querying.query_related, 6),
    (querying.query_side, 1),
    (querying.query_quality, 2),
    (querying.query_place, 2),
    (querying.query_weather, 2),
    (querying.query_animal, 3),
    (querying.query_support, 3),
    (querying.count_things, 8),
    (querying.count_related, 2),
)
"""Who writes which kind of question, and how often each is tried."""


def vqa_questions(scene: Scene, rng: Random, limit: int = 5) -> Iterator[Question]:
    """Up to `limit` questions about a scene, three phrasings each; the first phrasing is what the others repeat."""
    namer = ReferentFinder(SceneFacts(scene), plainness=0.9)
    asked: set[tuple[str, ...]] = set()
    for draft in write_drafts(MAKERS, namer, rng, 5 * limit):
        texts = phrasings(draft, rng)
        if not texts or draft.meaning in asked:
            continue
        said = votes(draft.answer, rng)
        stem = f"{scene.id}-vqa-{len(asked):02d}"
        for place, text in enumerate(texts):
            yield Question(
                id=f"{stem}-{place}",
                picture=scene.picture,
                text=text,
                gold=Gold.from_votes(said),
                kind=draft.kind,
                scene=scene.id,
                votes=said,
                program=draft.program,
                proof=draft.proof,
                full_answer=draft.full_answer,
                same_as=f"{stem}-0" if place else "",
            )
        asked.add(draft.meaning)
        if len(asked) == limit:
            return

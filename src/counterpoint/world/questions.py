"""Questions about a scene, each with a program, a proof and a full answer, in the manner of GQA and of VQA.

Those of VQA are phrased as people type them, three phrasings each, with ten answers that mostly agree.
"""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeAlias

from counterpoint.core.groups import Gold
from counterpoint.core.items import Question
from counterpoint.core.scenes import Scene
from counterpoint.world import choice_questions as choosing
from counterpoint.world import existence_questions as existing
from counterpoint.world import open_questions as querying
from counterpoint.world import verification_questions as verifying
from counterpoint.world.facts import SceneFacts
from counterpoint.world.phrasings import phrasings
from counterpoint.world.question_programs import QuestionDraft
from counterpoint.world.referents import ReferentFinder
from counterpoint.world.votes import votes

QuestionWriter: TypeAlias = Callable[[ReferentFinder, Random], QuestionDraft | None]
"""Writes one question about a scene, or returns None where it finds no unambiguous one."""

GQA_WRITERS: tuple[tuple[QuestionWriter, int], ...] = (
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
"""The writers of questions in the manner of GQA, with their weights."""

VQA_WRITERS: tuple[tuple[QuestionWriter, int], ...] = (
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
"""The writers of questions in the manner of VQA, with their weights."""


def write_drafts(
    writers: Sequence[tuple[QuestionWriter, int]], finder: ReferentFinder, rng: Random, tries: int
) -> Iterator[QuestionDraft]:
    """Drafts about one scene by weighted sampling of writers; the weight of a writer falls with each use."""
    weights = [weight for _, weight in writers]
    for _ in range(tries):
        if not any(weights):
            return
        place = rng.choices(range(len(writers)), weights)[0]
        weights[place] //= 3
        draft = writers[place][0](finder, rng)
        if draft is not None:
            yield draft


def gqa_questions(scene: Scene, rng: Random, limit: int = 12) -> Iterator[Question]:
    """Up to `limit` questions about a scene, of as many kinds as it allows, none of them ambiguous."""
    finder = ReferentFinder(SceneFacts(scene))
    meanings: set[tuple[str, ...]] = set()
    for draft in write_drafts(GQA_WRITERS, finder, rng, 4 * limit):
        if draft.meaning in meanings or finder.facts.names_hidden(*draft.texts, draft.answer):
            continue
        yield Question(
            id=f"{scene.id}-gqa-{len(meanings):02d}",
            picture=scene.picture,
            text=draft.texts[0],
            gold=Gold.of(draft.answer),
            kind=draft.kind,
            scene=scene.id,
            program=draft.program,
            proof=draft.proof,
            full_answer=draft.full_answer,
        )
        meanings.add(draft.meaning)
        if len(meanings) == limit:
            return


def vqa_questions(scene: Scene, rng: Random, limit: int = 5) -> Iterator[Question]:
    """Up to `limit` questions about a scene, three phrasings each; the first phrasing is what the others repeat."""
    finder = ReferentFinder(SceneFacts(scene), plainness=0.9)
    meanings: set[tuple[str, ...]] = set()
    for draft in write_drafts(VQA_WRITERS, finder, rng, 5 * limit):
        texts = phrasings(draft, rng)
        if not texts or draft.meaning in meanings or finder.facts.names_hidden(*texts, draft.answer):
            continue
        answers = votes(draft.answer, rng)
        stem = f"{scene.id}-vqa-{len(meanings):02d}"
        for place, text in enumerate(texts):
            yield Question(
                id=f"{stem}-{place}",
                picture=scene.picture,
                text=text,
                gold=Gold.from_votes(answers),
                kind=draft.kind,
                scene=scene.id,
                votes=answers,
                program=draft.program,
                proof=draft.proof,
                full_answer=draft.full_answer,
                same_as=f"{stem}-0" if place else "",
            )
        meanings.add(draft.meaning)
        if len(meanings) == limit:
            return

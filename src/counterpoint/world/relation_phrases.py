"""How two things of a scene are put into one question."""

from random import Random

from counterpoint.core.items import Step
from counterpoint.core.scenes import Link
from counterpoint.language.english import a
from counterpoint.scenes.programs import add_step
from counterpoint.world.facts import SceneFacts
from counterpoint.world.referents import Referent, ReferentFinder


def refer_to_both(finder: ReferentFinder, link: Link | None, rng: Random) -> tuple[Referent, Referent] | None:
    """Phrases for the two ends of a link, the second one plain, as programs name it by its name alone."""
    if link is None:
        return None
    subject = finder.refer(finder.facts.by_id[link.subject], rng, "hposition", "relation", "on", "under", "family")
    object_referent = finder.plain(finder.facts.by_id[link.object])
    if (
        subject is None
        or object_referent is None
        or subject.thing.name == object_referent.thing.name
        or object_referent.thing.name in subject.tells
    ):
        return None
    return subject, object_referent


def relation_program(one: Referent, other: Referent, relation: str, operation: str) -> tuple[Step, ...]:
    """The program that asks how one referent relates to the name of another."""
    return add_step(one.steps, operation, f"{other.thing.name},{relation},o ({other.thing.id})")


def is_askable_relation(link: Link, facts: SceneFacts) -> bool:
    """Whether to ask about a relation at all: clothes go with their wearers, and people sit on things."""
    one, other = facts.by_id[link.subject], facts.by_id[link.object]
    return not one.is_worn and not other.is_worn and not (link.name == "on" and one.is_person)


def place_question_phrase(place: str) -> str:
    """Where a picture was taken: in a kitchen, at the beach, on a farm."""
    return {"beach": "at the beach", "farm": "on a farm", "street": "on a street"}.get(place, f"in {a(place)}")

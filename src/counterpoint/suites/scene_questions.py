"""Questions about scenes of a source that has no questions, by templates, each with its program and its proof.

What is there and what is not, one of two things, where a thing is, how many there are, and of what color a thing is.
Of whatever has the answers yes and no, both are looked for, and either as many of both are asked or a coin decides.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from counterpoint.core.groups import Gold
from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import GroundedQuestion, Question, Step
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.language.english import any_of, be, is_countable, is_plural, one_or_bare, plural, question
from counterpoint.scenes.ambiguity import NOT_LISTED, absence_proof, can_be_listed
from counterpoint.scenes.attributes import attribute_class
from counterpoint.scenes.cooccurrence import SceneStatistics, survey_scenes
from counterpoint.scenes.names import can_be_asked, is_known, is_part
from counterpoint.scenes.programs import add_relation, add_step, join_programs, select_objects
from counterpoint.scenes.relations import can_be_placed, opposed_relation, relation_fact, side_of_picture
from counterpoint.scenes.views import SceneSampler
from counterpoint.suites.carets.relation_questions import relation_question
from counterpoint.suites.carets.templates import QuestionContent, word_question
from counterpoint.suites.suite import Rejection, Tally

PER_KIND = 2
"""The largest number of questions of each kind, and of each answer where both are asked."""
_TRIES = 6
_NOUN = re.compile(r"[a-z](?:[a-z' -]*[a-z])?")  # a category without digits, underscores and signs


class QuestionText(NamedTuple):
    """A question before it has an id: its words, its answer, its program and its proof."""

    text: str
    answer: str
    program: tuple[Step, ...]
    proof: str


TemplateWriter: TypeAlias = Callable[[SceneSampler, Random], Iterator[QuestionText | str]]
"""Writes the questions of one kind about a scene, or gives the reasons why there are fewer."""


def write_questions(scene: Scene, statistics: SceneStatistics, rng: Random) -> Iterator[Question | Rejection]:
    """The questions about a scene, by kind, and the reasons why there are not more."""
    view, texts = SceneSampler(scene, statistics), set[str]()
    for kind, writer in WRITERS.items():
        number = 0
        for made in [view.obstacle] if view.obstacle else writer(view, rng):
            if isinstance(made, str) or made.text in texts:
                yield Rejection(kind, made if isinstance(made, str) else "asked before")
                continue
            number += 1
            texts.add(made.text)
            yield Question(
                f"{scene.id}-{kind.replace(' ', '-')}-{number}",
                scene.picture,
                made.text,
                Gold.of(made.answer),
                kind,
                scene.id,
                program=made.program,
                proof=made.proof,
            )
        yield from (Rejection(kind, f"candidate rejected: {why}", n) for why, n in sorted(view.rejected.items()))
        view.rejected.clear()


def make_questions(scenes: Iterable[Scene], seed: int) -> tuple[list[GroundedQuestion], Tally]:
    """The questions about all scenes of a source, each with its scene, and what was made and rejected."""
    scenes, tally, made = list(scenes), Tally(), list[GroundedQuestion]()
    statistics = survey_scenes(scenes)
    for scene in scenes:
        for row in write_questions(scene, statistics, seeded_rng(seed, "scene questions", scene.id)):
            if isinstance(row, Rejection):
                tally.drop(row)
            else:
                tally.kept[row.kind, row.gold.best] += 1
                made.append(GroundedQuestion(row, scene))
    return made, tally


def _exist(view: SceneSampler, rng: Random) -> Iterator[QuestionText | str]:
    """Is there a dog?"""
    here, gone = present_names(view, rng), absent_names(view, rng)
    if not here or not gone:
        yield "nothing is surely there" if not here else "nothing plausible is surely absent"
    for present, absent in zip(here, gone, strict=False):
        for name, answer in ((present, "yes"), (absent, "no")):
            ids = [thing.id for thing in view.scene.named(name)]
            proof = _presence(view, name) if ids else absence_proof(name)
            program = add_step(select_objects(name, ids), "exist", "?")
            yield _text(f"{be(name)} there {any_of(name)}", answer, program, proof)


def _exist_or(view: SceneSampler, rng: Random) -> Iterator[QuestionText | str]:
    """Is there either a dog or a cat?"""
    here, gone = ([name for name in draw(view, rng) if _is_singular(name)] for draw in (present_names, absent_names))
    if not here or len(gone) < 2:
        yield "nothing is surely there" if not here else "no two plausible things are surely absent"
        return
    names, truth = (here[:1] + gone[:1], True) if rng.random() < 0.5 else (gone[:2], False)
    rng.shuffle(names)
    if not can_be_listed(*names):
        yield NOT_LISTED
        return
    ids = [[thing.id for thing in view.scene.named(name)] for name in names]
    first, second = (add_step(select_objects(name, own), "exist", "?") for name, own in zip(names, ids, strict=True))
    proof = "; ".join(
        _presence(view, name) if own else absence_proof(name) for name, own in zip(names, ids, strict=True)
    )
    text = f"is there either {one_or_bare(names[0])} or {one_or_bare(names[1])}"
    yield _text(text, "yes" if truth else "no", join_programs(first, second, "or"), proof)


def _exist_related(view: SceneSampler, rng: Random) -> Iterator[QuestionText | str]:
    """Is there a dog to the left of the car?"""
    for _ in range(PER_KIND):
        content = relation_question(view, rng)
        if isinstance(content, str):
            yield content
        else:
            text = word_question("{be} there {any} {z}", content)
            yield QuestionText(text, content.gold.best, _related_program(content), content.proof)


def _related_program(content: QuestionContent) -> tuple[Step, ...]:
    """The program of a question about a thing in a relation to "the" other, which its objects have last; else none."""
    tags, other = dict(content.tags), content.objects[-1] if content.objects else None
    if other is None or tags["attribute"] == "yes" or content.where != f"{tags['relation']} the {other.name}":
        return ()
    (name,) = content.options
    ids = [thing.id for thing in content.objects[:-1] if content.gold.best == "yes"]
    start = select_objects(other.name, [other.id])
    return add_step(add_relation(start, name, tags["relation"], "s", ids), "exist", "?")


def _verify_related(view: SceneSampler, rng: Random) -> Iterator[QuestionText | str]:
    """Is the dog to the left of the car?"""
    links = [link for links in view.links.values() for link in links if opposed_relation(link.name)]
    if not links:
        yield "no relations of place are annotated"
        return
    pairs, truth = set[frozenset[str]](), rng.random() < 0.5
    for link in rng.sample(links, len(links)):
        pair = frozenset((link.subject, link.object))
        if len(pairs) < PER_KIND and pair not in pairs and _names_two(view, link):
            pairs.add(pair)
            yield _relation_text(view.scene, link, truth)
            truth = not truth  # so that of two questions one has each answer
    if not pairs:
        yield "nothing that stands so can be referred to without doubt"


def _names_two(view: SceneSampler, link: Link) -> bool:
    """Whether "the X" and "the Y" refer to the two objects of a relation and to nothing else, and have a place."""
    things = [view.scene[own] for own in (link.subject, link.object)]
    has_place = can_be_placed(link.name, *(one.name for one in things))
    return has_place and all(can_be_asked(one.name) and view.singles_out(one, one.name) for one in things)


def _relation_text(scene: Scene, link: Link, truth: bool) -> QuestionText | str:
    subject, other = scene[link.subject], scene[link.object]
    relation = link.name if truth else opposed_relation(link.name)
    fact = relation_fact(scene, subject, relation, other)
    if fact is None or fact.holds is not truth:
        return "annotations and boxes contradict each other"
    program = select_objects(other.name, [other.id])
    program = add_step(program, "verify rel", f"{subject.name},{relation},s ({subject.id})")
    text = f"{be(subject.name)} the {subject.name} {relation} the {other.name}"
    return _text(text, "yes" if truth else "no", program, fact.proof)


def _query_side(view: SceneSampler, rng: Random) -> Iterator[QuestionText | str]:
    """On which side of the picture is the dog?"""
    return _about_one(
        view,
        rng,
        lambda thing: "" if is_part(thing.name) else side_of_picture(view.scene, thing),
        "on which side of the picture {be} the {name}",
        "hposition",
        "the box of {name} {id} lies in the {answer} half of the picture",
    )


def _query_color(view: SceneSampler, rng: Random) -> Iterator[QuestionText | str]:
    """What color is the dog?"""

    def color(thing: SceneObject) -> str:
        colors = [value for value in view.values(thing) if attribute_class(value) == "color"]
        return colors[0] if len(colors) == 1 else ""

    proof = "{name} {id} {be} annotated as {answer} and no other color"
    return _about_one(view, rng, color, "what color {be} the {name}", "color", proof)


def _about_one(
    view: SceneSampler,
    rng: Random,
    answer_of: Callable[[SceneObject], str],
    template: str,
    asked: str,
    proof: str,
) -> Iterator[QuestionText | str]:
    """Questions about the only object of a name that has an answer."""
    answers = {thing.id: answer for thing in view.scene if (answer := answer_of(thing))}
    if not answers:
        yield "nothing has a sure answer"
        return
    things = [view.scene[own] for own in rng.sample(sorted(answers), len(answers))]
    alone = [one for one in things if can_be_asked(one.name) and view.singles_out(one, one.name)]
    for thing in alone[:PER_KIND]:
        slots = {"name": thing.name, "id": thing.id, "be": be(thing.name), "answer": answers[thing.id]}
        program = add_step(select_objects(thing.name, [thing.id]), "query", asked)
        yield _text(template.format(**slots), answers[thing.id], program, proof.format(**slots))
    if not alone:
        yield "it cannot be referred to without doubt"


def _count(view: SceneSampler, rng: Random) -> Iterator[QuestionText | str]:
    """How many dogs are there?"""
    names = [name for name in view.names if _is_askable(view, name) and _is_singular(name)]
    doubts = {name: view.count_doubt(name) for name in names}
    view.rejected.update(filter(None, doubts.values()))
    sure = [name for name, doubt in doubts.items() if not doubt]
    for name in rng.sample(sure, min(PER_KIND, len(sure))):
        things = view.scene.named(name)
        proof = f"as many boxes are annotated as {name}: {', '.join(thing.id for thing in things)}"
        yield _count_text(name, [thing.id for thing in things], proof)
    gone = [name for name in absent_names(view, rng) if _is_singular(name)] if sure else []
    for name in gone[:1]:
        yield _count_text(name, [], absence_proof(name))
    if not sure:
        yield "nothing can be counted without doubt"


def _count_text(name: str, ids: Sequence[str], proof: str) -> QuestionText:
    program = add_step(select_objects(name, ids), "count", "?")
    return _text(f"how many {plural(name)} are there", str(len(ids)), program, proof)


def present_names(view: SceneSampler, rng: Random) -> list[str]:
    """Names of objects that are present, in random order, sooner what could often be denied in the source."""
    own = [name for name in view.names if name not in view.visible_names and _is_own(view, name)]
    visible = [name for name in own if any(map(view.scene.is_visible, view.scene.named(name)))]
    weights = {name: view.statistics.denial_share(name) for name in (*view.visible_names, *visible)}
    keys = {name: rng.random() ** (1 / weight) for name, weight in weights.items() if weight > 0}
    return sorted(keys, key=lambda name: -keys[name])[:PER_KIND]


def absent_names(view: SceneSampler, rng: Random) -> list[str]:
    """Names of objects that are absent: such as occur with those present, or else categories of the list."""
    companions = (view.statistics.companions(rng.choice(view.names)) for _ in range(_TRIES))
    names = dict.fromkeys(filter(None, (view.absent_from(words, rng) for words in companions)))
    if len(names) < PER_KIND:
        listed = sorted(name for name in view.scene.categories or () if _is_askable(view, name))
        names |= dict.fromkeys(name for name in rng.sample(listed, len(listed)) if not view.absence_doubt(name))
    return list(names)[:PER_KIND]


def _is_askable(view: SceneSampler, name: str) -> bool:
    return can_be_asked(name) or _is_own(view, name)


def _is_own(view: SceneSampler, name: str) -> bool:
    """Whether a name that no lexicon knows is a category, which boxes decide, and reads as a noun."""
    listed = view.scene.categories is not None and name in view.scene.categories
    return listed and not is_known(name) and bool(_NOUN.fullmatch(name)) and not view.naming_doubt(name)


def _is_singular(name: str) -> bool:
    return is_countable(name) and not is_plural(name)


def _presence(view: SceneSampler, name: str) -> str:
    return f"{name} {view.scene.named(name)[0].id} {be(name)} annotated"


def _text(text: str, answer: str, program: tuple[Step, ...], proof: str) -> QuestionText:
    return QuestionText(question(text), answer, program, proof)


WRITERS: Mapping[str, TemplateWriter] = MappingProxyType(
    {
        "exist": _exist,
        "exist or": _exist_or,
        "exist rel": _exist_related,
        "verify rel": _verify_related,
        "query side": _query_side,
        "query color": _query_color,
        "count": _count,
    }
)
"""The writer of each kind of question."""

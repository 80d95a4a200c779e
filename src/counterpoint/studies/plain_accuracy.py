"""What models get right on plain questions: no pairs, no perturbation, scenes that none of them has seen."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from counterpoint.core.groups import Mode, Query
from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import Question
from counterpoint.core.ports import Answerer, Model, Scorer
from counterpoint.metrics.intervals import Score, clustered_interval
from counterpoint.world.source import World

BATCH = 256


@dataclass(frozen=True, slots=True)
class PlainExam:
    """Questions of one manner with the scenes they are about, and captions each beside one of another picture."""

    questions: Sequence[Question]
    captions: Sequence[tuple[Query, Query]]

    @classmethod
    def of(cls, world: World) -> "PlainExam":
        """Every question of the world once, and the first caption of each picture."""
        questions = list(world.questions())
        crowd = [question for question in world.crowd_questions() if not question.same_as]
        first = list({caption.picture: caption for caption in reversed(list(world.captions()))}.values())
        rng = seeded_rng("random captions", world.seed, world.split, len(first))
        pairs = []
        for caption in first:
            other = rng.choice(first)
            if other.text != caption.text:
                pairs.append(
                    (
                        Query(caption.picture, caption.text, Mode.SCORE),
                        Query(caption.picture, other.text, Mode.SCORE),
                    )
                )
        return cls([*questions, *crowd], pairs)


@dataclass(frozen=True, slots=True)
class PlainReport:
    """What one model scored: overall, by manner, by kind of question, and in ranking captions, where it can."""

    model: str
    overall: Score | None = None
    manners: dict[str, Score] = field(default_factory=dict)
    kinds: dict[str, Score] = field(default_factory=dict)
    ranking: Score | None = None


def examine(
    name: str, model: Model, exam: PlainExam, watch: Callable[[Sequence[range]], Iterable[range]] = iter
) -> PlainReport:
    """Ask a model everything it is able to answer or to score."""
    report = PlainReport(name)
    if isinstance(model, Answerer):
        report = _answered(name, model, exam.questions, watch)
    if isinstance(model, Scorer):
        right = np.concatenate([model.score([right for right, _ in part]) for part in _parts(exam.captions)])
        wrong = np.concatenate([model.score([wrong for _, wrong in part]) for part in _parts(exam.captions)])
        ranking = clustered_interval(right > wrong, np.arange(len(exam.captions)))
        report = PlainReport(name, report.overall, report.manners, report.kinds, ranking)
    return report


def _parts(rows: Sequence[tuple[Query, Query]]) -> Iterator[Sequence[tuple[Query, Query]]]:
    return (rows[start : start + BATCH] for start in range(0, len(rows), BATCH))


def _answered(
    name: str, model: Answerer, questions: Sequence[Question], watch: Callable[[Sequence[range]], Iterable[range]]
) -> PlainReport:
    credit = np.zeros(len(questions))
    for part in watch([range(start, min(start + BATCH, len(questions))) for start in range(0, len(questions), BATCH)]):
        placed = model.answer([Query(questions[k].picture, questions[k].text) for k in part])
        assert not hasattr(placed, "__aiter__"), "the study asks models that answer at once"
        for place, answer in placed:
            credit[part[place]] = questions[part[place]].gold.credit(answer.value)
    scenes = np.array([question.scene for question in questions])
    manner = np.array(["VQA" if question.votes else "GQA" for question in questions])
    kinds = np.array([question.kind for question in questions])
    return PlainReport(
        name,
        clustered_interval(credit, scenes),
        {m: clustered_interval(credit[manner == m], scenes[manner == m]) for m in ("GQA", "VQA")},
        {k: clustered_interval(credit[kinds == k], scenes[kinds == k]) for k in sorted(set(kinds))},
    )

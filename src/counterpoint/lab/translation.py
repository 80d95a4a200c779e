"""Back-translations of a source's questions, as a file from which a suite is generated."""

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterpoint.core.errors import writing
from counterpoint.core.quantities import counted
from counterpoint.lab.progress import ProgressCallback, ignore_progress, track
from counterpoint.lab.results import LabResult
from counterpoint.lab.source_items import SourceRequest, load_source, read_questions
from counterpoint.models.text.translation import back_translate, open_translator
from counterpoint.reports.tables import ResultTable


@dataclass(frozen=True, slots=True, repr=False)
class BackTranslations(LabResult[dict[str, Any]]):
    """How many questions came back in other words, and why others were rejected."""

    out: Path
    questions: int
    rejected: Mapping[str, int]  # by reason

    @property
    def translated(self) -> int:
        """The number of questions in the file."""
        return self.questions - sum(self.rejected.values())

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        counts = {"questions": self.questions, "translated": self.translated}
        return {"out": str(self.out), **counts, "rejected": dict(self.rejected)}

    def records(self) -> list[dict[str, Any]]:
        """Rejected questions by reason."""
        return [{"reason": reason, "questions": count} for reason, count in self.rejected.items()]

    def tables(self) -> list[ResultTable]:
        """Rejected questions by reason."""
        rows = [(reason, f"{count:,}") for reason, count in self.rejected.items()]
        return [ResultTable("Rejected back-translations", ("reason", "questions"), rows)] if rows else []

    def notes(self) -> list[str]:
        """How many questions were written."""
        return [f"{self.translated:,} of {counted(self.questions, 'question', 'are')} reworded in {self.out}"]


def translate(
    out: Path | str,
    there: str,
    back: str,
    *,
    source: str = "world-vqa",
    data: Path | str | None = None,
    split: str = "test",
    items: int = 1000,
    seed: int = 0,
    progress: ProgressCallback = ignore_progress,
) -> BackTranslations:
    """Write back-translations of a source's questions that changed to a file, for `generate(texts=…)`.

    `there` translates from English and `back` to it: hf/NAME, or apertium/eng-spa. The columns are id and text. The
    turns of dialogues are questions too, with the id DIALOGUE-TURN.
    """
    forward, backward, out = open_translator(there), open_translator(back), Path(out)
    opened = load_source(SourceRequest(source, data, split, items, seed))
    texts = [(question.id, question.text) for question in read_questions(opened) if not question.same_as]
    rejected = Counter[str]()
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = out.with_name(f"{out.name}.part")  # renamed when it is complete
    try:
        with writing(out), draft.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(("id", "text"))
            writer.writerows(back_translate(track(texts, "translating", progress), forward, backward, rejected))
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)
    return BackTranslations(out, len(texts), dict(sorted(rejected.items())))

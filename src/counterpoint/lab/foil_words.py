"""Words by which captions and foils of a lab differ, and whether these give the foils away."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterpoint.lab.results import LabResult, to_plain
from counterpoint.lab.selection import load_groups
from counterpoint.reports.charts.bars import WordChart, WordFrequency
from counterpoint.reports.tables import ResultTable
from counterpoint.store.lab import LabStore
from counterpoint.store.outputs import write_whole
from counterpoint.studies.foil_words import ALL, SUBSETS, WordSides, foil_word_rows, foil_words, most_skewed_words

_TITLE = (
    "Changed words of captions and foils: Jensen–Shannon distance (base 2), "
    "0 where both sides have the same words equally often, 1 where they share none"
)
_VALID = "valid"


@dataclass(frozen=True, slots=True, repr=False)
class FoilWordReport(LabResult[dict[str, Any]]):
    """The changed words of each test, for all pairs and for those that annotators accept."""

    tests: Mapping[str, Mapping[str, WordSides]]  # by test and subset
    charts: tuple[Path, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"tests": to_plain(foil_word_rows(self.tests))}

    def records(self) -> list[dict[str, Any]]:
        """One row per test and subset."""
        return [
            {"test": test, "subset": subset, "pairs": words.pairs, "items": words.items, "divergence": words.divergence}
            for test, subsets in self.tests.items()
            for subset, words in subsets.items()
        ]

    def tables(self) -> list[ResultTable]:
        """One row per test; valid and unanimous pairs where the votes of annotators are known."""
        voted = [name for name in SUBSETS if name != ALL and any(name in subsets for subsets in self.tests.values())]
        distances = [f"{name} divergence" for name in voted]
        heads = ("test", "pairs", *voted, "lexical items", "divergence", *distances, "largest differences")
        rows = [
            (
                test,
                f"{subsets[ALL].pairs:,}",
                *(_share(subsets.get(name), subsets[ALL].pairs) for name in voted),
                f"{subsets[ALL].items:,}",
                *(_distance(subsets.get(name)) for name in (ALL, *voted)),
                ", ".join(
                    f"{word} {100 * gap:+.1f}" for word, gap in most_skewed_words(subsets[ALL], 3) if abs(gap) >= 5e-4
                )
                or "–",
            )
            for test, subsets in self.tests.items()
        ]
        return [ResultTable(_TITLE, heads, rows)]


def analyse_foil_words(lab: LabStore, suites: Sequence[str], out: Path | None, top: int) -> FoilWordReport:
    """Count the words that captions and foils differ by, and draw a chart of `top` words per test into a folder."""
    tests = foil_words(load_groups(lab, suites))
    return FoilWordReport(tests, () if out is None else tuple(_draw_charts(tests, out, top)))


def _draw_charts(tests: Mapping[str, Mapping[str, WordSides]], folder: Path, top: int) -> Iterator[Path]:
    """A chart for each test, with a panel for all pairs and one for the valid ones."""
    for test, subsets in tests.items():
        panels = {"": subsets[ALL]}
        if _VALID in subsets:
            panels = {"before validation": subsets[ALL], "after": subsets[_VALID]}
        rows = [
            WordFrequency(panel, side, word, counts[word] / max(counts.total(), 1), counts[word])
            for panel, words in panels.items()
            for word in subsets[ALL].commonest(top)
            for side, counts in (("captions", words.captions), ("foils", words.foils))
        ]
        if rows:
            path = folder / f"{test}.svg"
            after = f", {_distance(subsets[_VALID])} after validation" if _VALID in subsets else ""
            title = f"{test}: the words of captions and foils are {_distance(subsets[ALL])} apart{after}"
            write_whole(path, WordChart(title, tuple(rows)).svg())
            yield path


def _share(words: WordSides | None, of: int) -> str:
    return "–" if words is None else f"{words.pairs:,} ({100 * words.pairs / max(of, 1):.1f})"


def _distance(words: WordSides | None) -> str:
    return "–" if words is None or words.divergence != words.divergence else f"{words.divergence:.3f}"

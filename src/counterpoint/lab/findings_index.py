"""Findings for pages: searched once for the answers that are there, in a thread of their own where pages wait."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Lock, Thread

from counterpoint.core.errors import CounterpointError
from counterpoint.lab.findings import Finding, Findings, find_findings
from counterpoint.store.lab import LabModel
from counterpoint.store.outcomes.reader import OutcomeReader
from counterpoint.store.outcomes.selection import ranked_models

MODELS = 3
"""Models of a lab whose findings its first page and the head of its report tell."""


@dataclass(frozen=True, slots=True)
class SearchState:
    """The findings of a model, or why there are none; without either they are being searched."""

    version: str  # of the lab that was searched
    findings: Findings | None = None
    problem: str = ""

    @property
    def is_ready(self) -> bool:
        """Whether the search has ended."""
        return self.findings is not None or bool(self.problem)


@dataclass(frozen=True, slots=True)
class ToldFinding:
    """A finding with the model that it is about."""

    model: LabModel
    finding: Finding

    @property
    def words(self) -> str:
        """The finding after the name of the model."""
        return f"is {self.finding.sentence[:1].lower()}{self.finding.sentence[1:]}"


class FindingsIndex:
    """The findings of the models of a lab and of pairs of them; old ones stay until those of a new version are there.

    In the background, a search that was asked for goes on in a thread of its own, one at a time.
    """

    def __init__(self, reader: OutcomeReader, *, in_background: bool = False) -> None:
        self.in_background = in_background
        self._reader = reader
        self._states: dict[tuple[str, str], SearchState] = {}
        self._threads: dict[tuple[str, str], Thread] = {}
        self._lock, self._turn = Lock(), Lock()
        self._ended = 0

    @property
    def version(self) -> str:
        """A text that changes with every search that has ended."""
        return f" {self._ended}" if self._ended else ""

    def find(self, slug: str, against: str = "") -> SearchState:
        """Return the findings of a model, or what changed in it against another one, as far as they are known."""
        key, version = (slug, against), self._reader.refresh()
        names = [self._reader.model(name).fingerprint for name in key if name]
        with self._lock:
            state = self._states.get(key, SearchState(""))
            if state.version == version:
                return state
            if self.in_background:
                if key not in self._threads or not self._threads[key].is_alive():
                    self._threads[key] = Thread(target=self._search, args=(key, version, names), daemon=True)
                    self._threads[key].start()
                return state
        self._search(key, version, names)
        return self._states[key]

    def wait(self) -> None:
        """Wait until every search that was asked for has ended."""
        for thread in tuple(self._threads.values()):
            thread.join()

    def told(self, left_out: Sequence[str] = (), limit: int = 3) -> tuple[ToldFinding, ...]:
        """Return the first findings of the best models in turn, each slice once; `left_out` are slugs.

        There are none until all of these models are searched.
        """
        models = [slug for slug in ranked_models(self._reader) if slug not in left_out][:MODELS]
        states = {slug: self.find(slug) for slug in models}
        if not all(state.is_ready for state in states.values()):
            return ()
        found = {slug: state.findings.findings for slug, state in states.items() if state.findings}
        told: dict[object, ToldFinding] = {}
        for place in range(max(map(len, found.values()), default=0)):
            for slug, own in found.items():
                if place < len(own) and own[place].is_significant and len(told) < limit:
                    finding = own[place]
                    told.setdefault(finding.features, ToldFinding(self._reader.model(slug), finding))
        return tuple(told.values())

    def _search(self, key: tuple[str, str], version: str, names: Sequence[str]) -> None:
        model, *against = names
        with self._turn:
            try:
                found = find_findings(self._reader.lab, model, against="".join(against))
                kept = tuple(replace(own, groups=()) for own in found.findings)  # their ids would fill the memory
                state = SearchState(version, replace(found, findings=kept))
            except CounterpointError as problem:
                state = SearchState(version, problem=str(problem))
            except Exception as problem:  # of whatever library; a page that waits for it says so
                state = SearchState(version, problem=f"{type(problem).__name__}: {problem}")
        with self._lock:
            self._states[key] = state
            self._ended += 1

"""Making of the suites of an evaluation file that a lab does not have."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from counterpoint.core.grouping import group_pairs
from counterpoint.lab.evaluation.file import TomlFile
from counterpoint.lab.evaluation.settings import EvaluationSettings, SuiteSettings
from counterpoint.lab.evaluation.suite_states import SuitePresence, SuiteRecords, SuiteState
from counterpoint.lab.generated_suites import GeneratedSuite, GeneratedSuites
from counterpoint.lab.generation import OWN_GROUPS, suite_names
from counterpoint.lab.lab import Lab
from counterpoint.store.storage import join_address

_REPLACE = "eval --replace makes it anew, and keeps the answers to queries that stay; or give it another name"


class SuiteMaker:
    """Makes some suites of a file in its lab, and says of which the lab has others."""

    def __init__(self, file: TomlFile, settings: EvaluationSettings, suites: Sequence[SuiteSettings], lab: Lab) -> None:
        self._file, self._settings, self._suites, self._lab = file, settings, suites, lab
        self._records = SuiteRecords.of(lab.store, file.path.parent)

    def make(self, replace: bool) -> list[SuiteState]:
        """The suites, those made that were missing; with `replace`, also those that changed."""
        states = self.states(replace)
        for suite, own in self.generate(self._lab, states, replace):
            states[self._suites.index(suite)] = self._records.add(suite, own)
        return states

    def states(self, replace: bool) -> list[SuiteState]:
        """The state of each suite; one that was made otherwise is an error, unless it is replaced."""
        states = [self._records.state(suite) for suite in self._suites]
        for suite, state in zip(self._suites, states, strict=True):
            if state.presence is SuitePresence.CHANGED and not replace:
                fact = f"{self._lab.address} has {state.title} made otherwise: {'; '.join(state.changes)}"
                raise self._file.fault(("suites", self._settings.suites.index(suite)), fact, hint=_REPLACE)
        return states

    def generate(
        self, lab: Lab, states: Sequence[SuiteState], replace: bool
    ) -> Iterator[tuple[SuiteSettings, list[GeneratedSuite]]]:
        """Make the suites that are not there in a lab; those with equal settings by one pass over their source."""
        both = zip(self._suites, states, strict=True)
        due = [suite for suite, state in both if state.presence is not SuitePresence.THERE]
        for together in group_pairs((_pass_key(suite), suite) for suite in due).values():
            made = self._generate(lab, together, replace)
            for suite in together:
                names = suite_names(suite.suite, suite.name)
                yield suite, [own for own in made.suites if len(together) == 1 or own.name in names]

    def _generate(self, lab: Lab, suites: Sequence[SuiteSettings], replace: bool) -> GeneratedSuites:
        suite, folder = suites[0], self._file.path.parent
        how = suite.given("suite", "options")
        for key in {"data", "pictures", "texts"} & how.keys():
            how[key] = join_address(folder, how[key])
            if isinstance(how[key], Path) and not how[key].exists():
                place = ("suites", self._settings.suites.index(suite), key)
                raise self._file.fault(place, f"there is no {how[key]}", hint="paths are relative to this file")
        if isinstance(means := how.get("means"), str):
            how["means"] = folder / means
        return lab.generate(*(own.suite for own in suites), replace=replace, **how, **suite.options)


def _pass_key(suite: SuiteSettings) -> str:
    """What is equal where suites can be made together: all settings but the suite; a suite with a name is alone."""
    settings = suite.to_dict()
    return str({**settings, "suite": settings["suite"] if suite.name or suite.suite == OWN_GROUPS else ""})

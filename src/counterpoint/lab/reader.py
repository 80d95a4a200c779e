"""A lab as pages and reports read it: the outcome tables with the metrics, suites and costs of the catalog."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from counterpoint import catalog
from counterpoint.core.costs import TokenPrices, total_cost
from counterpoint.core.errors import CounterpointError
from counterpoint.core.grouping import group_pairs
from counterpoint.lab.chance_levels import RANKED, chance_levels
from counterpoint.lab.feature_index import FeatureIndex
from counterpoint.lab.findings_index import FindingsIndex
from counterpoint.lab.leaderboard import competitor, is_floor
from counterpoint.lab.model_costs import lab_costs
from counterpoint.lab.picture_locations import find_worlds, search_pictures
from counterpoint.metrics.leaderboard import Leaderboard, ModelCost, suites_leaderboard
from counterpoint.store.lab import LabStore
from counterpoint.store.outcomes.files import SMALL, BuildCallback, serve_worker
from counterpoint.store.outcomes.reader import OutcomeReader

WORKER = (sys.executable, "-P", "-m", "counterpoint.lab.reader")
"""The command that builds the tables of a large lab in a process of its own."""


FAMILIES: Mapping[str, str] = MappingProxyType(
    {
        "carets": "CARETS",
        "valse": "VALSE",
        "contrast": "Contrast sets",
        "rad": "RAD",
        "robustness": "Robustness",
        "bias": "Bias",
        "questions": "Questions",
    }
)
"""The family of the suites that a package makes."""

OWN = "Own"
"""The family of suites that were made elsewhere."""

COINCIDENCE = 3
"""Different values of models from which two metrics that are equal for each of them are no coincidence."""


class LabReader(OutcomeReader):
    """The outcome tables of a lab, scored by every metric of the catalog."""

    def __init__(
        self,
        lab: LabStore,
        cache: Path | None = None,
        progress: BuildCallback = lambda step: None,
        *,
        small: int = SMALL,
        background: bool = False,
    ) -> None:
        super().__init__(
            lab, catalog.metrics(), cache=cache, progress=progress, worker=WORKER, small=small, background=background
        )
        self.features: FeatureIndex | None = None  # where similar groups are looked for
        self.findings = FindingsIndex(self, in_background=background)

    def costs(self) -> Mapping[str, ModelCost]:
        """Return what each model costs, by its slug."""
        return self.cached(("costs",), self._costs)

    def token_prices(self) -> Mapping[str, TokenPrices]:
        """Return the prices of the models for which a table of prices was named, by slug."""
        return self.cached(("token prices",), self._token_prices)

    def suite_sentence(self, suite: str) -> str:
        """Return what a suite tests, in the words of its module, or nothing if that is not installed."""
        try:
            return str(catalog.find("suites", self.lab.manifest(suite).suite).tests)
        except (CounterpointError, AttributeError):
            return ""

    def missing_picture(self) -> str:
        """Return the address of a picture of a namespace whose first and last picture are not there, or nothing."""
        return self.cached(("missing picture",), self._missing_picture)

    def _missing_picture(self) -> str:
        ends = "unnest([min(picture), max(picture)]) AS picture"
        sql = f"SELECT {ends} FROM groups WHERE picture IS NOT NULL GROUP BY split_part(picture, ':', 1)"
        addresses = sorted({row["picture"] for row in self.database.rows(sql)})
        locations = search_pictures(self.lab.roots, addresses, find_worlds(self.lab, pa.table({"picture": addresses})))
        return next((f"{lost.namespace}:{lost.example}" for lost in locations if not lost.found and lost.missing), "")

    def family(self, suite: str) -> str:
        """Return the family of a suite: the paper or the purpose of the package that made it."""
        manifest = self.lab.manifest(suite)
        made = next((made for made in (manifest.suite, manifest.generator) if made in catalog.TABLES["suites"]), "")
        module = catalog.TABLES["suites"].get(made, "")
        return FAMILIES.get(module.removeprefix("counterpoint.suites.").partition(".")[0], OWN)

    def chance(self, suite: str, metric: str) -> float | None:
        """Return what a guess scores on a suite on average, where its queries have a known number of answers each."""
        levels = self.cached(("chance levels",), lambda: chance_levels(self.database)).get(suite, {})
        return (RANKED | levels).get(metric) if suite else None

    def baselines(self) -> frozenset[str]:
        """Return the slugs of the models that do not look, or do not think."""
        return self.cached(("baselines",), lambda: frozenset(self._baselines()))

    def _baselines(self) -> Iterator[str]:
        floors = {own.fingerprint for own in self.lab.versions() if is_floor(own)}
        return (model.slug for model in self.models() if model.fingerprint in floors)

    def displayed_metrics(self, suite: str, *, test: str = "") -> tuple[str, ...]:
        """Return the names of the few metrics that tables show; of those that coincide for all models, the first."""
        rows, shown = self.score_rows(), dict[tuple[Any, ...], str]()
        for name in super().displayed_metrics(suite, test=test):
            values = tuple(rows.get((suite, test, name, model.slug), {}).get("value") for model in self.models())
            differing = len({value for value in values if value is not None})
            shown.setdefault(values if differing >= COINCIDENCE else (name,), name)
        return tuple(shown.values())

    def leaderboard(self, suites: Sequence[str] = (), metrics: Sequence[str] = ()) -> Leaderboard:
        """Return the leaderboard of some suites by some metrics; without names, of all suites by those displayed."""
        key = ("leaderboard", tuple(suites), tuple(metrics))
        return self.cached(key, lambda: self._leaderboard(tuple(suites) or self.suites(), metrics))

    def _leaderboard(self, suites: Sequence[str], metrics: Sequence[str]) -> Leaderboard:
        versions = {version.fingerprint: version for version in self.lab.versions()}
        competitors = {
            model.name: competitor(versions[model.fingerprint], self.costs()[model.slug]) for model in self.models()
        }
        names = {model.slug: model.name for model in self.models()}
        tests = {suite: self.tests(suite) if len(suites) == 1 else () for suite in suites}
        places = [(suite, test) for suite in suites for test in ("", *(tests[suite] if len(tests[suite]) > 1 else ()))]
        shown = {place: self.displayed_metrics(place[0], test=place[1]) for place in places}
        board = suites_leaderboard(
            competitors,
            {(suite, test, metric, names[slug]): row for (suite, test, metric, slug), row in self.score_rows().items()},
            {(suite, test): self.contents(suite, test=test) for suite, test in places},
            self.metrics,
            ties={(suite, test, metric, names[slug]) for suite, test, metric, slug in self.all_ties()},
            chosen=metrics,
        )
        if metrics:
            return board
        columns = tuple(own for own in board.columns if own.metric.name in shown[own.suite, own.test])
        return replace(board, columns=columns)

    def _token_prices(self) -> dict[str, TokenPrices]:
        costs = group_pairs((run.fingerprint, run.cost) for run in self.lab.runs())
        prices = {model.slug: total_cost(costs.get(model.fingerprint, ())).prices for model in self.models()}
        return {slug: named for slug, named in prices.items() if named}

    def _costs(self) -> dict[str, ModelCost]:
        means = self.mean_seconds()
        slugs = {model.fingerprint: model.slug for model in self.models()}
        costs = lab_costs(self.lab, lambda fingerprint: means.get(slugs.get(fingerprint, "")))
        return {model.slug: costs[model.fingerprint] for model in self.models()}


if __name__ == "__main__":
    serve_worker(LabStore(sys.argv[1]), Path(sys.argv[2]), catalog.metrics(), sys.stdin, sys.stdout)

"""The registry of pages: one row per page."""

from counterpoint.explorer.group_filters import PARAMETERS
from counterpoint.explorer.page import PageEntry
from counterpoint.explorer.play.request import NUMBERS, TEXTS

PAGES: tuple[PageEntry, ...] = (
    PageEntry(
        "/overview",
        "counterpoint.explorer.pages.overview:overview_view",
        label="Overview",
        parameters=("suite", "metric", "sort", "open", "family", "pin", "versions", "slice"),
        static=("suite",),
    ),
    PageEntry(
        "/compare",
        "counterpoint.explorer.pages.compare:compare_view",
        label="Compare",
        parameters=("suite", "models", "add", "instead", "with", "first", "second", "page"),
        static=("models", "suite", "with"),
    ),
    PageEntry(
        "/browse",
        "counterpoint.explorer.pages.browse:browse_view",
        label="Browse",
        parameters=(*PARAMETERS, "page"),
    ),
    PageEntry("/suites", "counterpoint.explorer.pages.suites:suites_view", label="Suites"),
    PageEntry(
        "/history",
        "counterpoint.explorer.pages.history:history_view",
        label="History",
        parameters=("model", "suite", "metric", "before", "after"),
        chart="counterpoint.explorer.pages.history:history_chart",
        static=("model", "suite"),
    ),
    PageEntry(
        "/runs",
        "counterpoint.explorer.pages.runs:runs_view",
        label="Runs",
        parameters=("page",),
        static=None,
        live=True,
    ),
    PageEntry(
        "/review",
        "counterpoint.explorer.pages.review:ReviewProgressView",
        label="Review",
        static=None,
        routes="counterpoint.explorer.pages.review.routes:PROGRESS",
    ),
    PageEntry(
        "/agreement",
        "counterpoint.explorer.pages.agreement:agreement_view",
        section="Compare",
        parameters=("suite",),
        static=("suite",),
    ),
    PageEntry(
        "/play",
        "counterpoint.explorer.play.view:PlayView",
        label="Try a model",
        parameters=(*TEXTS, *NUMBERS),
        static=None,
        routes="counterpoint.explorer.play.routes:ROUTES",
        needs_models=True,
    ),
    PageEntry(
        "/models/{model}",
        "counterpoint.explorer.pages.model:model_view",
        section="Overview",
        parameters=("suite", "metric", "against", "chart"),
        chart="counterpoint.explorer.pages.model:model_chart",
        static=("suite",),
    ),
    PageEntry("/models/{model}/findings", "counterpoint.explorer.pages.findings:findings_view", section="Overview"),
    PageEntry(
        "/models/{model}/findings/{against}",
        "counterpoint.explorer.pages.findings:findings_view",
        section="Compare",
        static=None,
    ),
    PageEntry(
        "/suites/{suite}",
        "counterpoint.explorer.pages.suite:suite_view",
        section="Suites",
        chart="counterpoint.explorer.pages.suite:suite_chart",
    ),
    PageEntry(
        "/suites/{suite}/models/{model}",
        "counterpoint.explorer.pages.suite_results:suite_results_view",
        section="Overview",
        parameters=("test", "kind", "verdict", "page"),
        chart="counterpoint.explorer.pages.suite_results:suite_results_chart",
    ),
    PageEntry(
        "/suites/{suite}/groups/{group}",
        "counterpoint.explorer.pages.group:group_view",
        section="Browse",
        parameters=PARAMETERS,
    ),
    PageEntry(
        "/suites/{suite}/groups/{group}/similar",
        "counterpoint.explorer.pages.similar:similar_view",
        section="Browse",
        static=None,
    ),
    PageEntry(
        "/suites/{suite}/map",
        "counterpoint.explorer.pages.picture_map:picture_map_view",
        section="Suites",
        parameters=("model",),
        static=None,
    ),
    PageEntry("/samples/{query}", "counterpoint.explorer.pages.sample:sample_view", section="Browse", static=None),
)
"""The pages; those with a label are in the navigation, in this order."""

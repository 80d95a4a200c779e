"""The pages of one model and of one suite, with their twins and charts."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from counterpoint.explorer.pages.model import model_chart, model_view
from counterpoint.explorer.pages.suites import suite_chart, suite_view, suites_view
from counterpoint.explorer.responses import chart, has_ending, page

ENDINGS = (".svg", ".json", "")


async def model_page(request: Request) -> Response:
    """GET /models/MODEL, with the endings of a chart and of a twin: all measures of one model."""
    slug, query = request.path_params["model"], dict(request.query_params)
    if has_ending(request, ".svg"):
        return await chart(request, lambda reader: model_chart(reader, slug, query))
    return await page(request, "model.html", lambda reader: model_view(reader, slug, query))


async def contents_page(request: Request) -> Response:
    """GET /suites/SUITE, with the same endings: what one suite contains."""
    suite = request.path_params["suite"]
    if has_ending(request, ".svg"):
        return await chart(request, lambda reader: suite_chart(reader, suite))
    return await page(request, "suite_page.html", lambda reader: suite_view(reader, suite))


async def suites_page(request: Request) -> Response:
    """GET /suites and its twin: all suites of the lab."""
    return await page(request, "suites.html", suites_view)


ROUTES = (
    *(Route(f"/models/{{model}}{ending}", model_page) for ending in ENDINGS),
    *(Route(f"/suites{ending}", suites_page) for ending in (".json", "")),
    *(Route(f"/suites/{{suite}}{ending}", contents_page) for ending in ENDINGS),
)
"""Where these pages are."""

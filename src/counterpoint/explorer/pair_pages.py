"""The pages of one sample and of several models side by side, with their twins."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from counterpoint.explorer.pages.compare import compare_view
from counterpoint.explorer.pages.sample import sample_view
from counterpoint.explorer.responses import page, parse_id


async def sample_page(request: Request) -> Response:
    """GET /samples/QUERY and its twin: one query, and everything that was asked around it."""
    query_id = parse_id(request.path_params["query"])
    return await page(request, "sample.html", lambda reader: sample_view(reader, query_id))


async def compare_page(request: Request) -> Response:
    """GET /compare?models=A,B&suite=SUITE and its twin: two to five models side by side."""
    query, models = dict(request.query_params), request.query_params.getlist("models")
    return await page(request, "compare.html", lambda reader: compare_view(reader, query, models))


ROUTES = (
    *(Route(f"/samples/{{query}}{ending}", sample_page) for ending in (".json", "")),
    *(Route(f"/compare{ending}", compare_page) for ending in (".json", "")),
)
"""Where these pages are."""

"""Slices of Browse by name: those that were saved, and the form that saves the filter of the page."""

from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from counterpoint.explorer.group_filters import LONGEST_PARAMETER, browse_address, filter_parameters
from counterpoint.explorer.request_bodies import read_form
from counterpoint.explorer.views import LinkChoice
from counterpoint.lab.reader import LabReader
from counterpoint.lab.saved_slices import list_slices, save_slice
from counterpoint.store.outcomes.selection import GroupFilter
from counterpoint.store.slices import FIELDS


def slice_fields(chosen: GroupFilter) -> dict[str, str]:
    """Return what a filter says about groups, or nothing where it says nothing, which is no slice."""
    return {name: value for name, value in filter_parameters(chosen).items() if name in FIELDS}


def slice_links(reader: LabReader, chosen: GroupFilter) -> tuple[LinkChoice, ...]:
    """Return the saved slices, each with its list for the chosen model."""
    saved = reader.cached(("slices",), lambda: list_slices(reader.lab))
    own = slice_fields(chosen)
    return tuple(
        LinkChoice(slice_.name, browse_address(GroupFilter(chosen.model, **slice_.filter)), slice_.filter == own)
        for slice_ in saved
    )


async def save(request: Request) -> Response:
    """POST /browse/slices: save the filter of a page under a name, and show the list of the slice."""
    state = request.app.state
    state.keys.check_origin(request)
    given = await read_form(request, partial(state.keys.check, request))
    texts = {name: value for name in FIELDS if isinstance(value := given.get(name), str)}
    fields: dict[str, Any] = {name: text[:LONGEST_PARAMETER] for name, text in texts.items()}
    name = str(given.get("name", ""))
    saved = await run_in_threadpool(save_slice, state.reader.lab, name, fields)
    return RedirectResponse(browse_address(GroupFilter(**dict(saved.filter))), 303)


ROUTES = (Route("/browse/slices", save, methods=["POST"]),)

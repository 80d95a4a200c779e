"""Notes on the page of a group: those that were written, and the form that adds one."""

from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from counterpoint.explorer.group_filters import group_address
from counterpoint.explorer.request_bodies import read_form
from counterpoint.lab.group_notes import GroupNote, add_note, list_notes
from counterpoint.lab.reader import LabReader
from counterpoint.store.votes import votes_version


def group_notes(reader: LabReader, suite: str, group: str) -> tuple[GroupNote, ...]:
    """Return the notes on a group, by time."""
    key = ("notes", votes_version(reader.lab.storage))
    notes = reader.cached(key, lambda: list_notes(reader.lab))
    return tuple(note for note in notes if (note.suite, note.group) == (suite, group))


async def write(request: Request) -> Response:
    """POST /suites/SUITE/groups/GROUP/notes: write a note on a group, and show the group."""
    state = request.app.state
    state.keys.check_origin(request)
    given = await read_form(request, partial(state.keys.check, request))
    suite, group = request.path_params["suite"], request.path_params["group"]
    await run_in_threadpool(add_note, state.reader.lab, suite, group, str(given.get("note", "")))
    return RedirectResponse(group_address(suite, group), 303)


ROUTES = (Route("/suites/{suite}/groups/{group}/notes", write, methods=["POST"]),)

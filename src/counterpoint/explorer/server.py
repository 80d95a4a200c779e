"""The pages of a lab on a socket, until it is interrupted, or as files that need no server."""

import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from shutil import rmtree
from socket import AF_INET, AF_INET6, IPPROTO_TCP, TCP_NODELAY, create_server, socket
from tempfile import TemporaryDirectory

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, StoreError
from counterpoint.core.ports import Model, Pictures
from counterpoint.explorer.app import LOOPBACK, create_app
from counterpoint.explorer.site.export import SiteProgress, SiteSelection
from counterpoint.explorer.site.export import export_site as write_site
from counterpoint.lab.evaluation.report import EvaluationReport
from counterpoint.lab.feature_index import ENCODER
from counterpoint.lab.lab import Lab
from counterpoint.lab.name_lists import name_list
from counterpoint.lab.picture_locations import lab_worlds
from counterpoint.lab.progress import ProgressEvent, logger
from counterpoint.store.outputs import output_path

SITE_MARK = ".counterpoint-site"
"""Marks a folder of pages that an evaluation wrote, and may write anew."""
COLLECT_OFTEN = (10_000, 10, 10)
"""Thresholds of the garbage collector in a server, which unlike other commands has no end at which memory goes."""


def serve(
    lab: Lab,
    *,
    host: str = "127.0.0.1",
    port: int = 8400,
    token: str = "",
    models: Sequence[tuple[str, Mapping[str, str]]] = (),
    page: str = "/overview",
    encoder: str = ENCODER,
    started: Callable[[str], None] = logger.info,
) -> None:
    """Serve the pages of a lab until interrupted; `started` is called with the address of the first `page`.

    Whoever listens beyond loopback needs a `token`, which visitors log in with. `models` are references with settings,
    for the page on which visitors try a model; `encoder` is the one whose features tell which groups are similar.
    """
    import uvicorn

    from counterpoint.explorer.connections import HttpConnection

    store = lab.store.opened()
    if host not in LOOPBACK and not token:
        hint = "give others a token to log in with: --token-file, or the variable COUNTERPOINT_TOKEN"
        raise CounterpointError(f"everybody who reaches {host} could read {store.address}", hint=hint)
    app = create_app(
        store,
        host=host,
        extra=lab_worlds(store),
        progress=lambda step: logger.info("%s …", step),
        models=partial(load_models, models),
        password=token,
        encoder=encoder,
    )
    if host not in LOOPBACK:
        logger.warning("everybody who can reach %s and has the token can read %s", host, store.address)
    with _listen(host, port) as listening:
        name = f"[{host}]" if ":" in host else host
        started(f"http://{name}:{listening.getsockname()[1]}{page}")
        gc.set_threshold(*COLLECT_OFTEN)
        with suppress(CounterpointError):  # pages say what is wrong; tables are built from now on
            app.state.reader.refresh()
        uvicorn.Server(uvicorn.Config(app, http=HttpConnection, log_level="warning")).run(sockets=[listening])


def export_site(
    lab: Lab, out: Path | str, *, suites: Sequence[str] = (), models: Sequence[str] = (), limit: int = 100
) -> SiteProgress:
    """Write the pages of a lab to a folder; the first `limit` groups of each suite have a page of their own."""
    store = lab.store.opened()
    with output_path(out) as folder:
        return write_site(
            store,
            folder,
            SiteSelection(name_list(suites), name_list(models), limit),
            extra=lab_worlds(store),
            report=lambda written: lab.progress(
                ProgressEvent("writing pages", written.pages, written.pages + written.waiting)
            ),
            progress=lambda step: logger.info("%s …", step),
        )


def write_site_output(report: EvaluationReport, lab: Lab, path: Path) -> None:
    """The pages of the lab as a folder of files that open without a server."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=path.parent, prefix=".site-") as folder:
        draft = Path(folder) / path.name
        export_site(lab, draft)
        (draft / SITE_MARK).write_text("written by counterpoint eval, which replaces this folder\n", "utf-8")
        if (path / SITE_MARK).is_file():  # nothing else is ever removed
            rmtree(path)
        elif path.exists() and any(path.iterdir()):
            raise StoreError(f"{path} is not empty", hint="name a new folder for the site")
        draft.replace(path)


def load_models(models: Sequence[tuple[str, Mapping[str, str]]], pictures: Pictures) -> list[tuple[str, Model]]:
    """The models that can be tried, each under its reference, loaded one after the other."""
    loaded = []
    for name, settings in models:
        logger.info("loading %s …", name)
        loaded.append((name, catalog.model(name, pictures, settings)))
    return loaded


def _listen(host: str, port: int) -> socket:
    try:
        listening = create_server((host, port), family=AF_INET6 if ":" in host else AF_INET)
    except OSError as problem:
        hint = "another program may listen there; --port takes another, --port 0 any free one"
        raise CounterpointError(f"port {port} of {host} cannot be used: {problem.strerror}", hint=hint) from problem
    listening.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)  # or the end of a page waits 40 ms for an acknowledgement
    return listening

"""`counterpoint serve`: a lab in the browser."""

import gc
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from socket import AF_INET, AF_INET6, IPPROTO_TCP, TCP_NODELAY, create_server, socket
from typing import TYPE_CHECKING

import click

from counterpoint.core.errors import CounterpointError

if TYPE_CHECKING:
    from counterpoint.core.ports import Model, Pictures
    from counterpoint.store.lab import LabStore
    from counterpoint.world.source import World

TOKEN = "COUNTERPOINT_TOKEN"
"""The variable that holds the token, so that no list of processes shows it."""

OFTEN = (10_000, 10, 10)
"""When garbage is looked for: a server has no end at which it would go, unlike other commands."""


@click.command("serve")
@click.argument("lab", type=click.Path(file_okay=False, path_type=Path))
@click.option("--port", default=8400, show_default=True, type=click.IntRange(0, 65535), help="0 takes any free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; others can reach any but this.")
@click.option("--token", envvar=TOKEN, metavar="TEXT", help=f"What visitors log in with; else ${TOKEN}.")
@click.option("--model", "models", multiple=True, metavar="NAME", help="A model to play with; may be given again.")
@click.option(
    "--model-args", "args", multiple=True, metavar="K=V,…", help="Its settings: one for each --model, in turn."
)
@click.option("--open", "opens", is_flag=True, help="Open the leaderboard in the browser.")
def command(
    lab: Path, port: int, host: str, token: str | None, models: tuple[str, ...], args: tuple[str, ...], opens: bool
) -> None:
    """Show the LAB in the browser: leaderboard, suites, groups. It only reads; Ctrl-C ends it.

    With --model, visitors can play with that model: change a picture or a question, and see what it answers. Whoever
    listens for others, by --host, needs a --token, which they are asked for.
    """
    import uvicorn  # loaded when it is needed, as is all that follows

    from counterpoint.explorer.app import LOOPBACK, create_app
    from counterpoint.store.lab import LabStore

    opened = LabStore(lab).opened()
    if host not in LOOPBACK and not token:
        hint = f"give others a token to log in with: --token, or the variable {TOKEN}"
        raise CounterpointError(f"whoever reaches {host} could read {lab}", hint=hint)
    app = create_app(
        opened,
        host=host,
        extra=drawn(opened),
        progress=lambda line: click.echo(f"{line} …", err=True),
        models=partial(loaded, models, args),
        password=token or "",
    )
    if host not in LOOPBACK:
        click.echo(f"everybody who can reach {host} and has the token can read {lab}", err=True)
    listening = _listening(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/overview"
    click.echo(f"{lab} is at {address}")
    if opens:
        click.launch(address)
    gc.set_threshold(*OFTEN)
    with listening:
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


def loaded(names: Sequence[str], args: Sequence[str], pictures: "Pictures") -> "list[tuple[str, Model]]":
    """The models that can be played with, loaded one after the other."""
    from counterpoint import catalog
    from counterpoint.models.settings import parse_settings

    if args and len(args) != len(names):
        hint = "the first belongs to the first model, and so on; an empty one changes nothing"
        raise CounterpointError(f"there are {len(names)} --model and {len(args)} --model-args", hint=hint)
    settings = [parse_settings(line) for line in args] or [{} for _ in names]
    found = []
    for name, own in zip(names, settings, strict=True):
        click.echo(f"loading {name} …", err=True)
        found.append((name, catalog.model(name, pictures, own)))
    return found


def _listening(host: str, port: int) -> socket:
    try:
        made = create_server((host, port), family=AF_INET6 if ":" in host else AF_INET)
    except OSError as problem:
        hint = "another program may listen there; --port takes another, --port 0 any free one"
        raise CounterpointError(f"port {port} of {host} cannot be used: {problem.strerror}", hint=hint) from problem
    made.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)  # or the end of a page waits 40 ms for a confirmation
    return made


def drawn(lab: "LabStore") -> "dict[str, World]":
    """The worlds that the suites of a lab show, by namespace, unless the lab has files of that name."""
    from counterpoint.lab.worlds import find_worlds
    from counterpoint.store.parquet import read_parquet

    tables = (
        read_parquet(lab.storage, f"suites/{name}/groups.parquet", "groups", ["picture"], ["picture"])
        for name in lab.suites()
    )
    shown = map(find_worlds, tables)
    return {name: world for found in shown for name, world in found.items() if name not in lab.roots}

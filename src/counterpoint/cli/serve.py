"""`counterpoint serve`: a lab in the browser."""

from pathlib import Path

import click

from counterpoint.core.errors import CounterpointError


@click.command("serve")
@click.argument("lab", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--port", default=8400, show_default=True, type=click.IntRange(0, 65535), help="0 takes any free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; others can reach any but this.")
@click.option("--open", "opens", is_flag=True, help="Open the leaderboard in the browser.")
def command(lab: Path, port: int, host: str, opens: bool) -> None:
    """Show the LAB in the browser: leaderboard, suites, groups. It only reads; Ctrl-C ends it."""
    import uvicorn  # loaded when it is needed, as is all that follows

    from counterpoint.cli.worlds import worlds
    from counterpoint.explorer.app import LOOPBACK, explorer
    from counterpoint.store.lab import Lab

    opened = Lab(lab).opened()
    drawn = worlds(opened.suite(name).table for name in opened.suites())
    extra = {name: world for name, world in drawn.items() if name not in opened.roots}
    app = explorer(opened, host=host, extra=extra)
    if host not in LOOPBACK:
        click.echo(f"everybody who can reach {host} can read {lab}", err=True)
    config = uvicorn.Config(app, host=host, port=port, log_level="warning")
    try:
        listening = config.bind_socket()
    except SystemExit:
        hint = "another program listens there; --port takes another, --port 0 any free one"
        raise CounterpointError(f"port {port} of {host} cannot be used", hint=hint) from None
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}/leaderboard"
    click.echo(f"{lab} is at {address}")
    if opens:
        click.launch(address)
    uvicorn.Server(config).run(sockets=[listening])

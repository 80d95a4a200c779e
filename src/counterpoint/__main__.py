"""`counterpoint`, and `python -m counterpoint`, which is the same."""

import os
import sys
from contextlib import suppress


def main() -> None:
    """Run a command; Ctrl-C ends it without a traceback even while the commands are being imported."""
    try:
        from counterpoint.cli.main import main as run_command

        run_command()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(130)


if __name__ == "__main__":  # processes that a run starts import this module under another name
    with suppress(FileNotFoundError):  # of a working directory that was deleted
        if sys.path[0] in ("", os.getcwd()):
            del sys.path[0]  # where -m puts the working directory: modules that lie there are not to be imported
    main()

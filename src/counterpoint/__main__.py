"""`python -m counterpoint` is `counterpoint`."""

import os
import sys
from contextlib import suppress

if __name__ == "__main__":  # processes that a run starts import this module under another name
    with suppress(FileNotFoundError):  # of a working directory that was deleted
        if sys.path[0] in ("", os.getcwd()):
            del sys.path[0]  # where -m puts the working directory: modules that lie there are not to be imported
    from counterpoint.cli.main import main

    main()

"""`python -m counterpoint` is `counterpoint`."""

from counterpoint.cli.main import main

if __name__ == "__main__":  # processes that a run starts import this module under another name
    main()

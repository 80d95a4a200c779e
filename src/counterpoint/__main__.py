"""`python -m counterpoint` is `counterpoint`."""

from counterpoint.cli.main import main

main()

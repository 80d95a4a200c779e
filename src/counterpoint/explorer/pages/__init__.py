"""The pages, each a package with its view and its template; `registry.py` has a row for each."""

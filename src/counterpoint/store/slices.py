"""Named slices at rest: each is a small document with the filter that its groups have to fit."""

from counterpoint.core.errors import StoreError, shorten
from counterpoint.store.documents import read_object
from counterpoint.store.storage import Storage

FOLDER = "slices/"
"""Where the documents are."""
FIELDS = ("suite", "test", "kind", "relation", "gold", "tag", "text")
"""What a slice may say: what groups are, and never what a model answered."""


def read_filter(storage: Storage, file: str) -> dict[str, str]:
    """The filter of a slice; a StoreError where the document is none."""
    given = read_object(storage, file).get("filter")
    if not isinstance(given, dict) or not given.keys() <= {*FIELDS}:  # less than it says would be another slice
        fact = f"{storage.describe(file)} holds no slice: its filter is {shorten(repr(given))}"
        raise StoreError(fact, hint=f"it has some of {', '.join(FIELDS)}; save the slice again")
    return {field: str(value) for field, value in given.items()}

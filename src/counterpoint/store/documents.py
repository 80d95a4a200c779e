"""Small JSON files: manifests, runs, and the marker of a lab."""

import json
from collections.abc import Mapping
from typing import Any

from counterpoint.core.errors import StoreError
from counterpoint.store.folder import Shelf


def read_object(shelf: Shelf, name: str) -> dict[str, Any]:
    """A JSON object in a file."""
    try:
        content = json.loads(shelf.get(name))
    except ValueError as problem:
        fact = f"{shelf.path(name)} cannot be read as JSON: {problem}"
        raise StoreError(fact, hint="restore the file from a copy, or make it anew") from problem
    if not isinstance(content, dict):
        raise StoreError(f"{shelf.path(name)} holds no JSON object", hint="restore the file from a copy")
    return content


def put_object(shelf: Shelf, name: str, content: Mapping[str, Any]) -> None:
    """Write a JSON object, indented, for people to read."""
    text = json.dumps(content, ensure_ascii=False, indent=2)
    shelf.put(name, f"{text}\n".encode("utf-8", "backslashreplace"))

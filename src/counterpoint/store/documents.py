"""Small JSON files: manifests, runs, and the marker of a lab."""

import json
from collections.abc import Mapping
from typing import Any

from counterpoint.core.errors import StoreError
from counterpoint.store.folder import StorageFolder


def read_object(storage: StorageFolder, name: str) -> dict[str, Any]:
    """A JSON object in a file."""
    try:
        content = json.loads(storage.get(name))
    except ValueError as problem:
        fact = f"{storage.path(name)} cannot be read as JSON: {problem}"
        raise StoreError(fact, hint="restore the file from a copy, or make it anew") from problem
    if not isinstance(content, dict):
        raise StoreError(f"{storage.path(name)} holds no JSON object", hint="restore the file from a copy")
    return content


def put_object(storage: StorageFolder, name: str, content: Mapping[str, Any]) -> None:
    """Write a JSON object, indented, for people to read."""
    text = json.dumps(content, ensure_ascii=False, indent=2)
    storage.put(name, f"{text}\n".encode("utf-8", "backslashreplace"))

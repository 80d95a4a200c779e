"""Values on their way from one process to another: their arrays in a file that both map, the rest as a few bytes.

A pipe would copy large arrays three times, by the process that is waited for; the memory that processes can share is
short in many containers. The file is gone as soon as it is mapped, so it hardly ever reaches a disk.
"""

import mmap
import pickle
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

ALIGNMENT = 64
"""Arrays begin at multiples of so many bytes, as processors like it."""


@dataclass(frozen=True, slots=True)
class MappedValue:
    """What travels: the value without its arrays, the file that holds these, and where each of them lies in it."""

    content: bytes
    file: str = ""
    spans: tuple[tuple[int, int], ...] = ()


def write_mapped(value: object, folder: str) -> MappedValue:
    """A value made ready to travel; its arrays are written to a new file in a folder."""
    buffers: list[pickle.PickleBuffer] = []
    content = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    if not buffers:
        return MappedValue(content)
    file, spans, end = Path(folder) / uuid4().hex, [], 0
    with file.open("wb") as out:
        for view in (buffer.raw() for buffer in buffers):
            out.write(bytes(-end % ALIGNMENT))
            start = end + -end % ALIGNMENT
            end = start + view.nbytes
            out.write(view)
            spans.append((start, end))
    return MappedValue(content, str(file), tuple(spans))


def read_mapped(parcel: MappedValue) -> Any:
    """The value; its arrays lie in the file, which can be found no more."""
    if not parcel.file:
        return pickle.loads(parcel.content)
    with open(parcel.file, "rb") as file:
        held = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) if parcel.spans[-1][1] else b"")
    with suppress(OSError):
        Path(parcel.file).unlink()
    return pickle.loads(parcel.content, buffers=[held[start:end] for start, end in parcel.spans])

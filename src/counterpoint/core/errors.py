"""The errors we raise on purpose.

CounterpointError
├── SourceError   an annotation file is not what it claims to be
├── PictureError  a picture cannot be found or decoded
├── ModelError    a model could not answer, or answered out of shape
│   ├── BudgetExhausted   the budget is used up; the run stops and keeps its answers
│   └── ModelUnreachable  the server is down or denies access; the run stops and keeps its answers
├── StoreError    what is on disk is not what was asked for
└── UnknownName   nothing in the catalog, the lexicon or the world has this name
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches


def shorten(text: str, most: int = 40) -> str:
    """A text for a message or a table, with an ellipsis where it has more than `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


class CounterpointError(Exception):
    """One sentence of fact, and a hint: one sentence of help that the command line prints below it."""

    def __init__(self, fact: str, *, hint: str = "") -> None:
        super().__init__(fact)
        self.hint = hint


class SourceError(CounterpointError):
    """An annotation file is not what it claims to be."""


class PictureError(CounterpointError):
    """A picture cannot be found or decoded."""


class ModelError(CounterpointError):
    """A model could not answer, or answered out of shape."""


class BudgetExhausted(ModelError):  # noqa: N818 - it reads as what it says
    """The budget is used up; queries that were not sent are not failures, and the next run sends them."""


class ModelUnreachable(ModelError):  # noqa: N818 - it reads as what it says
    """The server is down or denies access, so that every further query would fail in the same way."""


class StoreError(CounterpointError):
    """What is on disk is not what was asked for."""


def write_error(path: object, problem: OSError) -> StoreError:
    """The error that a file beside a lab cannot be written."""
    hint = "check the rights and the free space of its folder; the lab is whole"
    return StoreError(f"{problem.filename or path} cannot be written: {problem.strerror or problem}", hint=hint)


@contextmanager
def writing(path: object) -> Iterator[None]:
    """Raise what the operating system says of a file beside a lab as the error that it cannot be written."""
    try:
        yield
    except OSError as problem:
        raise write_error(path, problem) from problem


class UnknownName(CounterpointError):  # noqa: N818 - it reads as the sentence it is
    """Nothing has this name; the hint offers the nearest known names."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = get_close_matches(str(name), names, n=3)
        self.what, self.near = what, tuple(near)
        listed = ", ".join(names[:8]) + "…" * (len(names) > 8)
        super().__init__(
            f"no {what} is called {name!r}",
            hint=f"did you mean {' or '.join(near)}?" if near else f"there are {listed or 'none'}",
        )
        self.name = name
        self._arguments = (what, name, names)

    def __reduce__(self) -> tuple[type["UnknownName"], tuple[str, str, list[str]]]:
        return UnknownName, self._arguments  # so that it can be pickled

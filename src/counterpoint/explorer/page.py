"""What a page is: the request it answers, the values every view has, and its row in the registry."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, get_type_hints


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The parameters of an address: those of its path, and those of its query in their order."""

    path: Mapping[str, str]
    query: tuple[tuple[str, str], ...] = ()

    @property
    def values(self) -> dict[str, str]:
        """The query parameters; of one that is given several times the last value."""
        return dict(self.query)

    def all(self, name: str) -> list[str]:
        """Return every value of a query parameter."""
        return [value for given, value in self.query if given == name]


@dataclass(frozen=True, slots=True)
class PageView:
    """What every page shows: its title, its sentence, the address of its JSON twin, and its neighbours."""

    title: str
    sentence: str
    twin: str
    before: str = ""
    after: str = ""
    above: str = ""


@dataclass(frozen=True, slots=True)
class PageEntry:
    """One page of the registry: routes, navigation, OpenAPI document and static site follow from it.

    `view` and `chart` name functions as `module:function`; both take a LabReader and a PageRequest. The template is the
    file `template.html` beside the module of the view, the JSON twin has the fields of the view, and its schema is that
    of the type the function returns.
    """

    path: str
    view: str
    label: str = ""  # in the navigation
    section: str = ""  # the label of the page in the navigation that this one belongs to
    parameters: tuple[str, ...] = ()  # of the query
    chart: str = ""  # drawn at the path with the ending .svg
    static: tuple[str, ...] | None = ()  # parameters that tell files of the static site apart; None: it has no files
    routes: str = ""  # the routes of a page that answers requests itself, as `module:object`
    needs_models: bool = False  # shown only where models are loaded
    live: bool = False  # rendered for every request, as it follows what tables do not tell

    @property
    def module(self) -> str:
        """The module of the view."""
        return self.view.partition(":")[0]

    @property
    def template(self) -> str:
        """The name of the template."""
        return f"{self.module}/template.html"

    @property
    def view_type(self) -> Any:
        """The type of the view."""
        view = load(self.view)
        return view if isinstance(view, type) else get_type_hints(view)["return"]

    @property
    def summary(self) -> str:
        """The first line of the view's docstring."""
        return (load(self.view).__doc__ or self.path).strip().partition("\n")[0]


@dataclass(frozen=True, slots=True)
class ListPage:
    """A page of a long list: its number from 1, how many a page lists, and how many there are."""

    number: int
    size: int
    found: int

    @classmethod
    def read(cls, text: str, size: int, found: int) -> "ListPage":
        """Return the page of an address; a text that is no number is the first, and one beyond the end the last.

        >>> [ListPage.read(text, 10, 25).number for text in ("2", "0", "last", "99")]
        [2, 1, 1, 3]
        """
        number = int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 1
        return cls(min(max(number, 1), max(-(-found // size), 1)), size, found)

    @property
    def offset(self) -> int:
        """How many come before it."""
        return (self.number - 1) * self.size

    def fields(self, address: Callable[[int], str]) -> dict[str, Any]:
        """Return what a view says of it; `address` is where the page of a number is."""
        last = min(self.offset + self.size, self.found)
        return {
            "before": address(self.number - 1) if self.number > 1 else "",
            "after": address(self.number + 1) if last < self.found else "",
            "found": self.found,
            "first": self.offset + 1 if self.found else 0,
            "last": last,
        }


def load(name: str) -> Any:
    """Return the object of a name such as `module:object`."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)

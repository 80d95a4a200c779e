"""A page of the server made into one that needs none: links lead to files, charts are drawn, forms and scripts go."""

from collections.abc import Callable
from html import escape
from html.parser import HTMLParser

POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' 'unsafe-inline' file:; img-src 'self' data: file:"
)
"""What a browser may load for such a page: what lies beside it. Charts carry their style within."""

_GONE = frozenset({"form", "noscript", "script"})  # what does nothing without a server, with all that is in it
_PROGRAMS = (".json", ".jsonl", ".csv", ".parquet", ".svg")
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)


class PageRewriter(HTMLParser):
    """Rewrites one page.

    `file` says where the file of an address lies, as seen from this page, or nothing where there is none; `chart` draws
    what an address describes as an SVG element. An entry of a list that leads nowhere is left out; any other link that
    leads nowhere becomes text. `about` stands at the foot of the page.
    """

    def __init__(self, file: Callable[[str], str], about: str = "") -> None:
        super().__init__(convert_charrefs=False)
        self._file, self._about = file, about
        self._out: list[str] = []
        self._skipped: list[str] = []  # open elements inside one that goes, itself first
        self._items: list[tuple[int, bool]] = []  # where each open list item began, and whether it leads nowhere
        self._folds: list[tuple[int, bool]] = []  # where each open fold began, and whether it held what goes

    def made(self, page: str) -> str:
        """The page as a file."""
        self.feed(page)
        self.close()
        return "".join(self._out)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag, change where it leads, or skip it with all that is in it."""
        if self._skipped:
            if tag not in _VOID:
                self._skipped.append(tag)
            return
        found = dict(attrs)
        if _goes(tag, found):
            self._skipped.append(tag)
            if tag == "form" and self._folds:
                self._folds[-1] = (self._folds[-1][0], True)
        elif tag == "link":
            self._link(found)
        elif tag == "head":
            self._out.append(f'<head>\n  <meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">')
        elif tag in ("a", "img"):
            self._leading(tag, found)
        else:
            self._kept(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag that holds nothing, as in drawings."""
        if not self._skipped:
            self._out.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        """Close what was kept."""
        if self._skipped:
            while self._skipped and self._skipped.pop() != tag:
                pass
            return
        if tag == "head":
            self._out.append(f'  <script src="{escape(self._file("/static/site.js"))}" defer></script>\n')
        self._out.append(f"</{tag}>")
        open_ones = {"li": self._items, "details": self._folds}.get(tag)
        if open_ones:
            start, dead = open_ones.pop()
            if dead:
                del self._out[start:]

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self._text(data)

    def handle_entityref(self, name: str) -> None:
        """Keep a character that is named."""
        self._text(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """Keep a character by its number."""
        self._text(f"&#{name};")

    def handle_decl(self, decl: str) -> None:
        """Keep what the document says it is."""
        self._out.append(f"<!{decl}>")

    def _text(self, text: str) -> None:
        if not self._skipped:
            self._out.append(text)

    def _kept(self, tag: str) -> None:
        if tag in ("li", "details"):
            (self._items if tag == "li" else self._folds).append((len(self._out), False))
        self._out.append(self.get_starttag_text() or "")
        if tag == "footer":
            self._out.append(f"<span>{escape(self._about)}</span>")

    def _link(self, found: dict[str, str | None]) -> None:
        """Styles, icons and neighbours; a twin has no file."""
        file = self._file(found.get("href") or "") if found.get("rel") != "alternate" else ""
        if file:
            self._out.append(_tag("link", {**found, "href": file}))

    def _leading(self, tag: str, found: dict[str, str | None]) -> None:
        name = "href" if tag == "a" else "src"
        address = found.get(name) or ""
        if address.startswith("#"):
            self._kept(tag)
            return
        file = self._file(address)
        if not file:
            if "data-row" in found and self._items:
                self._items[-1] = (self._items[-1][0], True)
            if found.get("role") == "button":
                self._skipped.append(tag)
                return
            self._out.append(_tag(tag, {key: value for key, value in found.items() if key != name}))
        else:
            self._out.append(_tag(tag, {**found, name: file}))


def _goes(tag: str, found: dict[str, str | None]) -> bool:
    """Whether an element does nothing without a server; what closes a dialog does."""
    for_programs = tag == "a" and (found.get("href") or "").partition("?")[0].endswith(_PROGRAMS)
    return for_programs or "data-live" in found or (tag in _GONE and found.get("method") != "dialog")


def _tag(tag: str, found: dict[str, str | None]) -> str:
    said = "".join(f" {name}" if value is None else f' {name}="{escape(value)}"' for name, value in found.items())
    return f"<{tag}{said}>"

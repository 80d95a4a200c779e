"""Rewriting of a page for the static site: links point to files; forms, scripts and downloads are removed."""

import re
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser

Attributes = dict[str, str | None]
"""The attributes of an element by name."""

POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' 'unsafe-inline' file:; img-src 'self' data: file:"
)
"""The content security policy of a file: the browser loads only files of the site, and the styles within charts."""

LONGEST = 100
"""Characters of a reply that a file holds; the lab has the rest."""

_REMOVED = frozenset({"form", "noscript", "script"})  # elements without a use where there is no server
_DOWNLOADS = (".json", ".jsonl", ".csv", ".parquet", ".svg")
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)


class PageRewriter(HTMLParser):
    """Rewrites one page.

    `file` returns the relative path of the file of an address, or nothing if the site has none. A list entry without a
    file is removed; any other link without a file becomes text. `about` is added to the footer of the page.
    """

    def __init__(self, file: Callable[[str], str], about: str = "") -> None:
        super().__init__(convert_charrefs=False)
        self._file, self._about = file, about
        self._out: list[str] = []
        self._skipped: list[str] = []  # open elements inside a removed one, itself first
        self._items: list[tuple[int, bool]] = []  # where each open list item began, and whether its link has no file
        self._folds: list[tuple[int, bool]] = []  # where each open fold began, and whether a form was removed from it
        self._reply: int | None = None  # characters of an open reply so far
        self._terse = False  # inside an answer whose reply is what is shown, which is not folded

    def rewrite(self, page: str) -> str:
        """Return the page as a file of the site."""
        self.feed(page)
        self.close()
        return "".join(self._out)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag, change its link, or skip it with its content."""
        if self._skipped:
            if tag not in _VOID:
                self._skipped.append(tag)
            return
        attributes = dict(attrs)
        if tag == "details" and "data-terse" in attributes:
            self._terse = True
        elif self._terse and tag in ("summary", "small"):
            self._skipped += [tag] if tag == "small" else []
        elif _is_removed(tag, attributes) or self._is_download(tag, attributes):
            self._skipped.append(tag)
            if tag == "form" and self._folds:
                self._folds[-1] = (self._folds[-1][0], True)
        elif tag == "link":
            self._link(attributes)
        elif tag == "head":
            self._out.append(f'<head>\n  <meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">')
        elif tag in ("a", "img"):
            self._linked(tag, attributes)
        else:
            self._kept(tag)

    def _is_download(self, tag: str, attributes: Attributes) -> bool:
        address = (attributes.get("href") or "") if tag == "a" else ""
        return address.partition("?")[0].endswith(_DOWNLOADS) and not self._file(address)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an empty element, as in SVG."""
        if not self._skipped:
            self._out.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        """Close an element that was kept."""
        if self._skipped:
            while self._skipped and self._skipped.pop() != tag:
                pass
            return
        if self._terse and tag in ("summary", "details"):
            self._terse = tag == "summary"
            return
        if tag == "head":
            self._out.append(f'  <script src="{escape(self._file("/static/site.js"))}" defer></script>\n')
        if tag == "pre":
            left = max((self._reply or 0) - LONGEST, 0)
            self._out.append(f"… ({left:,} more characters)" if left else "")
            self._reply = None
        self._out.append(f"</{tag}>")
        open_elements = {"li": self._items, "details": self._folds}.get(tag)
        if open_elements:
            start, is_dead = open_elements.pop()
            if is_dead:
                del self._out[start:]

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self._text(data)

    def handle_entityref(self, name: str) -> None:
        """Keep a named character reference."""
        self._text(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """Keep a numeric character reference."""
        self._text(f"&#{name};")

    def handle_decl(self, decl: str) -> None:
        """Keep the document type."""
        self._out.append(f"<!{decl}>")

    def _text(self, text: str) -> None:
        if self._skipped:
            return
        if self._reply is None:
            self._out.append(re.sub(r"[ \n]{2,}", "\n", text))  # the indentation of templates
            return
        room = max(LONGEST - self._reply, 0)
        self._reply += 1 if text.startswith("&") else len(text)  # a character reference is never cut
        self._out.append((text if room else "") if text.startswith("&") else text[:room])

    def _kept(self, tag: str) -> None:
        if tag in ("li", "details"):
            (self._items if tag == "li" else self._folds).append((len(self._out), False))
        self._out.append("<pre>" if tag == "pre" else self.get_starttag_text() or "")  # a cut reply is not scrolled
        if tag == "pre":
            self._reply = 0
        if tag == "footer":
            self._out.append(f"<span>{escape(self._about)}</span>")

    def _link(self, attributes: Attributes) -> None:
        """Keep styles, icons and neighbours; a JSON twin has no file."""
        file = self._file(attributes.get("href") or "") if attributes.get("rel") != "alternate" else ""
        if file:
            self._out.append(_tag("link", {**attributes, "href": file}))

    def _linked(self, tag: str, attributes: Attributes) -> None:
        """Write a link or an image with the path of its file."""
        name = "href" if tag == "a" else "src"
        address = attributes.get(name) or ""
        if address.startswith("#"):
            self._kept(tag)
            return
        file = self._file(address)
        if not file:
            if "data-row" in attributes and self._items:
                self._items[-1] = (self._items[-1][0], True)
            if attributes.get("role") == "button" or attributes.get("rel") in ("next", "prev"):
                self._skipped.append(tag)
                return
            self._out.append(_tag(tag, {key: value for key, value in attributes.items() if key != name}))
        else:
            self._out.append(_tag(tag, {**attributes, name: file}))


def _is_removed(tag: str, attributes: Attributes) -> bool:
    """Return whether an element has no use without a server, or only repeats a number; a dialog keeps its form."""
    is_bar = tag == "svg" and attributes.keys() == {"width", "aria-hidden"}  # beside a number, which stays
    is_form = tag in _REMOVED and attributes.get("method") != "dialog"
    return is_bar or is_form or "data-live" in attributes


def _tag(tag: str, attributes: Attributes) -> str:
    texts = (f" {name}" if value is None else f' {name}="{escape(value)}"' for name, value in attributes.items())
    return f"<{tag}{''.join(texts)}>"

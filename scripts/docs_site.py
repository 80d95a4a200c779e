"""Hooks of the documentation site: its navigation, and pages from files that are no pages of docs/.

The navigation is docs/index.md, so that a page is listed in one place: its heads are the tabs, and the heads
below them the sections. Notebooks, the changelog and the notes on training become pages of their own.
"""

import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

PROJECT = Path(__file__).parents[1]
OUTSIDE = {"CHANGELOG.md": "changelog.md", "training/README.md": "how-to/training.md"}
"""Files outside docs/ that pages link to, and the pages of the site that show them."""
WORKER = "https://unpkg.com/iframe-worker/shim"
"""What the theme loads for the same end."""
HEAD = re.compile(r"^(##|###) (.+)$")
LINK = re.compile(r"\[((?:[^\]`]|`[^`]*`)+)\]\(([^)\s#]+\.(?:md|ipynb))\)")
TARGET = re.compile(r"(?<=\]\()([^)\s#:]+)(?=[)#])")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Take the navigation from the index."""
    config.nav = navigation(Path(config.docs_dir, "index.md").read_text(encoding="utf-8"))
    return config


def navigation(index: str) -> list[Any]:
    """The index as mkdocs wants it: kinds of pages, their sections, and pages with their titles."""
    kinds: list[Any] = [{"Home": "index.md"}]
    pages = kind = kinds
    for line in index.splitlines():
        if head := HEAD.match(line):
            pages = []
            (kinds if head[1] == "##" else kind).append({head[2]: pages})
            kind = pages if head[1] == "##" else kind
        else:
            pages += [{title[:1].upper() + title[1:]: _page(path)} for title, path in LINK.findall(line)]
    kinds.append({"Changelog": OUTSIDE["CHANGELOG.md"]})
    return kinds


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each notebook, and for each file outside docs/."""
    for path in sorted(Path(config.docs_dir).glob("notebooks/*.ipynb")):
        page = "\n\n".join(_cells(json.loads(path.read_text(encoding="utf-8"))))
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=page))
    for source, page in OUTSIDE.items():
        text = (PROJECT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=_site_links(text, source, page)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links to notebooks and to files outside docs/ into links to their pages."""
    path = page.file.src_uri
    if path == "index.md":
        page.meta["hide"] = ["navigation"]  # its own heads are in the margin
    markdown = re.sub(r"^\|.*\|$", lambda row: row[0].replace(r"\|", "|"), markdown, flags=re.MULTILINE)
    return markdown if path in OUTSIDE.values() else _site_links(markdown, f"docs/{path}", path)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Take the script by which search works from a folder from the site itself, not from the web."""
    return output.replace(WORKER, get_relative_url("assets/worker.js", page.url))


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    """The same for the page that says that there is no such page, which may be shown at any address."""
    return output_content.replace(WORKER, "/assets/worker.js")


def _page(path: str) -> str:
    """The page of the site that shows a file, both as paths within docs/."""
    outside = posixpath.normpath(posixpath.join("docs", path))
    return OUTSIDE.get(outside, re.sub(r"\.ipynb$", ".md", path))


def _site_links(text: str, source: str, page: str) -> str:
    """The text of a file of the project as that of a page of the site, with links from there."""

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[1]))
        inside = OUTSIDE.get(target, re.sub(r"\.ipynb$", ".md", target.removeprefix("docs/")))
        return posixpath.relpath(inside, posixpath.dirname(page) or ".")

    return TARGET.sub(moved, text)


def _cells(notebook: dict[str, Any]) -> Iterator[str]:
    """The cells of a notebook with their outputs as Markdown: tables as HTML, everything else as text."""
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        yield source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```"
        for output in cell.get("outputs", ()):
            shown = {kind: "".join(text) for kind, text in output.get("data", {}).items()}
            if table := re.search(r"<table.*</table>", shown.get("text/html", ""), re.DOTALL):
                yield re.sub(r"<(table|tr|th|td)\b[^>]*>", r"<\1>", table[0])
            elif text := "".join(output.get("text", "")) or shown.get("text/plain", ""):
                yield f"```text\n{text.rstrip()}\n```"

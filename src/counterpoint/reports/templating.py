"""Jinja templates of reports and pages, the filters that they share, and their style sheet."""

from collections import Counter
from collections.abc import Iterable
from importlib.resources import files

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined

from counterpoint.core.quantities import counted


def environment(*loaders: BaseLoader) -> Environment:
    """The templates of these loaders and of reports; text is escaped, and an unknown name is an error."""
    templates = Environment(
        loader=ChoiceLoader([*loaders, PackageLoader("counterpoint.reports")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"thousands": thousands, "counted": counted, "middle": shorten_middle}
    return templates


def style() -> str:
    """The style sheet of pages and reports."""
    return files("counterpoint.reports").joinpath("static/style.css").read_text("utf-8")


def as_sentence(text: str) -> str:
    """A text with a capital and a full stop; nothing for nothing.

    >>> as_sentence("the order of words"), as_sentence("")
    ('The order of words.', '')
    """
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""


def shorten_middle(text: str, most: int = 36) -> str:
    """A text of at most so many characters; what is too long loses its middle, as versions stand at the end of names.

    >>> shorten_middle("our-vlm-sft-lr2e-5-bs128@step-4000", 24)
    'our-vlm-sft-…8@step-4000'
    """
    head = most // 2
    return text if len(text) <= most else f"{text[:head].rstrip()}…{text[len(text) - (most - head - 1) :].lstrip()}"


def shorten_names(names: Iterable[str], most: int = 36) -> dict[str, str]:
    """Names of about so many characters, shortened in the middle, of which no two are the same.

    >>> list(shorten_names(["our-vlm-sft-lr2e-5-bs128", "our-vlm-sft-lr1e-5-bs128", "clip"], 12).values())
    ['our-vlm-sft…2e-5-bs128', 'our-vlm-sft…1e-5-bs128', 'clip']
    """
    whole = list(names)
    short = {name: shorten_middle(name, most) for name in whole}
    while clashes := [name for name, count in Counter(short.values()).items() if count > 1]:
        most += 2
        short |= {name: shorten_middle(name, most) for name in whole if short[name] in clashes}
    return short


def thousands(number: int) -> str:
    """A whole number with separators.

    >>> thousands(41220)
    '41,220'
    """
    return f"{number:,}"

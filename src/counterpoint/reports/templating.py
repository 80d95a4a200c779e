"""Jinja templates of reports and pages, the filters that they share, and their style sheet."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined

from counterpoint.core.quantities import counted

LONGEST, LONGEST_REPLY = 2_000, 20_000
"""Characters of a text that a page or a report shows, and of the reply of a model where a click shows it.

One text can have more than all others together.
"""


class LongReply(str):
    """A text that is shown up to the length of a long reply, such as that of a model that reasons."""

    __slots__ = ()


@dataclass(slots=True)
class TextLimit:
    """How many characters of a text are shown, where all of them are, and whether any text was cut."""

    most: int = LONGEST
    whole_address: str = ""
    has_cut: bool = False

    def cut(self, value: object) -> object:
        """A text of at most `most` characters, with the number of those that are missing; other values unchanged."""
        most = max(self.most, LONGEST_REPLY) if isinstance(value, LongReply) else self.most
        if not isinstance(value, str) or len(value) <= most or hasattr(value, "__html__"):
            return value
        if value.startswith("/") and " " not in value:  # an address, which no browser would send
            return value.partition("?")[0][: self.most]
        self.has_cut = True
        return f"{value[:most]} … ({len(value) - most:,} more characters)"


_LIMIT: ContextVar[TextLimit] = ContextVar("limit", default=TextLimit())  # noqa: B039 - nobody asks whether it has cut


@contextmanager
def text_limit(limit: TextLimit) -> Iterator[None]:
    """Render templates with another limit."""
    token = _LIMIT.set(limit)
    try:
        yield
    finally:
        _LIMIT.reset(token)


@cache
def environment(*loaders: BaseLoader) -> Environment:
    """The templates of these loaders and of reports; text is escaped and cut, and an unknown name is an error."""
    templates = Environment(
        loader=ChoiceLoader([*loaders, PackageLoader("counterpoint.reports")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: _LIMIT.get().cut(value),
    )
    templates.globals["text_limit"] = _LIMIT.get
    templates.filters |= {"thousands": thousands, "counted": counted, "middle": shorten_middle, "reply": LongReply}
    templates.filters["unbroken"] = unbroken
    templates.filters["tenths"] = tenths
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


def unbroken(sentence: str) -> str:
    """A sentence in which no line begins with a per cent sign.

    >>> unbroken("right in 33 % of 211 groups")
    'right in 33\\xa0% of 211 groups'
    """
    return sentence.replace(" %", "\N{NO-BREAK SPACE}%")


def tenths(number: float) -> str:
    """A number with one decimal, and with a minus sign in place of a hyphen.

    >>> tenths(-13.68), tenths(4)
    ('−13.7', '4.0')
    """
    return f"{number:.1f}".replace("-", "−")


def thousands(number: int) -> str:
    """A whole number with separators.

    >>> thousands(41220)
    '41,220'
    """
    return f"{number:,}"

"""Cells of files that people open in a spreadsheet, which would run a text as a formula."""

import re

FORMULA = r"^[=+\-@\t\r\n]"
"""The beginning of a text that a spreadsheet takes for a formula."""
NUMBER = r"^[+-]?[0-9]+([.,][0-9]+)*%?$"
"""A text that is a number, and no formula although it may begin with a sign."""


def defuse_formula(text: str) -> str:
    """A text that a spreadsheet shows: one that would be a formula gets an apostrophe before it.

    >>> defuse_formula("=HYPERLINK(1)"), defuse_formula("-5"), defuse_formula("yes"), defuse_formula("\\n=1")
    ("'=HYPERLINK(1)", '-5', 'yes', "'\\n=1")
    """
    return f"'{text}" if re.match(FORMULA, text) and not re.match(NUMBER, text) else text

"""Numbers with their nouns, for messages and pages, and numbers that are too small."""

from counterpoint.core.errors import CounterpointError


def counted(number: int, noun: str = "", verb: str = "") -> str:
    """A number with its noun, and the form of "be", "have" or "do" that agrees with it; without a noun the two alone.

    >>> counted(1, "model"), counted(2000, "model"), counted(2, "query"), counted(0, "box"), counted(1, "query", "are")
    ('1 model', '2,000 models', '2 queries', '0 boxes', '1 query is')
    >>> counted(1, verb="were"), counted(2000, verb="were")
    ('1 was', '2,000 were')
    """
    if not noun:
        return f"{number:,} {_SINGULAR[verb] if number == 1 else verb}"
    if number == 1:
        return f"1 {noun} {_SINGULAR[verb]}".rstrip()
    if noun.endswith("y") and noun[-2] not in "aeiou":
        noun = f"{noun[:-1]}ie"
    elif noun.endswith(("s", "x", "ch", "sh")):
        noun = f"{noun}e"
    return f"{number:,} {noun}s {verb}".rstrip()


def check_least(least: float, **numbers: float | None) -> None:
    """Raise an error where one of the numbers, by its name, is smaller than it may be; None is no number.

    >>> check_least(1, limit=None, batch_size=-1)
    Traceback (most recent call last):
    counterpoint.core.errors.CounterpointError: batch_size is -1
    """
    for name, number in numbers.items():
        if number is not None and number < least:
            raise CounterpointError(f"{name} is {number}", hint=f"it is {least} or more")


_SINGULAR = {"": "", "are": "is", "have": "has", "do": "does", "were": "was"}

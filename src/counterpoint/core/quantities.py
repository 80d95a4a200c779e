"""Numbers with their nouns, for messages and pages, and numbers that are too small or none."""

from numbers import Integral, Real

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
    """Raise an error where one of the numbers, by its name, is smaller than it may be, or is a text; None may stand.

    >>> check_least(1, limit=None, batch_size=-1)
    Traceback (most recent call last):
    counterpoint.core.errors.CounterpointError: batch_size is -1
    """
    for name, number in numbers.items():
        if number is not None and not (isinstance(number, Real) and number >= least):
            raise CounterpointError(f"{name} is {number!r}", hint=f"it is {least} or more")


def check_share(**shares: float) -> None:
    """Raise an error where one of the numbers, by its name, is not from 0 to 1.

    >>> check_share(threshold=50)
    Traceback (most recent call last):
    counterpoint.core.errors.CounterpointError: threshold is 50
    """
    for name, share in shares.items():
        if not (isinstance(share, Real) and 0 <= share <= 1):
            raise CounterpointError(f"{name} is {share!r}", hint="it is from 0 to 1")


def whole_number(name: str, number: int) -> int:
    """A number as an int, which may be one of NumPy; raise an error where it is not whole.

    >>> whole_number("seed", 1.5)
    Traceback (most recent call last):
    counterpoint.core.errors.CounterpointError: seed is 1.5
    """
    if not isinstance(number, Integral):
        raise CounterpointError(f"{name} is {number!r}", hint="it is a whole number")
    return int(number)


_SINGULAR = {"": "", "are": "is", "have": "has", "do": "does", "were": "was"}

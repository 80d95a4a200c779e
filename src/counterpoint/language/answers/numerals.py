"""Numbers as people write them: in compound words, as fractions, and with zeros at the end."""

import re
from fractions import Fraction

from counterpoint.language.english import number_value, number_word

_SMALL = [number_word(number) for number in (*range(1, 21), *range(30, 100, 10))]
_SIZES = {"hundred": 100, "thousand": 1000, "million": 10**6}
_TOKEN = rf"(?:{'|'.join(sorted((*_SMALL, *_SIZES), key=len, reverse=True))})"
_COMPOUND = re.compile(rf"\b(?:an? (?={'|'.join(_SIZES)}))?{_TOKEN}(?:(?:[- ]|,? and |, ){_TOKEN}){{1,9}}\b")
_PARTS = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "eighth": 8,
    "tenth": 10,
}
_FRACTION = re.compile(
    r"(?P<above>[0-9]{1,4}) ?[/⁄] ?(?P<below>[0-9]{1,4})"
    rf"|(?:(?P<many>an?|{'|'.join(_SMALL[:19])})[- ])?(?P<part>{'|'.join(_PARTS)})s?"
)
_MIXED = re.compile(rf"(?P<whole>[0-9]{{1,6}}|{'|'.join(_SMALL[:19])})(?: and |[ -])(?P<rest>.{{1,40}})")
_DECIMAL = re.compile(r"-?[0-9]{1,15}\.[0-9]{1,15}")


def compounds_as_digits(text: str) -> str:
    """A text in lower case with numbers above a hundred in digits that are written in several words.

    >>> compounds_as_digits("one hundred and five dogs, two thousand three hundred and one cats, one or two")
    '105 dogs, 2301 cats, one or two'
    """
    return _COMPOUND.sub(_compound_digits, text) if "hundred" in text or "thousand" in text else text


def parse_fraction(text: str) -> str | None:
    """A text in lower case that is a fraction, as digits, or None.

    >>> [parse_fraction(text) for text in ("two thirds", "1/2", "half", "two and a half", "third", "9 1/4", "three")]
    ['2/3', '1/2', '1/2', '2.5', None, '9.25', None]
    """
    if (part := _fraction(text)) is not None:
        return f"{part[0]}/{part[1]}"
    mixed = _MIXED.fullmatch(text)
    if mixed is None or (part := _fraction(mixed["rest"])) is None or part[0] >= part[1]:
        return None
    return _share_digits(Fraction(*part) + (number_value(mixed["whole"]) or 0))


def _fraction(text: str) -> tuple[int, int] | None:
    """What stands above and below the line of a fraction; None for "third" or "quarters" without a number."""
    match = _FRACTION.fullmatch(text)
    if match is None or not (match["above"] or match["many"] or match["part"] == "half"):
        return None
    below = int(match["below"]) if match["below"] else _PARTS[match["part"]]
    return (number_value(match["above"] or match["many"] or "1") or 1, below) if below else None


def _share_digits(share: Fraction) -> str:
    """A decimal where a few digits are enough, else a fraction."""
    is_decimal = 1000 % share.denominator == 0
    return f"{float(share):.9g}" if is_decimal else f"{share.numerator}/{share.denominator}"


def plain_digits(text: str) -> str:
    """A number in digits as one of its equals: without zeros at the end, and a share as a decimal where it is one.

    A share that can be reduced stays: 6/8 is another time signature than 3/4, and 5/10 another day than 6/12.

    >>> [plain_digits(text) for text in ("2.50", "0.5", "1/2", "6/12", "3.0", "24/7", "v2.50", "007")]
    ['2.5', '0.5', '0.5', '6/12', '3', '24/7', 'v2.50', '007']
    """
    if _DECIMAL.fullmatch(text):
        return text.rstrip("0").rstrip(".")
    above, slash, below = text.partition("/")
    if not (slash and above.isdecimal() and below.isdecimal() and len(text) < 12 and 0 < int(above) < int(below)):
        return text
    share = Fraction(int(above), int(below))
    return _share_digits(share) if share.denominator == int(below) else text


def _compound_digits(match: re.Match[str]) -> str:
    """The digits of a compound number; the words themselves where they are a list, or have no size between them."""
    words = [word for word in re.split(r"[-, ]+", match[0]) if word != "and"]
    total = group = last = 0
    above = 10**9  # the size that comes before must be larger
    for word in words:
        size, number = _SIZES.get(word, 0), 1 if word in ("a", "an") else number_value(word) or 0
        if not size and 0 < last < 100 and not (last >= 20 and last % 10 == 0 and number < 10):
            return match[0]  # "five, six hundred"
        if size and (not group or size >= above or (size == 100 and group >= 100)):
            return match[0]  # "five hundred, six hundred"
        if size > 100:
            total, group, above = total + group * size, 0, size
        else:
            group = group * size if size else group + number
        last = size or number
    sizes = sum(word in _SIZES for word in words)
    return str(total + group) if sizes > (words[-1] in _SIZES) else match[0]

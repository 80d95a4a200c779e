"""Number words from zero to one hundred."""

from functools import cache

from counterpoint.language.lexicon.word_lists import split_list

_ONES = split_list(
    "zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen, "
    "sixteen, seventeen, eighteen, nineteen"
)
_TENS = split_list("twenty, thirty, forty, fifty, sixty, seventy, eighty, ninety")


def number_word(n: int) -> str:
    """A number in words up to one hundred, in digits beyond.

    >>> number_word(0), number_word(21), number_word(100), number_word(250)
    ('zero', 'twenty-one', 'one hundred', '250')
    """
    if 0 <= n < 20:
        return _ONES[n]
    if 20 <= n < 100:
        tens, ones = divmod(n, 10)
        return _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")
    return "one hundred" if n == 100 else str(n)


def number_value(word: str) -> int | None:
    """The value of a number word or digits, or None.

    >>> number_value("Twenty one"), number_value("12"), number_value("a dozen"), number_value("dog")
    (21, 12, 12, None)
    """
    text = " ".join(word.lower().replace("-", " ").split()).removeprefix("a ")
    return int(text) if text.isdecimal() else _values().get(text)


@cache
def _values() -> dict[str, int]:
    words = {number_word(n).replace("-", " "): n for n in range(101)}
    return words | {"no": 0, "none": 0, "single": 1, "dozen": 12, "hundred": 100}

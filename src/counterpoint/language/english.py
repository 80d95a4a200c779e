"""English surface realization: articles, agreement, number words, counting and lists.

Mass nouns and plurals take "some" where a singular takes "a" or "an", so that `be(noun)` always agrees with `a(noun)`.
The inflections of nouns and verbs are exported here too.
"""

from collections.abc import Sequence
from functools import cache

from counterpoint.language.lexicon.word_lists import split_list, word_table
from counterpoint.language.nouns import head as head
from counterpoint.language.nouns import is_countable as is_countable
from counterpoint.language.nouns import is_mass as is_mass
from counterpoint.language.nouns import is_pair as is_pair
from counterpoint.language.nouns import is_plural as is_plural
from counterpoint.language.nouns import measure
from counterpoint.language.nouns import plural as plural
from counterpoint.language.nouns import singular as singular
from counterpoint.language.verbs import base_form as base_form
from counterpoint.language.verbs import gerund as gerund
from counterpoint.language.verbs import third_person as third_person

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


@cache
def article(phrase: str) -> str:
    """The indefinite article by sound: "a" or "an".

    >>> article("hour hand"), article("unicycle"), article("open umbrella"), article("used car"), article("SUV")
    ('an', 'a', 'an', 'a', 'an')
    """
    start = phrase.lower().lstrip("\"'(")
    if start[:1].isdigit():
        return "an" if start[0] == "8" or start.split()[0] in ("11", "18") else "a"
    for choice in ("an", "a"):
        if start.startswith(_starts_with(choice)):
            return choice
    return "an" if start.startswith(tuple("aeiou")) else "a"


@cache
def _starts_with(choice: str) -> tuple[str, ...]:
    """The beginnings of words that take an article against their spelling."""
    return split_list(word_table("nouns")["article"][choice])


def a(noun: str) -> str:
    """The indefinite noun phrase; plurals, pairs and mass nouns take "some".

    >>> a("umbrella"), a("red apple"), a("bread"), a("pants"), a("pair of pants")
    ('an umbrella', 'a red apple', 'some bread', 'some pants', 'a pair of pants')
    """
    return f"{_indefinite(noun, 'some')} {noun}"


def any_of(noun: str) -> str:
    """As `a`, in a question or negation: "Is there a dog?", "Are there any dogs?", "Is there any bread?"."""
    return f"{_indefinite(noun, 'any')} {noun}"


def no(noun: str) -> str:
    """The noun with "no", which agrees as the noun does: "Is there no dog?", "Are there no dogs?"."""
    return f"no {noun}"


def one_or_bare(noun: str) -> str:
    """As `a`, but plurals, pairs and mass nouns stay bare: "both a bus and ice cream".

    >>> one_or_bare("old bus"), one_or_bare("ice cream"), one_or_bare("green trees")
    ('an old bus', 'ice cream', 'green trees')
    """
    return noun if is_plural(noun) or is_mass(noun) else f"{article(noun)} {noun}"


def _indefinite(noun: str, uncounted: str) -> str:
    return uncounted if is_plural(noun) or is_mass(noun) else article(noun)


@cache
def be(noun: str | int) -> str:
    """The form of "be" that agrees with a noun or a count: "is" or "are"."""
    return "are" if _many(noun) else "is"


def do(noun: str | int) -> str:
    """The form of "do" that agrees: "does" or "do"."""
    return "do" if _many(noun) else "does"


def have(noun: str | int) -> str:
    """The form of "have" that agrees: "has" or "have"."""
    return "have" if _many(noun) else "has"


def it(noun: str | int) -> str:
    """The pronoun that agrees: "it" or "they"."""
    return "they" if _many(noun) else "it"


def _many(noun: str | int) -> bool:
    return is_plural(noun) if isinstance(noun, str) else noun != 1


def count(n: int, noun: str) -> str:
    """A count with its noun; pairs are counted in pairs, mass nouns by their measure.

    >>> count(2, "dog"), count(1, "cups"), count(0, "sheep"), count(3, "pants"), count(2, "toast")
    ('two dogs', 'one cup', 'zero sheep', 'three pairs of pants', 'two slices of toast')
    """
    if is_pair(noun):
        return count(n, f"pair of {noun}")
    if is_mass(noun):
        return count(n, f"{measure(noun)} of {noun}")
    return f"{number_word(n)} {singular(noun) if n == 1 else plural(noun)}"


def join_list(items: Sequence[str], conjunction: str = "and") -> str:
    """Join items by a conjunction, with an Oxford comma where there are three or more.

    >>> join_list(["red", "blue"], "or"), join_list(["a cat", "a dog", "a bird"])
    ('red or blue', 'a cat, a dog, and a bird')
    """
    if len(items) < 3:
        return f" {conjunction} ".join(items)
    return ", ".join([*items[:-1], f"{conjunction} {items[-1]}"])


def possessive(noun: str) -> str:
    """The possessive: "the dog's", "the dogs'", "the bus's", "the children's"."""
    return noun + ("'" if noun.endswith("s") and is_plural(noun) else "'s")


def sentence(text: str) -> str:
    """A statement with a capital and a period, unless it ends in a mark.

    >>> sentence("there are two dogs")
    'There are two dogs.'
    """
    return _ended(text, ".")


def question(text: str) -> str:
    """A question with a capital and a question mark.

    >>> question("is there any bread")
    'Is there any bread?'
    """
    return _ended(text, "?")


def _ended(text: str, mark: str) -> str:
    text = " ".join(text.split())
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else mark)

"""Numbers with their nouns, for messages and pages."""


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


_SINGULAR = {"": "", "are": "is", "have": "has", "do": "does", "were": "was"}

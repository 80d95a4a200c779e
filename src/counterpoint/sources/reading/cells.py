"""Cells of tables: a text, several texts, right answers with their credits, or an embedded picture."""

import json
import re
from ast import literal_eval
from base64 import b64decode
from binascii import Error
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from math import isfinite
from typing import Any, NamedTuple

from counterpoint.core.groups import Gold
from counterpoint.language.answers.choices import match_choice

VOTERS = 10
"""From this many answers on, a list is taken for the votes of annotators, even if no two agree."""
_LETTERS = "ABCDEFGHIJ"
_LONGEST = 1_000_000  # characters of a list that is written as text


class ParsedAnswers(NamedTuple):
    """Right answers, and the votes where several annotators answered."""

    gold: Gold
    votes: tuple[str, ...] = ()


def text_of(value: Any) -> str:
    """A cell as text; empty where it is blank, or neither text nor number.

    >>> text_of(" red "), text_of(2.0), text_of(True), text_of(None)
    ('red', '2', 'yes', '')
    """
    if type(value) is str:
        text = value.strip()
        return text if text.isascii() else text.encode("utf-8", "replace").decode()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and isfinite(value):
        return str(int(value)) if value.is_integer() else repr(value)
    return str(value) if isinstance(value, int) and abs(value) < 10**20 else ""


def parse_nested(value: Any) -> Any:
    """A list or an object that is written as text, as in cells of text files; all else unchanged."""
    if not isinstance(value, str) or len(value) > _LONGEST or value.strip()[:1] not in ("[", "{"):
        return value
    for parse in (json.loads, _parse_array, literal_eval):
        try:
            parsed = parse(value.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            continue
        if isinstance(parsed, list | dict):
            return parsed
    return value


_ARRAY_TEXT = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
_ARRAY = re.compile(rf"\[\s*(?:(?:{_ARRAY_TEXT.pattern})\s*)+\]")


def _parse_array(text: str) -> list[Any]:
    """The texts of an array as NumPy prints it: without commas, so that Python would join all of them into one."""
    if not _ARRAY.fullmatch(text):
        raise ValueError("it is no array of texts")
    return [literal_eval(item) for item in _ARRAY_TEXT.findall(text)]


def texts_of(value: Any) -> tuple[str, ...]:
    """The texts in a list, or in an object of texts by letter, or a single text."""
    value = parse_nested(value)
    if isinstance(value, dict):
        value = value.get("text", list(value.values()))
    listed = value if isinstance(value, list | tuple) else [value]
    return tuple([text for item in listed if (text := text_of(item))])


def choices_of(value: Any, content: Mapping[str, Any]) -> tuple[str, ...]:
    """The answers that are offered, in one column or in columns A, B, C and so on."""
    if value is not None and (texts := listed_choices(value)):
        return texts
    lettered = lettered_cells(content, text_of)
    return lettered if len(lettered) > 1 else ()


def listed_choices(value: Any) -> tuple[str, ...]:
    """The choices in a list, or in one text, by letter or with |, ;, line breaks or commas between them.

    >>> listed_choices("red | blue, or green"), listed_choices("A. red, B. blue"), listed_choices(["red, blue", "no"])
    (('red', 'blue, or green'), ('red', 'blue'), ('red, blue', 'no'))
    """
    texts = texts_of(value)
    if len(texts) != 1:
        return texts
    lettered = split_options(texts[0])[1]
    if lettered:
        return tuple(option.rstrip(" ,|") for option in lettered)
    mark = next((mark for mark in "|;\n," if mark in texts[0]), "\n")
    return tuple(part for part in map(str.strip, texts[0].split(mark)) if part)


_LETTERED = re.compile(r"(?:^|(?<=[\s(;]))\(?([A-J])[.):][ \t]+(?=\S)", re.MULTILINE)
_ANNOUNCED = re.compile(r"\s*\b(?:options?|choices)\s*:?\s*$", re.IGNORECASE)


def split_options(text: str) -> tuple[str, tuple[str, ...]]:
    """A question without the options that its text lists by letter, and these; none where it lists fewer than two.

    >>> split_options("What is he doing?\\nOption: A: sitting; B: standing;")
    ('What is he doing?', ('sitting', 'standing'))
    >>> split_options("Which is it?\\nA. red\\nB. blue\\nAnswer with the letter.")
    ('Which is it?', ('red', 'blue'))
    >>> split_options("Is vitamin A: good?")
    ('Is vitamin A: good?', ())
    """
    if "A" not in text or "B" not in text or len(marks := list(_LETTERED.finditer(text))) < 2:
        return text, ()
    first = next((place for place, mark in enumerate(marks) if mark[1] == "A"), len(marks))
    listed = [mark for mark, letter in zip(marks[first:], _LETTERS, strict=False) if mark[1] == letter]
    if len(listed) < 2 or len(listed) < len(marks) - first:
        return text, ()
    starts = [mark.start() for mark in listed[1:]]
    parts = [text[mark.end() : end] for mark, end in zip(listed, [*starts, len(text)], strict=True)]
    parts[-1] = parts[-1].splitlines()[0]  # what follows is no option, such as "Answer with the letter."
    if all(part.rstrip().endswith(";") for part in parts[:-1]):
        parts[-1] = parts[-1].partition(";")[0]
    options = tuple(part.strip(" \t\n;") for part in parts)
    return (_ANNOUNCED.sub("", text[: listed[0].start()]).strip(), options) if all(options) else (text, ())


_FIRST_PICTURE = re.compile(r"^\s*<image[ _]?1>|<image[ _]?1>\s*$")
_OTHER_PICTURE = re.compile(r"<image(?:[ _]?(?:[2-9]|1[0-9]))?>")


def without_picture_mark(text: str) -> str:
    """A text without the mark of its picture, as LLaVA and MMMU write it, which a processor would read as a picture.

    >>> without_picture_mark("<image>\\nWhat is it?"), without_picture_mark("What is it? <image 1>")
    ('What is it?', 'What is it?')
    """
    return _FIRST_PICTURE.sub(" ", text.replace("<image>", " ", 1)).strip() if "<image" in text else text


def names_other_picture(texts: Iterable[str]) -> bool:
    """Whether a text without the mark of its picture has that of a second one.

    >>> names_other_picture(["Compare <image 1> and <image 2>."]), names_other_picture(["What is in <image 1>?"])
    (True, False)
    >>> names_other_picture([without_picture_mark("<image>\\n<image>\\nWhat differs?")])
    True
    """
    return any("<image" in text and _OTHER_PICTURE.search(text) for text in texts)


def lettered_cells(content: Mapping[str, Any], as_text: Callable[[Any], str | None]) -> tuple[str, ...]:
    """The texts in columns A, B, C and so on, as far as they go."""
    texts: list[str] = []
    for letter in _LETTERS:
        text = as_text(content.get(letter))
        if not text or text == "nan":
            break
        texts.append(text)
    return tuple(texts)


def parse_answers(
    value: Any, choices: Sequence[str] = (), *, votes: bool = False, first: int = 0
) -> ParsedAnswers | None:
    """The right answers in a cell; none where it has none, or none of the choices, which are counted from `first`.

    One text is the right answer. An object of answers with numbers, or a list of answers with a credit each, gives
    credits. A list holds votes if a text occurs twice among three or more, if it has ten texts or more, if each is an
    object of its own, or if `votes` is set; else each of its texts is right.

    >>> parse_answers("red")
    ParsedAnswers(gold=Gold(answers=(('red', 1.0),)), votes=())
    >>> parse_answers(["sofa", "couch"]).gold.answers
    (('sofa', 1.0), ('couch', 1.0))
    >>> parse_answers(["red", "red", "pink"]).votes
    ('red', 'red', 'pink')
    """
    value = parse_nested(value)
    if isinstance(value, dict):
        return _credited(value, choices, first)
    if not isinstance(value, list | tuple):
        text = pick_choice(text_of(value), choices, first)
        if choices and text not in choices:  # no reply could be right
            return None
        return ParsedAnswers(Gold.of(text), (text,) if votes else ()) if text else None
    if value and isinstance(value[0], dict) and all(isinstance(item, dict) for item in value):
        credit = {text_of(item.get("answer")): _number(item, "credit", "score", "weight") for item in value}
        if None not in credit.values():
            return _credited(credit, choices, first)
        value, votes = [item.get("answer") for item in value], True
    texts = texts_of(value)
    if choices:
        texts = tuple(pick_choice(text, choices, first) for text in texts)
    if not texts or (choices and not {*texts} & {*choices}):
        return None
    if votes or len(texts) >= VOTERS or len(set(texts)) < len(texts) > 2:  # of two votes none has the whole credit
        return ParsedAnswers(Gold.from_votes(texts), texts)
    return ParsedAnswers(Gold.of(*dict.fromkeys(texts)))


_TRUTH = dict.fromkeys(("1", "true", "yes"), "yes") | dict.fromkeys(("0", "-1", "false", "no"), "no")


def parse_truth(value: Any) -> ParsedAnswers | None:
    """Yes or no, for whether a statement is true; none where the cell says neither.

    >>> parse_truth(0), parse_truth("True").gold.best
    (ParsedAnswers(gold=Gold(answers=(('no', 1.0),)), votes=()), 'yes')
    """
    answer = _TRUTH.get(text_of(value).lower())
    return ParsedAnswers(Gold.of(answer)) if answer else None


def pick_choice(answer: str, choices: Sequence[str], first: int = 0) -> str:
    """An answer, which may be given as the letter or the position, from `first`, of a choice, or in other capitals.

    >>> [pick_choice(answer, ["red", "blue"]) for answer in ("B", "(b)", "B. blue", "Blue", "1", "blue", "green")]
    ['blue', 'blue', 'blue', 'blue', 'blue', 'blue', 'green']
    """
    if not choices or answer in choices:
        return answer
    alike = [choice for choice in choices if choice.casefold() == answer.casefold()]
    if alike:
        return alike[0] if len(alike) == 1 else answer
    place, words = -1, ""
    if letter := _LETTER.fullmatch(answer):
        place, words = _LETTERS.find(letter[1].upper()), (letter[2] or "").casefold()
    elif is_position(answer, choices):
        place = int(answer) - first
    if 0 <= place < len(choices) and words in ("", choices[place].casefold()):
        return choices[place]
    return answer if place >= 0 else match_choice(answer, tuple(choices)) or answer


def is_position(answer: str, choices: Sequence[str]) -> bool:
    """Whether an answer is a number that can be meant as the position of a choice, since none of them is that number.

    >>> is_position("1", ["red", "blue"]), is_position("1", ["1", "2"]), is_position("1", []), is_position("red", "ab")
    (True, False, False, False)
    """
    return bool(choices) and answer.isascii() and answer.isdecimal() and len(answer) < 4 and answer not in choices


_LETTER = re.compile(r"\(?([A-Ja-j])(?:[).:]\s*(.*))?", re.DOTALL)


def is_letter(value: Any) -> bool:
    """Whether a cell is one letter, which names one of several options; it may stand in brackets."""
    return bool((letter := _LETTER.fullmatch(text_of(value))) and letter[1].isupper() and not letter[2])


def _credited(value: Mapping[Any, Any], choices: Sequence[str], first: int) -> ParsedAnswers | None:
    """Answers with credits; some files have them in two lists, `ids` and `weights`."""
    if isinstance(value.get("ids"), list) and isinstance(value.get("weights"), list):
        value = dict(zip(map(text_of, value["ids"]), value["weights"], strict=False))
    credit = {pick_choice(text_of(answer), choices, first): _number(value, answer) for answer in value}
    positive = [(text, min(share, 1.0)) for text, share in credit.items() if text and share is not None and share > 0]
    if not positive or None in credit.values() or (choices and not {*choices} & credit.keys()):
        return None
    return ParsedAnswers(Gold(tuple(sorted(positive, key=lambda row: -row[1]))))


def _number(content: Mapping[Any, Any], *names: Any) -> float | None:
    number = next((content[name] for name in names if name in content), None)
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    return float(number) if abs(number) < 10**6 else None


UNPACKED = "unpacked"
"""The namespace of all unpacked pictures; their names are hashes of their bytes, so no two clash."""
_PATH = 1000  # characters; what is longer is a picture written as text
_BASE64 = ("/9j/", "iVBORw0KGgo", "R0lGOD", "UklGR")  # how pictures in JPEG, PNG, GIF and WEBP begin, also small ones
_ENDINGS = {b"\xff\xd8": ".jpg", b"\x89PNG": ".png", b"GIF8": ".gif", b"RIFF": ".webp", b"BM": ".bmp", b"II*": ".tif"}


def picture_address(content: bytes) -> str:
    """The address of a picture once it is unpacked.

    >>> picture_address(b"GIF89a")
    'unpacked:a4/a4ebc5f66162847b445559c37cdf009b.gif'
    """
    name = blake2b(content, digest_size=16).hexdigest()
    ending = next((ending for start, ending in _ENDINGS.items() if content.startswith(start)), "")
    return f"{UNPACKED}:{name[:2]}/{name}{ending}"


def picture_bytes(value: Any) -> bytes | None:
    """The picture in a cell: bytes, an object with bytes, base64 text, or a list of one; none where there is none."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict):
        value = value.get("bytes")
    if isinstance(value, bytes):
        return value or None
    if not isinstance(value, str):
        return None
    if value.startswith("data:image/"):
        value = value.partition(",")[2]
    elif len(value) <= _PATH and not value.startswith(_BASE64):
        return None
    try:
        return b64decode("".join(value.split()), validate=True) or None  # many programs break it into lines
    except (Error, ValueError):
        return None

"""The part of a reply that answers: without reasoning and markup, in a JSON field, a box, a tag or after "Answer:"."""

import ast
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.language.question_types import ParsedQuestion, QuestionType

MAX_CHARACTERS = 32_768
"""Characters of a reply that are read: its first 4,096 and its last 28,672, since reasoning ends with the answer."""

_HEAD = 4_096
_MAX_ANSWER = 1_000  # characters of a box or a tag
_TAG = re.compile(
    r"[<\[◁]\s?(?P<end>/?)\s?(?:seed:)?(?:think|thinking|thought|thoughts|reasoning)\s?[>\]▷]"
    r"|<\|(?P<side>begin|end)_of_thought\|>",
    re.IGNORECASE,
)
_TAGS = (
    *("<answer>", "<final_answer>", "<|begin_of_box|>", "<|channel|>final<|message|>"),
    *("<response>", "<final>", "<option>", "<choice>", "<count>", "<number>", "<label>", "<output>", "<result>"),
)
_BOXES = ("\\boxed", "\\fbox")
_OBJECT = re.compile(r"\{\s{0,8}[\"']")
_FENCE = re.compile(r"```[a-z]{0,12}", re.IGNORECASE)
_ANSWER = re.compile(
    r"(?:^|(?<=[\s(\"'.,:;]))(?:"
    r"(?:(?:final|correct|right|best|short) )?answer(?: to (?:the|this|your) question)?"
    r"(?:\s{0,3}(?:[:=]|\bis\b|\bwould be\b|\bshould be\b)|(?<=\nanswer)\s?\n)"
    r"|(?:correct|right|best|better|matching) (?:option|choice|caption|statement|sentence|description|text) is\b"
    r"|(?:^|(?<=\n))(?:final |the )?(?:answer|conclusion|output|response|verdict)\s?[:=\n]"
    r"|(?:respuesta(?: correcta)? es|réponse(?: correcte)? est|resposta(?: correta)? é|risposta(?: corretta)? è"
    r"|antwort (?:ist|lautet)|ответ)(?=[\s:])|(?:respuesta|réponse|resposta|risposta|antwort|ответ)\s?:)[\s:]{0,5}"
    r"|(?:正确)?(?:答案|选项)(?:是|为|:|：)[\s:：]{0,3}|答[:：]\s?|答え(?:は|:|：)[\s:：]{0,3}|정답(?:은|:)[\s:]{0,3}",
    re.IGNORECASE,
)
_FINAL = re.compile(r"\bfinal answer\s{0,3}(?:is|would be|:|=)[\s:]{0,5}", re.IGNORECASE)
_KEYS = ("final answer", "finalanswer", "answer", "final", "result", "response", "prediction", "output")
_COUNT_KEYS = ("count", "number", "total", "value")
_CHOICE_KEYS = ("value", "choice", "option", "selected", "selected option", "selection", "label", *_COUNT_KEYS)
_SYMBOL = re.compile("[\u2300-\u25c0\u25c2-\u2bff\ufe0f\U0001f000-\U0001faff]")
_SHOWN_SYMBOL = re.compile(
    "(?:^|[\n>])[^.!?\n>]{0,99}(?:\\bis|\\bare|'s)\\s{1,2}([\U0001f000-\U0001faff]{1,4})\ufe0f?[.!]?\\s{0,4}$",
    re.IGNORECASE,
)
_CHECKED = re.compile(
    r"[\s*•-]{0,6}(?:\[\s?[x✓✔]\s?\]|\(x\)|[☑✅✓✔])|.{1,200}[✅✓✔☑]\ufe0f?\*{0,4}\s{0,4}$", re.IGNORECASE
)
_UNCHECKED = re.compile(
    r"[\s*•-]{0,6}(?:\[\s?\]|\(\s?\)|[☐❌✗✘])|.{1,200}[❌✗✘]\ufe0f?\*{0,4}\s{0,4}$|[^~]{0,12}~~.{1,200}~~\s{0,4}$"
)
_BOX = re.compile(r"\[\s?[x✓✔]?\s?\]|\(\s?x?\s?\)", re.IGNORECASE)
_PUNCTUATION = str.maketrans(
    dict.fromkeys(',;!?()[]{}"*`~<>|\\…=^“”«»„¿¡。、！？◁▷「」『』《》〈〉【】،؛؟\u200b\ufeff', " ")
    | {"‘": "'", "’": "'", "–": "-", "—": "-", "−": "-"}
)
_MARKUP = str.maketrans({"*": "", "`": "", "’": "'", "‘": "'", "。": ". ", "\u200b": "", "\ufeff": "", "$": ""})
_FOREIGN_MARKS = str.maketrans(dict.fromkeys("「」『』《》〈〉【】", '"') | {"،": ",", "؛": ";", "؟": "?"})
_EDGES = "-.:'/&_@"
_SIGNED = re.compile(r"(?P<sign>-?)(?P<point>\.?)(?=[0-9])")
_SENTENCE = re.compile(
    r"\n|(?<=[.!?])(?<!\bst\.)(?<!\bmr\.)(?<!\bms\.)(?<!\bdr\.)(?<!\bmt\.)(?<!\bmrs\.)\s", re.IGNORECASE
)
_TITLE = re.compile(r"\b(?:sgt|lt|cpl|capt|prof|ft|gen|gov|sen|rev|vs)\.$|\b(?:no|vol|fig|ch|pp?)\.(?=\n[0-9])", re.I)
_ENDING = re.compile(r"\b(?:ave|blvd|rd|inc|corp|ltd|co|jr|sr)\.$", re.IGNORECASE)
_SEVERAL_INITIALS = re.compile(r"(?<![a-z.])(?:(?![ap]\.m\.)(?:[a-z]\.){2,9}|[a-z]\.(?: [a-z]\.){1,9})$", re.I)
_MIDDLE_INITIAL = re.compile(r"\b(?P<name>[A-Z][a-z]{1,30}) [A-Z]\.$")
_INITIAL = re.compile(r"(?<![a-z.])[a-z]\.$", re.I)
_COMPANY = re.compile(r"(?:Inc|Corp|Ltd|Co)\b")
_CONCLUSION = re.compile(
    r"(?:so|therefore|thus|hence|in conclusion|overall|consequently|in summary|as a result)\b", re.IGNORECASE
)
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_ARTICLES = frozenset(("a", "an", "the"))
_WORD = re.compile(r"[\w']{1,40}")
_ASKED = re.compile(r"\s{0,4}(?:q|question|user|human)\s?:", re.IGNORECASE)
_ANSWERS = re.compile(r"\s{0,4}(?:a|answer|assistant|model)\s?:", re.IGNORECASE)


_ANY = ParsedQuestion()


@dataclass(frozen=True, slots=True)
class ReplyText:
    """A reply without reasoning and markup, and the part of it that answers."""

    text: str
    answer: str | None  # None where a field for the answer is empty
    boxes: int = 0  # that a JSON list locates, all of one label


def read_reply(raw: str, question: ParsedQuestion = _ANY) -> ReplyText | None:
    r"""The text of a reply and its answer to a question; None where its reasoning never ends.

    >>> read_reply('<think>One, or two?</think>```json\n{"answer": 2}\n```').answer
    '2'
    >>> read_reply("**Answer:** red").answer, read_reply("<think>One") is None
    ('red', True)
    """
    kept = strip_reasoning(fold_width(shorten(raw)))
    if kept is None:
        return None
    text = strip_markup(kept)
    value = _decode(kept)
    for found in (_checked(kept), None if value is None else _as_text(value, question), _tagged(kept), _boxed(kept)):
        if found is not None:
            answer = strip_markup(found) if found else None
            return ReplyText(text, answer and concluding_answer(answer), _count_boxes(value))
    return ReplyText(text, concluding_answer(text))


def shorten(raw: str) -> str:
    """The characters of a reply that are read.

    >>> len(shorten("*" * 100_000)) <= MAX_CHARACTERS
    True
    """
    return raw if len(raw) <= MAX_CHARACTERS else f"{raw[: _HEAD - 1]}\n{raw[_HEAD - MAX_CHARACTERS :]}"


def fold_width(text: str) -> str:
    """The text with full-width letters, the decimal digits of all scripts, quotes and Arabic commas as ASCII (NFKC).

    >>> fold_width("Ｙｅｓ， ٤"), fold_width("「红色」"), fold_width("أحمر،")
    ('Yes, 4', '"红色"', 'أحمر,')
    """
    if text.isascii():
        return text
    folded = unicodedata.normalize("NFKC", text).translate(_FOREIGN_MARKS)
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in folded)


def strip_reasoning(raw: str) -> str | None:
    """Remove blocks of reasoning from a reply; None where the reasoning never ends.

    >>> strip_reasoning("<think>A dog, or a cat?</think> A cat."), strip_reasoning("<think>A dog")
    ('A cat.', None)
    """
    kept: list[str] = []
    position, depth = 0, 0
    for tag in _TAG.finditer(raw):
        if not depth:
            kept.append(raw[position : tag.start()])
        if tag["end"] or tag["side"] == "end":
            kept = kept if depth else []  # a closing tag alone: all before it is reasoning
            depth = max(depth - 1, 0)
        else:
            depth += 1
        position = tag.end()
    if depth:
        return None
    return "".join([*kept, raw[position:]]).strip()


def strip_markup(text: str) -> str:
    r"""A text without marks of headings, lists, quotes, tables, code and emphasis.

    >>> strip_markup("## Answer\n\n- **Two** _cats_")
    'Answer\nTwo _cats_'
    """
    plain = _SYMBOL.sub("", _FENCE.sub("", text)).replace("__", "").translate(_MARKUP)
    symbols = "".join(_SYMBOL.findall(text))  # which are the reply where there is nothing else
    lines = (line.strip(" \t#>•|").removeprefix("- ").strip() for line in plain.splitlines())
    return (
        "\n".join(line.replace(" | ", ": ") for line in lines if any(map(str.isalnum, line)))
        or plain.strip()
        or symbols
    )


def shown_symbol(raw: str) -> str | None:
    """The symbol that a reply of one sentence names as its answer, and by which it ends.

    >>> shown_symbol("It is 🙂."), shown_symbol("It is a dog 🙂."), shown_symbol("A pizza! My mood is 🙂.")
    ('🙂', None, None)
    """
    match = None if raw.isascii() else _SHOWN_SYMBOL.search(shorten(raw))
    return match[1] if match else None


def concluding_answer(text: str) -> str:
    """What follows the last "Final answer:", else the last "the answer is" or "Answer:"; else the whole text.

    >>> concluding_answer("The answer is red."), concluding_answer("Red, I would answer.")
    ('red.', 'Red, I would answer.')
    """
    return _after(_ANSWER, _after(_FINAL, text))


def strip_question(text: str, words: frozenset[str]) -> str:
    """A reply without the question of these words at its start, "Q:" and "A:"; whole where nothing else follows.

    >>> strip_question("Q: Is it red?\\nA: No.", frozenset(("is", "it", "red")))
    'No.'
    """
    asked, mark, rest = text.partition("?")
    label = _ASKED.match(asked)
    repeated = _WORD.findall(asked[label.end() if label else 0 :].lower().replace("’", "'")[:_MAX_ANSWER])
    if not (mark and len(repeated) > 1 and words.issuperset(repeated) and any(map(str.isalnum, rest))):
        return text
    answer = _ANSWERS.match(rest) if label else None
    return rest[answer.end() if answer else 0 :].strip()


def split_sentences(text: str) -> list[str]:
    """The sentences and lines of a text that are not blank.

    >>> split_sentences("St. Bernard. A dog!"), split_sentences("J.P. Morgan. The U.S. It is a bank.")
    (['St. Bernard.', 'A dog!'], ['J.P. Morgan.', 'The U.S.', 'It is a bank.'])
    """
    sentences: list[str] = []
    for line in text.split("\n"):
        parts = [part for sentence in _SENTENCE.split(line) if (part := sentence.strip())]
        for place, part in enumerate(parts):
            if place and _goes_on(sentences[-1], part):
                sentences[-1] += f" {part}"
            else:
                sentences.append(part)
    return sentences


def _goes_on(before: str, after: str) -> bool:
    """Whether a full stop is that of an abbreviation, behind which the sentence goes on: "John F. Kennedy"."""
    end, word = before[-40:], after.split(maxsplit=1)[0]
    if _COMPANY.match(after) or (_ENDING.search(end) and word in ("and", "&", "vs.")):
        return True
    if _TITLE.search(f"{end}\n{word}" if word[0].isdigit() else end):
        return True
    if _INITIAL.search(end) and _INITIAL.fullmatch(word):
        return True
    middle = _MIDDLE_INITIAL.search(end)
    is_named = (
        middle and word[0].isupper() and middle["name"].lower() not in word_list("replies", "lettered") | _openers()
    )
    if not is_named and not (_SEVERAL_INITIALS.search(end) and word[0].isalpha()):
        return False
    return word.lower().strip(",.:;!?'") not in _openers()


@cache
def _openers() -> frozenset[str]:
    """Words with which a sentence begins, and hardly a name."""
    return frozenset().union(*(word_list("replies", name) for name in ("empty", "fillers", "tails", "openers")))


def is_conclusion(sentence: str) -> bool:
    """Whether a sentence begins as one that concludes: "So", "Therefore"."""
    return _CONCLUSION.match(sentence) is not None


def normalize(text: str) -> str:
    """Lowercase, without articles, without punctuation at the edges of words, with single spaces.

    >>> normalize(" The  T-shirt, **obviously**. "), normalize("1,000"), normalize("A"), normalize("?!")
    ('t-shirt obviously', '1000', 'a', '?!')
    >>> normalize("-5."), normalize("- .5")
    ('-5', '0.5')
    """
    lower = text.lower()
    if not lower.isascii():
        lower = unicodedata.normalize("NFC", lower)
    words = [word for part in _THOUSANDS.sub("", lower).translate(_PUNCTUATION).split() if (word := _strip_edges(part))]
    kept = [word for word in words if word not in _ARTICLES] or words
    return " ".join(kept or lower.split())


def _strip_edges(word: str) -> str:
    """A word without punctuation around it; the sign and the point before a number are no punctuation."""
    stripped = word.strip(_EDGES)
    if word[0] in "-." and (number := _SIGNED.match(word)):
        return f"{number['sign']}{'0.' if number['point'] else ''}{stripped}"
    return stripped


def _after(marks: re.Pattern[str], text: str) -> str:
    """The text after the last marker that is followed by any, else the whole text."""
    end = next((index for index in range(len(text) - 1, -1, -1) if text[index].isalnum()), -1)
    starts = [match.end() for match in marks.finditer(text)]
    for start in reversed(starts):
        if start <= end:
            return text[start:].strip()
    return text


def _lower_each(text: str) -> str:
    """A text in lower case with as many characters; that of İ would be two."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(char.lower()[0] for char in text)


def _tagged(text: str) -> str | None:
    """The content of the last tag for answers."""
    lower = _lower_each(text)
    for tag in _TAGS:
        start = lower.rfind(tag)
        if start >= 0:
            content = text[start + len(tag) : start + len(tag) + _MAX_ANSWER].partition("<")[0].strip()
            if content:
                return content
    return None


def _boxed(text: str) -> str | None:
    r"""The content of the last \boxed{…} that is not empty."""
    lower = _lower_each(text)
    for box in _BOXES:
        start = lower.rfind(box)
        while start >= 0:
            content = _braced(text[start + len(box) : start + len(box) + _MAX_ANSWER])
            if content:
                return content
            start = lower.rfind(box, 0, start)
    return None


def _braced(text: str) -> str:
    r"""The text in the first pair of braces, without \text and inner braces."""
    depth, inner = 0, []
    for char in text.lstrip(" "):
        depth += (char == "{") - (char == "}")
        if depth <= 0:
            break
        inner.append(char)
    return "".join(inner).replace("\\text", "").replace("\\mathrm", "").translate({123: None, 125: None}).strip()


def _checked(text: str) -> str | None:
    """The only line that is checked, where all others are not; the lines that are not struck out, where some are."""
    lines = [line for line in text.splitlines() if line.strip() and not line.rstrip().endswith(":")]
    open_lines = [line for line in lines if not _UNCHECKED.match(line)]
    if not open_lines or len(open_lines) == len(lines):
        return None
    if len(open_lines) == 1 and (_CHECKED.match(open_lines[0]) or "~~" in text):
        return _BOX.sub("", _SYMBOL.sub("", open_lines[0]), count=1).strip(" \t*•-")
    return None


def _decode(text: str) -> Any:
    """The JSON object or list in a reply; None without one."""
    start = text.find("[") if text.lstrip("`json \n").startswith("[") else -1
    if start < 0:
        match = _OBJECT.search(text)
        start = match.start() if match else -1
    if start < 0:
        return None
    try:
        return json.JSONDecoder().raw_decode(text[start:])[0]
    except (ValueError, RecursionError):
        written = text[start : text.rfind("}") + 1][:_MAX_ANSWER]
        try:
            return ast.literal_eval(written)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return None


def _count_boxes(value: Any) -> int:
    """How many boxes or points a list holds; 0 where it holds anything else, or differently labelled ones."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        return 0
    located = [entry for entry in value if any(isinstance(field, list) for field in entry.values())]
    labels = {str(entry.get("label")) for entry in value}
    return len(value) if len(located) == len(value) and len(labels) == 1 else 0


def _as_text(value: Any, question: ParsedQuestion) -> str:
    """A value of JSON as the text of an answer to a question; empty where it is null."""
    if isinstance(value, dict):
        fields = {str(key).lower().replace("_", " ").strip(): field for key, field in value.items()}
        chosen = [key for key, field in fields.items() if field is True]
        if question.options and len(chosen) == 1 and all(isinstance(field, bool) for field in fields.values()):
            return chosen[0]
        key = _answer_key(fields, question)
        return _as_text(fields[key], question) if key else ""
    if isinstance(value, list):
        return ", ".join(_as_text(entry, question) for entry in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _answer_key(fields: Mapping[str, Any], question: ParsedQuestion) -> str | None:
    """The field that answers: by its usual name, a flag for yes or no, a word of the question, or else the first."""
    usual = (*_KEYS, *_COUNT_KEYS) if question.type is QuestionType.NUMBER else (*_KEYS, *_CHOICE_KEYS)
    others = [key for key in fields if key not in word_list("replies", "side_keys")]
    flags = [key for key in others if question.type is QuestionType.YES_NO and isinstance(fields[key], bool)]
    named = [key for key in others if {*key.split()} & question.words]
    things = [key for key in others if key not in word_list("replies", "thing_keys")]
    candidates = [*(key for key in usual if key in fields), *flags, *named, *things, *others]
    if question.type is QuestionType.YES_NO and flags and candidates[0] not in _KEYS:
        return flags[0]
    return candidates[0] if candidates else None

"""Matching a reply to one of the offered options: verbatim, by its letter or number, or named in a sentence."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from counterpoint.language.answers.final_answer import is_conclusion, normalize, split_sentences
from counterpoint.language.answers.polarity import yes_or_no
from counterpoint.language.english import number_word
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.language.nouns import plural, singular

_MARK = r"[a-z]|[0-9]{1,2}"
_NOUN = (
    r"(?:option|choice|letter|number|output|answer|caption|sentence|statement|description|text|image|selection"
    r"|опция|вариант|ответ|opción|opção|opzione|antwort|réponse|选项|答案|选择|选)(?!s\b)"  # "options" is no option S
)
_LABEL = re.compile(
    rf"\s{{0,4}}(?:\((?P<round>{_MARK})\)|\[(?P<square>{_MARK})\]"
    rf"|(?P<bare>{_MARK})[.):])\s{{0,4}}(?P<rest>.{{0,2000}})",
    re.I | re.S,
)
_LEADING = re.compile(
    rf"[\s\"'*]{{0,4}}(?:(?:the |my )?(?:correct |right |best |better |final )?(?P<noun>{_NOUN})(?: is)?[:\s]{{0,3}})?"
    rf"(?:\((?P<round>{_MARK})\)|\[(?P<square>{_MARK})\]|(?P<bare>{_MARK})(?:[.):](?![0-9])|[\s\"'.!,]{{0,3}}$|(?=\n)))",
    re.I,
)
_PLACE = r"(?:of|next|above|below|behind|beside|by|in|on|under|described|seen)\b"  # after what calls no option right
_INSIDE = re.compile(
    rf"(?:\b{_NOUN}\s?(?:is |would be |must be |should be |has to be |[:]\s?)?"
    r"|\b(?:choose|pick|select|go with|going with|chose|is|it's|so|therefore|thus|hence|definitely|probably),?"
    r"\s(?=\(|[a-z0-9]{1,2}[\s.!]{0,3}$)"
    rf"|选项|答案是?:?)\s?\(?(?P<bare>{_MARK})\)?(?![\w'])|\((?P<round>{_MARK})\)(?!\w)"
    rf"|(?<![\w'])(?P<subject>{_MARK})\s(?:is|seems|would be) (?:the )?(?:most )?"
    rf"(?P<claim>correct|right|best|accurate)\b(?! {_PLACE})",
    re.I,
)
_NEGATED = re.compile(
    r"\b(?:no|(?:not|nor|neither|never|without|than|instead of|isn't|aren't|wasn't|doesn't|don't|can't|cannot)"
    r"(?: be| \w{1,40})?|(?:not|neither|isn't|aren't|wasn't|doesn't|don't)(?: \w{1,20}){1,3} n?or) $"
)
_REJECTED = re.compile(
    r"[\s)\"']{0,3}(?:(?:can|could|may) be (?:ruled out|excluded|eliminated|dismissed)|(?:is|was|does|can|are"
    r"|do)(?:n't| not)\b"
    r"|(?:is|seems|looks) (?:incorrect|wrong|false|inaccurate|out\b))",
    re.I,
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_ORDINAL = re.compile(
    rf"\bthe (?P<inside>{'|'.join(_ORDINALS)}|last) (?:one|{_NOUN})\b"
    rf"|^(?:the )?(?P<whole>{'|'.join(_ORDINALS)}|last|former|latter)$",
    re.I,
)
_BRACKETED = re.compile(r"\s{0,4}(?:\([a-z]\)|\[[a-z]\]|[a-z]\))[\s.]{0,4}", re.I)
_LIKELIER = re.compile(r" (?:is|seems|looks|appears) (?:the )?(?:more|most) (?:likely|probable|plausible)\b")
_LEANS = re.compile(r"\b(?:lean(?:ing)? toward|lean(?:ing)? towards|more likely|most likely|rather|probably) $")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WITH = re.compile(r",?\s(?:with|while|whereas|which|that has)\s")
_SO = re.compile(r",?\s(?:so|therefore|thus|hence|which means|meaning)\s", re.I)
_BUT = re.compile(r"\b(?:but|though|although|however)\b", re.I)
_POSSIBLE = re.compile(r"\b(?:could|might|may)\b", re.I)
_SEVERAL_OR = re.compile(r"\b(?:both|either|or|not|no|neither)\b")
_SEVERAL = re.compile(r"\b(?:both|either|and|or)\b", re.I)
_PRICE = re.compile(r"\$[0-9][0-9.]{0,20}")
_AMOUNT = re.compile(r"(-?[0-9][0-9.]{0,20}) ?(%|°?[a-z]{1,5})")


@dataclass(frozen=True, slots=True)
class _OptionForms:
    """The forms in which a text can name each option."""

    exact: Mapping[str, str]  # from normalized forms to options
    labels: Mapping[str, str]  # from letters and numbers to options
    unclear: frozenset[str]  # letters of one option that are the text of another
    named: re.Pattern[str] | None
    in_sentence: Mapping[str, str]  # from the forms that a sentence can contain to options
    is_yes_no: bool


def match_choice(
    text: str, options: tuple[str, ...], words: frozenset[str] = frozenset(), spans: tuple[str, ...] = ()
) -> str | None:
    """The option that a reply chooses; None where it chooses none or several.

    Spans are longer forms of options that a question offers without listing them: a reply that is or names one has it.

    >>> colors = ("blue", "light blue")
    >>> [match_choice(text, colors) for text in ("Light blue.", "(B)", "A. Blue", "It is blue.", "Option 2")]
    ['light blue', 'light blue', 'blue', 'blue', 'light blue']
    >>> match_choice("2", ("12", "20")), match_choice("short-sleeved", ("short sleeved", "long sleeved"))
    (None, 'short sleeved')
    >>> match_choice("Short sleeved", ("sleeved", "long sleeved"), spans=("short sleeved", "shirt short sleeved"))
    'short sleeved'
    """
    if text in options:
        return text
    forms = _option_forms(options, spans)
    plain = normalize(text)
    if plain in forms.unclear and _BRACKETED.fullmatch(text):
        return None
    exact = forms.exact.get(plain) or forms.exact.get(plain.replace("-", " "))
    if exact is not None:
        return exact
    leading = _LEADING.match(text)
    if leading and (option := forms.labels.get(_label(leading))) is not None:
        rest = _by_name(text[leading.end() :].partition("\n")[0], forms)
        return option if leading["noun"] or rest in (None, option) else None
    if forms.is_yes_no:
        polarity = yes_or_no(text, words)
        return None if polarity is None else forms.exact[polarity]
    sentences = split_sentences(text)
    first = normalize(sentences[0]) if sentences else ""
    if first in forms.exact and not (len(sentences) > 1 and normalize(sentences[1]) in forms.exact):
        return forms.exact[first]
    return _by_parts(sentences, forms, words) or _by_ordinal(text, options) or _by_words(plain, options, spans)


def names_several(text: str, options: tuple[str, ...]) -> bool:
    """Whether a reply takes more than one of the options: "both", "A or B".

    >>> names_several("Both", ("a dog", "a cat")), names_several("A and B", ("a dog", "a cat"))
    (True, True)
    """
    line = text.lower().strip(" .!")
    forms = _option_forms(options, ())
    if re.search(r"\b(?:both|either)\b", line):
        return True
    marks = {mark for mark in re.findall(r"\b[a-z]\b|\b[0-9]{1,2}\b", line) if mark in forms.labels}
    return _SEVERAL.search(line) is not None and (len(_named(line, forms)) > 1 or len(marks) > 1)


def _by_parts(sentences: list[str], forms: _OptionForms, words: frozenset[str]) -> str | None:
    """By the sentence that concludes, then by the whole text, its first and its last sentence.

    Before these two comes the only sentence that repeats most of the question; after them what stands before "with".
    """
    whole = " ".join(sentences)
    concluding = [part for part in sentences if is_conclusion(part)]
    labelled = [part.partition(": ")[2] for part in sentences[:1] if len(part.partition(": ")[0].split()) < 5]
    shared = [len({*normalize(part).split()} & words) for part in sentences]
    closest = [part for part, many in zip(sentences, shared, strict=True) if many == max(shared)]
    head = _WITH.split(sentences[0], maxsplit=1)[:1] if sentences else []
    tails = _SO.split(sentences[-1])[1:] if sentences else []
    parts = [
        *concluding[:-2:-1],
        *tails[-1:],
        *labelled,
        whole,
        *(closest if len(closest) == 1 else []),
        *sentences[:1],
    ]
    for part in [*parts, *sentences[-1:], *head, *_without_doubt(whole)]:
        option = _by_label(part, forms) or _by_name(part, forms)
        if option is not None:
            return option
    return _by_clause(whole, forms, words)


def _by_clause(text: str, forms: _OptionForms, words: frozenset[str]) -> str | None:
    """Of several options that a text names, the one whose clause repeats most of the question; none beside "or"."""
    line = f" {normalize(text)} "
    hits = list(forms.named.finditer(line)) if forms.named and not _SEVERAL_OR.search(line) else []
    ends = [*(hit.start() for hit in hits[1:]), len(line)][: len(hits)]
    asked = words - word_list("replies", "empty")
    shared = [len({*line[hit.end() : end].split()} & asked) for hit, end in zip(hits, ends, strict=True)]
    if not shared or max(shared) == 0 or shared.count(max(shared)) > 1:
        return None
    return forms.in_sentence[hits[shared.index(max(shared))][1]]


def _without_doubt(text: str) -> list[str]:
    """A text without what it sets against its answer as a mere possibility: "a wolf, but it could be a dog"."""
    clauses = _BUT.split(text)
    certain = [clause for clause in clauses if not _POSSIBLE.search(clause)]
    return [" ".join(certain)] if len(certain) < len(clauses) else []


def _by_label(text: str, forms: _OptionForms) -> str | None:
    """The only option whose letter or number a text names as such."""
    labels = {
        (match["bare"] or match["round"] or match["subject"]).lower()
        for match in _INSIDE.finditer(text)
        if not _REJECTED.match(text[match.end() : match.end() + 40])
        and (match["claim"] or "").lower() not in forms.exact  # "A is right" does not choose A over "right"
    }
    options = {forms.labels[label] for label in labels if label in forms.labels}
    return options.pop() if len(options) == 1 else None


def _by_name(text: str, forms: _OptionForms) -> str | None:
    """The only option that a text names in whole words, longest first, and does not negate."""
    named = _named(text, forms)
    if len(named) > 1:
        named = _named(text, forms, is_preferred=True)
    return named.pop() if len(named) == 1 else None


def _named(text: str, forms: _OptionForms, *, is_preferred: bool = False) -> set[str]:
    """The options that a text names and does not negate; if asked for, only those that it calls likelier."""
    if forms.named is None:
        return set()
    line = f" {normalize(text)} "
    hits = [
        hit for hit in forms.named.finditer(line) if not _NEGATED.search(line[max(0, hit.start() - 30) : hit.start()])
    ]
    if is_preferred:
        hits = [
            hit
            for hit in hits
            if _LIKELIER.match(line[hit.end() : hit.end() + 40])
            or _LEANS.search(line[max(0, hit.start() - 40) : hit.start()])
        ]
    return {forms.in_sentence[hit[1]] for hit in hits}


def _by_ordinal(text: str, options: tuple[str, ...]) -> str | None:
    """The option at the only place that a text names: "the second option", "the latter"."""
    places = {(match["inside"] or match["whole"]).lower() for match in _ORDINAL.finditer(text.strip(" .!\"'"))}
    if len(places) != 1 or any({*normalize(option).split()} & {*_ORDINALS, "last"} for option in options):
        return None
    place = places.pop()
    if place in ("former", "latter"):
        return options[place == "latter"] if len(options) == 2 else None
    index = len(options) - 1 if place == "last" else _ORDINALS.index(place)
    return options[index] if index < len(options) else None


def _by_words(text: str, options: tuple[str, ...], spans: tuple[str, ...]) -> str | None:
    """The only option that has all words of a short reply: "short" of "short sleeved" and "long sleeved"."""
    words = set(text.split())
    words = words - {"one", "ones"} or words
    if not words or len(words) > 8 or not any(len(word) > 1 for word in words):
        return None
    fitting = [option for option in dict.fromkeys((*spans[:1], *options)) if words <= set(normalize(option).split())]
    return fitting[0] if len(fitting) == 1 else None


@lru_cache(maxsize=1 << 14)
def _option_forms(options: tuple[str, ...], spans: tuple[str, ...]) -> _OptionForms:
    options = tuple(option for option in options if option.strip())
    labels, bodies, unclear = _label_options(options)
    exact: dict[str, str] = {}
    for text, option in [*zip(options, options, strict=True), *zip(bodies, options, strict=True)]:
        exact.setdefault(normalize(text), option)
    for text, option in list(exact.items()):
        for form in _amount_forms(text):
            exact.setdefault(form, option)
    for text, option in list(exact.items()):
        if (which := text.removesuffix(" of above")) in ("none", "all") and which != text:
            for form in ("these", "those", "them", "options"):
                exact.setdefault(f"{which} of {form}", option)
    forms = dict(exact)
    for change in (plural, singular):
        for text, option in exact.items():
            forms.setdefault(change(text), option)
    for text, option in exact.items():
        if text.endswith("ing") and " " not in text:
            forms.setdefault(f"{text.removesuffix('ing')}s", option)  # "walks" for "walking"
        digits = text.removeprefix("-")
        if digits.isdigit() and int(digits) <= 20:
            forms.setdefault(f"{'minus ' * (digits != text)}{number_word(int(digits))}", option)
        if digits != text:
            forms.setdefault(f"minus {digits}", option)
    for span in spans:
        exact.setdefault(span, span)
        if not any(word.endswith("ing") for word in span.split()[:-1]):
            forms.setdefault(span, span)
    forms = {form: option for form, option in forms.items() if any(char.isalnum() for char in form)}
    listed = "|".join(
        re.escape(form)
        for form in sorted(forms, key=len, reverse=True)
        if len(form) > 1 or form.isdigit() or _CJK.match(form)
    )
    edges = ("", "") if _CJK.search(listed) else (r"(?<=\s)", r"(?=\s)")  # no blanks between words
    named = re.compile(rf"{edges[0]}({listed}){edges[1]}") if listed else None
    return _OptionForms(exact, labels, unclear, named, forms, set(exact) == {"yes", "no"})


def _amount_forms(text: str) -> Iterator[str]:
    """Other ways to write an amount: "5" for "$5", whose sign is no part of replies, "5km" and "5 km", "5 percent".

    >>> list(_amount_forms("5 km")), list(_amount_forms("5%"))
    (['5km', '5 km'], ['5%', '5 %', '5 percent'])
    """
    if _PRICE.fullmatch(text):
        yield text[1:]
    if amount := _AMOUNT.fullmatch(text):
        number, unit = amount.groups()
        yield from (f"{number}{unit}", f"{number} {unit}", *([f"{number} percent"] if unit == "%" else ()))


def _label_options(options: tuple[str, ...]) -> tuple[dict[str, str], list[str], frozenset[str]]:
    """Options by letter and number, their texts without it, and the letters of some that are the text of others.

    They are labelled by their own labels, else by their order.
    """
    matches = [match for option in options if (match := _LABEL.fullmatch(option))]
    own = [_label(match) for match in matches]
    if len(own) == len(set(own)) == len(options):
        bodies = [match["rest"] or _label(match) for match in matches]
        return dict(zip(own, options, strict=True)), bodies, frozenset()
    counts = any(char.isdigit() for option in options for char in option)  # then "2" is a value, not a place
    numbers = {} if counts else {str(index): option for index, option in enumerate(options, 1)}
    letters = {chr(ord("a") + index): option for index, option in enumerate(options[:26])}
    single = {normalize(option): option for option in options if len(normalize(option)) == 1}
    unclear = frozenset(letter for letter, option in letters.items() if single.get(letter, option) != option)
    if len(single) == len(options):
        return numbers | ({} if unclear else letters) | single, list(options), frozenset()
    clear = {letter: option for letter, option in letters.items() if letter not in unclear}
    others = {letter: option for letter, option in single.items() if letter not in letters}  # "L" of S, M, L and XL
    return numbers | clear | others, list(options), unclear


def _label(match: re.Match[str]) -> str:
    return (match["round"] or match["square"] or match["bare"]).lower()

"""Kind questions: "What kind of floor is this?" becomes "Is this a wood floor?"."""

import re
from functools import cache, lru_cache

from counterpoint.language.answers.rule_sets import normalize_vqa
from counterpoint.language.english import article, is_mass, is_plural, number_value, one_or_bare, singular
from counterpoint.language.lexicon.attributes import are_synonyms, class_of, excludes
from counterpoint.language.lexicon.senses import hypernym_names, is_a
from counterpoint.language.lexicon.wordnet import lexicon
from counterpoint.language.tokens import is_noun, tag_words
from counterpoint.suites.rad.augmentation import Augmentation, QuestionSubject, listed_words

_CONTESTS = {"sport", "game"}  # a skiing event is no baseball event
_PLAIN = re.compile(r"[a-z][a-z' ]*")


def parse_noun(text: str) -> QuestionSubject | str:
    """The noun of "What kind of … is this?", or the reason why it cannot be parsed."""
    subject = text.lower()
    if not subject or len(subject.split()) > 3 or not is_noun(tag_words(("The", *subject.split(), "."))[-2]):
        return "its subject is no name"
    return "its subject is many" if is_plural(subject) else QuestionSubject(subject)


@lru_cache(1 << 14)
def kind_value(subject: QuestionSubject, answer: str) -> str:
    """The kind that an answer names, in the singular, or nothing if it names none or repeats the subject."""
    text = normalize_vqa(answer)
    if text in listed_words("kind.nothing") or not _PLAIN.fullmatch(text) or number_value(text) is not None:
        return ""
    if len(text.split()) > 3 or ({"and", "or", "with", "not"} & set(text.split()) and text != "black and white"):
        return ""
    is_many = is_plural(text) and text not in listed_words("kind.many") and _is_noun(subject.noun, text)
    kind = singular(text) if is_many else text
    return "" if kind == subject.noun else kind


@lru_cache(1 << 14)
def kinds_exclude(subject: QuestionSubject, wanted: str, answer: str) -> bool:
    """Whether the lexicon shows that nothing is of both kinds."""
    other = kind_value(subject, answer)
    if not other:
        return not _share_a_word(wanted, normalize_vqa(answer))
    if wanted == other or are_synonyms(wanted, other) or _share_a_word(wanted, other):
        return False
    forms = [(form, f"{form} {subject.noun}") for form in (wanted, other)]  # also of what has the subject behind it
    pairs = ((a, b) for a in forms[0] for b in forms[1] if a != forms[0][1] != b)
    if any(_kind_of(a, b) or _kind_of(b, a) for a, b in pairs):
        return False
    if names_thing(subject.noun, wanted) != names_thing(subject.noun, other):
        return False
    if names_thing(subject.noun, wanted) or excludes(wanted, other):
        return True
    if {class_of(wanted), class_of(other)} <= _CONTESTS:
        return True
    return class_of(wanted) == class_of(other) and _is_noun(subject.noun, wanted) == _is_noun(subject.noun, other)


@lru_cache(1 << 14)
def kind_question(subject: QuestionSubject, wanted: str) -> str:
    """The question as the paper's Table 6 puts it: by a name for the thing, or by what stands before its name."""
    noun = subject.noun
    if wanted.split()[-1] == noun.split()[-1] and wanted != noun:
        return f"is this {one_or_bare(wanted)}"
    if names_thing(noun, wanted):
        return f"is this {noun} {wanted if noun in listed_words('kind.uncounted') else one_or_bare(wanted)}"
    whole = f"{wanted} {noun}"
    return f"is this {whole}" if is_mass(noun) else f"is this {article(whole)} {whole}"


@lru_cache(1 << 14)
def names_thing(subject: str, wanted: str) -> bool:
    """Whether a word is a name for such a thing, as elephant is for an animal, and not what stands before its name."""
    if wanted.split()[-1] == subject.split()[-1]:
        return True
    if (wanted.endswith("ing") and subject not in listed_words("kind.activities")) or " and " in wanted:
        return False
    if wanted.endswith(subject) or _kind_of(wanted, subject) or subject in listed_words("kind.activities"):
        return True
    if not _is_noun(subject, wanted) or class_of(wanted) not in (None, "noun"):
        return False
    return subject in listed_words("kind.general") or bool(_families(wanted) & _families(subject))


def _is_noun(subject: str, word: str) -> bool:
    """Whether a word is a noun before the name of a thing, by the tagger."""
    parts = word.split()
    return is_noun(tag_words(("This", "is", "a", *parts, *subject.split(), "."))[2 + len(parts)])


def _families(name: str) -> frozenset[str]:
    return listed_words("kind.families") & {*hypernym_names(name), name} if _is_known(name) else frozenset()


def _kind_of(one: str, other: str) -> bool:
    return _is_known(one) and _is_known(other) and is_a(one, other)


@cache
def _is_known(name: str) -> bool:
    """Whether the lexicon has a sense for a name or for its last words; to look up one that it has not is slow."""
    book, parts = lexicon(), name.lower().split()
    endings = [" ".join(parts[start:]) for start in range(len(parts))]
    return any(book.senses(form) for ending in endings for form in (singular(ending), *book.base_forms(ending)))


def _share_a_word(one: str, other: str) -> bool:
    """Whether two answers have a word in common, or words that begin alike, as wood and wooden do."""
    begins = [{word[:4] for word in text.split() if len(word) > 2} for text in (one, other)]
    return bool(begins[0] & begins[1])


what_kind = Augmentation(
    "what-kind",
    "what kind of",
    parse_noun,
    kind_value,
    kinds_exclude,
    kind_question,
    "its answer names no kind",
    lambda subject, wanted: _kind_of(wanted, subject.noun),
    ends=" is this",
)

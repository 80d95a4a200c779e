"""English vocabulary: which strings are words, and the everyday words within one edit of a misspelling."""

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

from counterpoint.language.lexicon.attributes import attribute_classes
from counterpoint.language.lexicon.senses import curated_names
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.language.lexicon.wordnet import lexicon
from counterpoint.language.nouns import plural
from counterpoint.language.verbs import gerund, participle, past, third_person

_ENDINGS = (("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"))
_DEGREES = (("er", ""), ("er", "e"), ("ier", "y"), ("est", ""), ("est", "e"), ("iest", "y"))


@lru_cache(1 << 17)
def is_word(word: str) -> bool:
    """Whether a lowercase string is an English word, an inflected form, or a name of the lexicon.

    >>> is_word("where"), is_word("horses"), is_word("hopping"), is_word("hosre")
    (True, True, True, False)
    """
    if word in everyday_words() or word in (known := lexicon().vocabulary):
        return True
    stems = [word.removesuffix(old) + new for old, new in _ENDINGS + _DEGREES if word.endswith(old)]
    stems = [stem for stem in stems if len(stem) > 1]
    return any(stem in known or (stem[-1] == stem[-2] and stem[:-1] in known) for stem in stems)


@cache
def everyday_words() -> frozenset[str]:
    """The words of sentences about pictures: function words, objects, actions and attributes, with inflections."""
    words = set(word_list("noise", "function") | word_list("noise", "telling"))
    for name in curated_names():
        words.update(name.split(), plural(name).split())
    for verb in word_list("verbs", "known"):
        words.update((verb, third_person(verb), gerund(verb), past(verb), participle(verb)))
    for attribute_class in attribute_classes().values():
        words.update(word for value in attribute_class.values for phrase in value for word in phrase.split())
    return frozenset(words)


def possible_readings(text: str) -> frozenset[str]:
    """The everyday words within one edit of a misspelling that share its first letter.

    >>> sorted(possible_readings("hosre"))
    ['horse', 'hose']
    """
    near = {word for part in (text, *_deletions(text)) for word in _deletion_index().get(part, ())}
    return frozenset(word for word in near if word[0] == text[0] and _within_one_edit(text, word))


def _within_one_edit(one: str, other: str) -> bool:
    """Whether the Damerau-Levenshtein distance of two words is at most one."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = next((index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if start is None:
        return True
    steps = ((1, 1), (0, 1), (1, 0))  # substitution, insertion, deletion
    if any(one[start + step :] == other[start + other_step :] for step, other_step in steps):
        return True
    return one[start : start + 2] == other[start : start + 2][::-1] and one[start + 2 :] == other[start + 2 :]


@cache
def _deletion_index() -> Mapping[str, tuple[str, ...]]:
    """Everyday words by themselves and by each of their one-letter deletions (symmetric delete lookup)."""
    index: dict[str, tuple[str, ...]] = {}
    for word in sorted(everyday_words()):
        for part in {word, *_deletions(word)}:
            index[part] = (*index.get(part, ()), word)
    return index


def _deletions(word: str) -> Iterator[str]:
    return (word[:index] + word[index + 1 :] for index in range(len(word)))

"""Semantically equivalent adversarial rules (SEARs): four rewrites by part of speech that keep the meaning.

The rules are those of the paper "Beyond Accuracy", after Ribeiro et al. 2018, with the exceptions of its authors' code:
"whom" and "when" are never contracted. Their code contracts any verb in the third person after "what" or "who" ("what
holds the cup" becomes "what's the cup"); here it is "is" alone, and not before a comma or an end, where nobody
contracts it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from counterpoint.language.tokens import TokenizedText, is_noun, match_case

_PRONOUNS = ("PNQ", "DTQ")  # who and what; also "which" and "whose", which stand before a noun
_ADVERB, _IS = "AVQ", "VBZ"


@dataclass(frozen=True, slots=True)
class SearsRule:
    """A rewrite rule: its name, its pattern, and a function that returns the new text or None."""

    name: str
    description: str
    apply: Callable[[TokenizedText], str | None]


def apply_sears(text: str) -> Iterator[tuple[SearsRule, str]]:
    """The rewrites of a question by each rule that applies.

    >>> [(rule.name, new) for rule, new in apply_sears("What color is the car?")]
    [('what-which', 'Which color is the car?'), ('color-colour', 'What colour is the car?')]
    >>> [new for _, new in apply_sears("where is the dog")], [new for _, new in apply_sears("when is it")]
    (["where's the dog"], [])
    """
    question = TokenizedText.of(text)
    for rule in SEARS_RULES:
        new = rule.apply(question)
        if new is not None:
            yield rule, new


def _contract(question: TokenizedText, openers: tuple[str, ...], tags: tuple[str, ...]) -> str | None:
    """The text with "is" contracted with each opener before it."""
    lower = question.lower
    indices = [index for index in range(1, len(lower) - 1) if lower[index] == "is" and lower[index - 1] in openers]
    indices = [
        index
        for index in indices
        if question.tags[index - 1] in tags and question.tags[index] == _IS and lower[index + 1][0].isalnum()
    ]
    contracted = {index - 1: f"{question.words[index - 1]}'s" for index in indices}
    return question.replace(contracted | dict.fromkeys(indices, "")) if indices else None


def _replace(question: TokenizedText, word: str, other: str, *, before_noun: bool = False) -> str | None:
    """The text with another word in the place of one, everywhere or only before a noun."""
    lower = question.lower
    indices = [index for index, own in enumerate(lower) if own == word]
    if before_noun:
        followed = [index for index in indices if index + 1 < len(lower) and lower[index + 1].isalpha()]
        indices = [index for index in followed if is_noun(question.tags[index + 1])]
    return question.replace({index: match_case(question.words[index], other) for index in indices}) if indices else None


SEARS_RULES = (
    SearsRule("what-is", "WP VBZ → WP's", partial(_contract, openers=("what", "who"), tags=_PRONOUNS)),
    SearsRule("what-which", "What NOUN → Which NOUN", partial(_replace, word="what", other="which", before_noun=True)),
    SearsRule("color-colour", "color → colour", partial(_replace, word="color", other="colour")),
    SearsRule("adverb-is", "ADV VBZ → ADV's", partial(_contract, openers=("where", "how", "why"), tags=(_ADVERB,))),
)
"""The four rules, in the order of the paper."""

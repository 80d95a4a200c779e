"""Semantically equivalent adversarial rules: four rewrites by part of speech that leave the sense of a question alone.

The rules are those of the paper "Beyond Accuracy", after Ribeiro et al. 2018, with the exceptions of its authors' code:
"whom" and "when" are never shortened. They shorten any verb in the third person after "what" or "who", so that "what
holds the cup" becomes "what's the cup"; here it is "is" alone, and not before a comma or an end, where nobody does so.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from counterpoint.language.tagger import is_noun
from counterpoint.language.tokens import TokenizedText, match_case

_PRONOUNS = ("PNQ", "DTQ")  # who and what; also "which" and "whose", which stand before a noun
_ADVERB, _IS = "AVQ", "VBZ"


@dataclass(frozen=True, slots=True)
class SearsRule:
    """One rewrite: its name, what it does, and the text that it makes, or nothing where it does not fit."""

    name: str
    does: str
    apply: Callable[[TokenizedText], str | None]


def apply_sears(text: str) -> Iterator[tuple[SearsRule, str]]:
    """What each rule that fits makes of a question.

    >>> [(rule.name, new) for rule, new in rewritten("What color is the car?")]
    [('what-which', 'Which color is the car?'), ('color-colour', 'What colour is the car?')]
    >>> [new for _, new in rewritten("where is the dog")], [new for _, new in rewritten("when is it")]
    (["where's the dog"], [])
    """
    wording = TokenizedText.of(text)
    for rule in SEARS_RULES:
        new = rule.apply(wording)
        if new is not None:
            yield rule, new


def _what_is(wording: TokenizedText) -> str | None:
    return _contract(wording, {"what", "who"}, _PRONOUNS)


def _adverb_is(wording: TokenizedText) -> str | None:
    return _contract(wording, {"where", "how", "why"}, (_ADVERB,))


def _contract(wording: TokenizedText, openers: set[str], tags: tuple[str, ...]) -> str | None:
    """The text with "is" drawn together with each opener before it."""
    small = wording.small
    places = [place for place in range(1, len(small) - 1) if small[place] == "is" and small[place - 1] in openers]
    places = [
        place
        for place in places
        if wording.tags[place - 1] in tags and wording.tags[place] == _IS and small[place + 1][0].isalnum()
    ]
    if not places:
        return None
    return wording.exchanged(
        {place - 1: f"{wording.words[place - 1]}'s" for place in places} | dict.fromkeys(places, "")
    )


def _what_noun(wording: TokenizedText) -> str | None:
    small = wording.small
    places = [place for place in range(len(small) - 1) if small[place] == "what" and small[place + 1].isalpha()]
    nouns = [place for place in places if is_noun(wording.tags[place + 1])]
    if not nouns:
        return None
    return wording.exchanged({place: match_case(wording.words[place], "which") for place in nouns})


def _colour(wording: TokenizedText) -> str | None:
    places = [place for place, word in enumerate(wording.small) if word == "color"]
    if not places:
        return None
    return wording.exchanged({place: match_case(wording.words[place], "colour") for place in places})


SEARS_RULES = (
    SearsRule("what-is", "WP VBZ → WP's", _what_is),
    SearsRule("what-which", "What NOUN → Which NOUN", _what_noun),
    SearsRule("color-colour", "color → colour", _colour),
    SearsRule("adverb-is", "ADV VBZ → ADV's", _adverb_is),
)
"""The four rules, in the order of the paper."""

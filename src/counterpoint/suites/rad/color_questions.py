"""Color questions: "What color is the cat?" becomes "Is the color of the cat white?"."""

import re
from functools import cache, lru_cache
from itertools import pairwise

from counterpoint.language.answers.rule_sets import normalize_vqa
from counterpoint.language.english import join_list
from counterpoint.language.lexicon.attributes import attribute_classes, excludes
from counterpoint.language.lexicon.senses import is_a
from counterpoint.language.lexicon.word_lists import split_list, word_table
from counterpoint.language.nouns import head, singular
from counterpoint.language.tokens import tag_words
from counterpoint.scenes.names import is_known
from counterpoint.suites.rad.augmentation import DATA, Augmentation, QuestionSubject, listed_words

_WHOSE_PLACE = re.compile(r"'s? .+ (?:to|on) the (?:left|right)$")  # "the man's shirt to the right"
_HELPING = ("VB", "VH", "VD", "VM")


def parse_thing(subject: str) -> QuestionSubject | str:
    """What follows "What color is the", if it names a thing: not "What color is the man wearing?"."""
    if _WHOSE_PLACE.search(subject):
        return "whose place it tells is not settled by its words"
    tags = tag_words(("The", *subject.split(), "."))[1:-1]
    clause = any(tag.startswith(_HELPING) for tag in tags[:-1])
    if tags[-1].startswith(("CJ", "TO")) or (tags[-1].startswith(("PR", "AVP", "V")) and not clause):
        return "asks for the color of what is done"
    return QuestionSubject(subject)


def shows_picture(subject: QuestionSubject) -> bool:
    """Whether a subject may be the photograph itself: "the picture", "this photo".

    >>> shows_picture(QuestionSubject("picture")), shows_picture(QuestionSubject("picture frame"))
    (True, False)
    """
    return head(subject.noun.lower()) in listed_words("color.picture")


@lru_cache(1 << 14)
def color_value(subject: QuestionSubject, answer: str) -> str:
    """The colors of an answer in alphabetical order, or nothing if it says anything else.

    >>> [color_value(QuestionSubject("cat"), answer) for answer in ("White & black", "light grey", "wood")]
    ['black and white', 'light gray', '']
    """
    words = normalize_vqa(answer).replace("/", " ").split()
    words, colors = [word for word in words if word not in listed_words("color.between")], set[str]()
    while words:
        length = next((n for n in (2, 1) if len(words) >= n and hues(" ".join(words[:n]))), 0)
        if not length:
            return ""
        shade, _, plain = " ".join(words[:length]).rpartition(" ")
        known = attribute_classes()["color"].canonical
        colors.add(known(f"{shade} {plain}".strip()) or f"{shade} {known(plain) or plain}".strip())
        words = words[length:]
    return join_list(sorted(colors))


@lru_cache(1 << 14)
def hues(color: str) -> tuple[str, ...]:
    """The basic colors that a color is or is close to; none where the words name no color.

    >>> hues("grey"), hues("neon green"), hues("burgundy"), hues("wood")
    (('gray',), ('green',), ('maroon', 'red'), ())
    """
    known = attribute_classes()["color"].canonical(color)
    close_colors = word_table("questions", DATA)["color"]["close"]
    if known or color in close_colors:
        return (known,) if known else split_list(close_colors[color])
    shade, _, plain = color.rpartition(" ")
    if shade not in listed_words("color.shades"):
        return ()
    close = {"light": ("white",), "pale": ("white",), "dark": ("black",), "deep": ("black",)}.get(shade, ())
    return (*hues(plain), *close) if hues(plain) else ()


@lru_cache(1 << 16)
def colors_exclude(subject: QuestionSubject, wanted: str, answer: str) -> bool:
    """Whether no color of a value is close to any color of an answer."""
    return all(excludes(one, other) for one in _all_hues(wanted) for other in _all_hues(answer))


@lru_cache(1 << 14)
def are_near(subject: QuestionSubject, wanted: str, answer: str) -> bool:
    """Whether one person may call by one color what another calls by the other: bricks and coats are brown or red.

    >>> [are_near(QuestionSubject(thing), "yellow", "brown") for thing in ("stallion", "car")]
    [True, False]
    """
    thing, near = singular(head(subject.noun.lower())), listed_words("color.near")
    if thing in listed_words("color.coats") or (is_known(thing) and is_a(thing, "animal")):
        near |= listed_words("color.near_on_coats")
    return all(not near.isdisjoint(_all_hues(text)) for text in (wanted, answer))


@cache
def _all_hues(text: str) -> tuple[str, ...]:
    """The hues of every color that a text names, whatever else it says."""
    parts = normalize_vqa(text).replace("/", " ").split()
    pairs = map(" ".join, pairwise(parts))
    return tuple(dict.fromkeys(hue for part in (*pairs, *parts) for hue in hues(part)))


def _number_of_colors(value: str) -> int:
    return 1 + len(re.findall(r", and | and |, ", value))


color = Augmentation(
    "color",
    "what color is the",
    parse_thing,
    color_value,
    colors_exclude,
    lambda subject, wanted: f"is the color of the {subject.noun} {wanted}",
    "its answer is no color",
    alike=lambda value, other: _number_of_colors(value) == _number_of_colors(other),
)

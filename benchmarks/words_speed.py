"""How many questions a second one core rewrites: `python -m benchmarks.words_speed [SCENES]`.

Time is that of the process. The first pass tags questions and looks up words, as any run does; the second finds both
done, and shows what the rules themselves take. Beside them stands the plain way: every question tagged, and a
misspelling held against every everyday word with a table of distances.
"""

import sys
from collections.abc import Callable, Iterable
from functools import partial
from random import Random
from time import process_time
from typing import Any

from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import Question
from counterpoint.language.lexicon.vocabulary import everyday_words, is_word
from counterpoint.language.noise.kinds import NOISE_KINDS, TYPOS, apply_noise
from counterpoint.language.noise.protected_words import ProtectedQuestion
from counterpoint.language.sears import apply_sears
from counterpoint.language.tokens import TokenizedText, tag_words
from counterpoint.suites.robustness import word_noise
from counterpoint.suites.suite import Suite, generate_groups
from counterpoint.world.source import World

PLAIN = 20
"""Questions for the plain way, which takes its time."""


def main(scenes: int = 400) -> None:
    """Print questions and rewrites a second, for words alone and for whole groups."""
    asked = list(World("test", scenes).questions())
    for name, make in (("four rules", _rules), ("ten kinds of noise", _noise)):
        for turn in ("first", "again"):
            _timed(f"{name}, words, {turn}", asked, make)
    for suite in (word_noise.sears, word_noise.suite, word_noise.severities):
        _timed(f"{suite.name}, groups", asked, partial(_grouped, suite))
    tag_words.cache_clear()
    _timed("plain: tag every question", asked[:500], lambda items: sum(len(_tags(item)) > 0 for item in items))
    _timed("plain: four slips, every word", asked[:PLAIN], _plain_slips)


def _timed(name: str, asked: list[Question], make: Callable[[list[Question]], int]) -> None:
    start = process_time()
    made = make(asked)
    seconds = process_time() - start
    print(f"{name:<32} {len(asked) / seconds:8.0f} questions  {made / seconds:8.0f} rewrites a second")


def _rules(asked: Iterable[Question]) -> int:
    return sum(1 for question in asked for _ in apply_sears(question.text))


def _noise(asked: Iterable[Question]) -> int:
    rng, made = Random(0), 0
    for question in asked:
        loose = ProtectedQuestion.of(question.text, question.choices)
        made += sum(len(apply_noise(loose, kind, rng)) for kind in NOISE_KINDS)
    return made


def _grouped(suite: Suite[Any, Any], asked: list[Question]) -> int:
    return sum(len(group.variants) for _, group in generate_groups(suite, asked))


def _tags(question: Question) -> tuple[str, ...]:
    return tag_words(TokenizedText.of(question.text).words)


def _plain_slips(asked: Iterable[Question]) -> int:
    """A slip of each kind in a word of each question, drawn until it is near no other word."""
    made = 0
    for question in asked:
        rng = seeded_rng(question.id)
        for slip in TYPOS.values():
            words = [word for word in TokenizedText.of(question.text).lower if len(word) > 4 and word.isalpha()]
            rng.shuffle(words)
            made += any(_is_clear(other, word) for word in words for other in list(slip(word[:2], word[2:]))[:1])
    return made


def _is_clear(made: str, word: str) -> bool:
    return not is_word(made) and [one for one in everyday_words() if _distance(made, one) == 1] == [word]


def _distance(one: str, other: str) -> int:
    last = list(range(len(other) + 1))
    for number, mine in enumerate(one, 1):
        row = [number]
        for place, its in enumerate(other, 1):
            row.append(min(last[place] + 1, row[-1] + 1, last[place - 1] + (mine != its)))
        last = row
    return last[-1]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))

"""Translation and back-translation, by checkpoints of the hub or the program apertium."""

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from counterpoint.core.errors import ModelError, UnknownName

PROGRAM = "apertium"
MARKS = re.compile(r"[*#@](?=\w)")
"""The marks of apertium before a word that it does not know, cannot inflect or cannot transfer."""
AT_ONCE = 64
PIPED = 1024
"""Lines per run of a program, whose start takes longer than its work."""
WAYS = ("hf", PROGRAM)


class Translator(Protocol):
    """Translates texts from one language to another."""

    def translate(self, texts: Sequence[str]) -> list[str]:
        """One translation for each text."""


@dataclass(frozen=True, slots=True)
class Apertium:
    """One direction of the translator `apertium`, such as eng-spa, as a program in a pipe."""

    pair: str
    program: str = PROGRAM

    def __post_init__(self) -> None:
        if shutil.which(self.program) is None:
            hint = "on Debian: apt install apertium apertium-eng-spa; or name models of the hub: hf/NAME"
            raise ModelError(f"{self.program} is not on the path", hint=hint)

    def translate(self, texts: Sequence[str]) -> list[str]:
        """A line for each text."""
        lines = "\n".join(" ".join(text.split()) for text in texts) + "\n"
        command = [self.program, self.pair]
        done = subprocess.run(command, input=lines, capture_output=True, encoding="utf-8", check=False)
        lines_back = done.stdout.splitlines()
        if done.returncode or len(lines_back) != len(texts):
            messages = done.stderr.strip().splitlines() or [f"{len(lines_back)} lines for {len(texts)}"]
            raise ModelError(f"{PROGRAM} {self.pair} failed: {messages[0]}", hint=f"{PROGRAM} -l lists what it knows")
        return lines_back


def open_translator(name: str) -> Translator:
    """A translator by its name: `apertium/eng-spa`, or `hf/` and a checkpoint of the hub or a folder."""
    way, _, known_there = name.partition("/")
    if way not in WAYS or not known_there:
        raise UnknownName("way of translating", name, [f"{way}/…" for way in WAYS])
    if way == PROGRAM:
        return Apertium(known_there)
    from counterpoint.models.hf.text_models import SequenceTranslator  # needs torch

    return SequenceTranslator(known_there)


def back_translate(
    texts: Iterable[tuple[str, str]], there: Translator, back: Translator, rejected: Counter[str]
) -> Iterator[tuple[str, str]]:
    """Back-translated texts by id; those that are unchanged or incomplete are counted by reason."""
    piped = isinstance(there, Apertium) and isinstance(back, Apertium)
    pairs = iter(texts)
    while part := list(islice(pairs, PIPED if piped else AT_ONCE)):
        returned = back.translate(there.translate([text for _, text in part]))
        for (key, text), other in zip(part, returned, strict=True):
            if reason := _rejection(text, other):
                rejected[reason] += 1
            else:
                yield key, other.strip()


def _rejection(text: str, other: str) -> str:
    if not any(sign.isalnum() for sign in other):
        return "nothing came back"
    if MARKS.search(other) and not MARKS.search(text):
        return "a word is not known to the translator"
    return "unchanged" if _plain(text) == _plain(other) else ""


def _plain(text: str) -> str:
    """A text by its letters and digits alone, without case and punctuation."""
    return " ".join("".join(sign if sign.isalnum() else " " for sign in text.lower()).split())

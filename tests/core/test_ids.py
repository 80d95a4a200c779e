"""Ids follow from content alone: the same everywhere, and different for different content."""

import json
import os
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st
from strategies import odd_texts, plains, texts

from counterpoint.core.ids import Plain, canonical, content_id, hex_id, seeded_rng

PRINT_IDS = """
from counterpoint.core.groups import Mode, Query, hex_id
from counterpoint.core.ids import content_id, seeded_rng
from counterpoint.core.pictures import Edit, Picture
picture = Picture("coco:val2014/7.jpg", (Edit("blur", ("6",), seed=3),))
print(hex_id(Query(picture, "Où est le chat ?", Mode.SCORE, ("ja", "nein"), "before").id))
print(hex_id(content_id(["ß", ["\\u2028", -1], []])))
print(seeded_rng("luck", 7).random())
"""
PRINTED = ["1d3d8f59a15834d7", "3fba327ae4c85bb2", "0.8614036482740282"]


@given(plains(), plains())
def test_equal_content_and_no_other_shares_a_line(one: Plain, other: Plain) -> None:
    assert (canonical(one) == canonical(other)) == (one == other)


@given(plains())
def test_a_line_says_everything_that_it_was_made_of(content: Plain) -> None:
    line = canonical(content)
    assert json.loads(line) == content
    assert "\n" not in line


@given(st.lists(odd_texts | texts, max_size=4), st.lists(odd_texts | texts, max_size=4))
def test_no_sign_inside_a_field_can_pass_for_the_end_of_it(one: list[str], other: list[str]) -> None:
    assert (canonical(one) == canonical(other)) == (one == other)
    assert (content_id(one) == content_id(other)) == (one == other)


@given(odd_texts | texts)
def test_text_is_taken_as_it_is_and_never_normalised(text: str) -> None:
    changed = text.replace("é", "e\u0301")
    assert (content_id(text) == content_id(changed)) == (text == changed)


def test_a_pair_of_surrogates_is_not_the_character_it_might_stand_for() -> None:
    assert content_id("\ud83d\ude00") != content_id("\U0001f600")


def test_a_number_is_not_its_digits() -> None:
    assert content_id(["7"]) != content_id([7])
    assert content_id([["a"], "b"]) != content_id(["a", ["b"]])
    assert content_id(("a", "b")) == content_id(["a", "b"])


@given(plains())
def test_an_id_fits_sixty_four_bits_and_reads_as_sixteen_digits(content: Plain) -> None:
    number = content_id(content)
    assert 0 <= number < 2**64
    assert len(hex_id(number)) == 16
    assert int(hex_id(number), 16) == number


def test_ids_are_the_same_in_processes_with_other_hash_seeds() -> None:
    for seed in ("0", "1", "4242"):
        assert _printed(seed) == PRINTED


def test_the_same_content_brings_the_same_luck() -> None:
    assert [seeded_rng("a", 1).random() for _ in range(3)] == [seeded_rng("a", 1).random()] * 3
    assert seeded_rng("a", 1).random() != seeded_rng("a", 2).random()


def _printed(hash_seed: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PRINT_IDS],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout.split()


@given(plains())
def test_a_line_is_that_of_the_json_module(content: Plain) -> None:
    assert canonical(content) == json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def test_every_character_is_written_as_the_json_module_writes_it() -> None:
    text = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x30000))))
    assert canonical([text]) == json.dumps([text], ensure_ascii=False)

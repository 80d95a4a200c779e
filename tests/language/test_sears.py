"""The four adversarial rules: what each makes of a question, and where it keeps its hands off."""

import pytest
from hypothesis import given
from strategies import texts

from counterpoint.language.sears import SEARS_RULES, apply_sears
from counterpoint.language.tokens import TokenizedText


def _made(text: str) -> dict[str, str]:
    return {rule.name: new for rule, new in apply_sears(text)}


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("what color is the car", {"what-which": "which color is the car", "color-colour": "what colour is the car"}),
        ("where is the dog", {"adverb-is": "where's the dog"}),
        ("what is the man holding", {"what-is": "what's the man holding"}),
        ("when is it", {}),
        ("Whom is he looking at?", {}),
        ("Who is on the boat?", {"what-is": "Who's on the boat?"}),
        ("Is the man who is sitting old?", {"what-is": "Is the man who's sitting old?"}),
        ("WHAT ROOM IS THIS?", {"what-which": "WHICH ROOM IS THIS?"}),
        ("How is the weather?", {"adverb-is": "How's the weather?"}),
        ("Is the color of the first car the color of the last?", None),
    ],
)
def test_each_rule_makes_what_the_paper_says(text: str, made: dict[str, str] | None) -> None:
    if made is None:
        made = {"color-colour": text.replace("color", "colour")}
    assert _made(text) == made


@pytest.mark.parametrize(
    "text",
    [
        "What holds the cup?",
        "What does the sign say?",
        "What has four legs?",
        "What are these?",
        "What's this?",
        "Can you tell what is, and what was?",
        "What is?",
        "Which kind are the clouds?",
        "Is the colorful bird discolored?",
        "",
        "¿Qué es esto?",
    ],
)
def test_no_rule_changes_what_it_would_spoil(text: str) -> None:
    assert _made(text) == {}


@given(texts)
def test_any_text_is_taken_and_what_is_exchanged_for_itself_stays_as_it_is(text: str) -> None:
    wording = TokenizedText.of(text)
    assert wording.replace(dict(enumerate(wording.words))) == text
    assert all(new != text for new in _made(text).values())


def test_rules_have_names_of_their_own() -> None:
    assert [rule.name for rule in SEARS_RULES] == ["what-is", "what-which", "color-colour", "adverb-is"]

"""Clauses: where the subject of a yes/no question ends, and the statement that it asks about."""

import pytest

from counterpoint.language.clauses import PolarClause, parse_clause

STATEMENTS = {
    "Is the door open?": "the door is not open",
    "is it raining": "it is not raining",
    "Is this a hotel bathroom?": "this is not a hotel bathroom",
    "Is this man cooking at home?": "this man is not cooking at home",
    "Are these people having fun?": "these people are not having fun",
    "Are these three teddy bears?": "these are not three teddy bears",
    "Are the windows of the building open?": "the windows of the building are not open",
    "Is the man on the left wearing a hat?": "the man on the left is not wearing a hat",
    "Is the woman's hat striped?": "the woman's hat is not striped",
    "Is the man running?": "the man is not running",
    "Does the smaller elephant have tusks?": "the smaller elephant does not have tusks",
    "Was this bus painted by hand?": "this bus was not painted by hand",
    "Is the remote control on the table?": "the remote control is not on the table",
}
UNSETTLED = [
    "Are the men construction workers?",
    "Is the entrance to the tower big?",
    "Is the cake level on the table?",
    "Is the person holding the spatula on the right?",
    "Is the man wearing a hat smiling?",
    "Is this good weather for their flight?",
    "Are these cows in a field?",
    "Is that lettering part of the original photo?",
    "Is the dog on the right brown?",
    "Is the female skiing in the snow?",
    "Are the girls in black wearing helmets?",
    "Is the meal dairy free?",
    "Is the cup heart shaped?",
    "Is this glow in the dark?",
]


@pytest.mark.parametrize(("text", "negation"), STATEMENTS.items())
def test_the_words_of_a_question_make_the_statement_it_asks_about(text: str, negation: str) -> None:
    clause = parse_clause(text)
    assert isinstance(clause, PolarClause)
    assert clause.statement(negated=True) == negation


def test_a_verb_is_inflected_where_do_falls_away() -> None:
    texts = ("Does the dog enjoy the ride?", "Did the man take it?", "Do they have numbers?", "Does he have a hat on?")
    statements = [clause.statement() for text in texts if isinstance(clause := parse_clause(text), PolarClause)]
    assert statements == ["the dog enjoys the ride", "the man took it", "they have numbers", "he has a hat on"]


@pytest.mark.parametrize("text", UNSETTLED)
def test_a_question_with_two_readings_is_not_parsed(text: str) -> None:
    assert parse_clause(text) == "where its subject ends is not settled by its words"


@pytest.mark.parametrize(
    ("text", "reason"),
    {
        "Is the bears eyes open?": "its verb does not agree with its subject",
        "Are all of the elephants adults?": "its subject is not definite",
        "What is it?": "it is no yes/no question with be or do",
        "Is it red, or is it blue?": "it has more than one clause",
        "": "it is no yes/no question with be or do",
    }.items(),
)
def test_a_question_that_cannot_be_parsed_has_its_reason(text: str, reason: str) -> None:
    assert parse_clause(text) == reason

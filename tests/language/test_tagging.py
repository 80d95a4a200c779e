from counterpoint.language.tagger import is_noun, tagged


def test_a_noun_is_told_from_an_adjective_and_a_participle() -> None:
    assert [is_noun(tag) for tag in tagged(("How", "many", "yellow", "vases", "are", "standing", "?"))] == [
        *(False, False, False, True),
        *(False, False, False),
    ]


def test_no_words_have_no_tags() -> None:
    assert tagged(()) == ()

from counterpoint.language.tokens import is_noun, tag_words


def test_a_noun_is_told_from_an_adjective_and_a_participle() -> None:
    assert [is_noun(tag) for tag in tag_words(("How", "many", "yellow", "vases", "are", "standing", "?"))] == [
        *(False, False, False, True),
        *(False, False, False),
    ]


def test_no_words_have_no_tags() -> None:
    assert tag_words(()) == ()

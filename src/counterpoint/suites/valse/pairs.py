"""A caption and its foil as a group in which the caption ranks first."""

from collections.abc import Iterable

from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.items import Caption


def caption_group(
    caption: Caption,
    texts: tuple[str, str],
    words: tuple[str, str],
    *,
    test: str,
    kind: str,
    proof: str,
    usual: str,
    tags: Iterable[tuple[str, str]] = (),
) -> Group:
    """A group of one instrument; `texts` and `words` are the caption's and the foil's, `usual` is the likelier side."""
    about = (("word", words[0]), ("exchanged", " | ".join(sorted(words))), ("usual", usual), ("caption", caption.id))
    return Group(
        Relation.RANKS,
        (
            Query(caption.picture, texts[0], mode=Mode.SCORE),
            Query(caption.picture, texts[1], mode=Mode.SCORE),
        ),
        (None, None),
        proof=proof,
        kind=kind,
        tags=((*about, *tags), (("word", words[1]), *tags)),
        test=test,
    )

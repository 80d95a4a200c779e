"""Models that know texts alone: our own language model, told captions, and the trigrams of pocketsphinx."""

import json
import math
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, ModelError
from counterpoint.core.groups import Mode, Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pixels, Scale, Scorer
from counterpoint.language.kneser_ney import train_model
from counterpoint.models.text.ngram import (
    BASE,
    CrossFittedNGrams,
    TrainingCaption,
    TrigramModel,
    ngram,
    picture_key,
    read_captions,
    spoken_words,
)

CAPTIONS = ("A cat sits on a mat.", "A dog sits on a rug.", "Two dogs run in a field.")


class NoPictures:
    """Nobody may look."""

    def pixels(self, picture: Picture) -> Pixels:
        raise AssertionError(f"{picture} was looked at")


def scored(text: str, picture: str = "coco:val2017/000000000001.jpg") -> Query:
    return Query(Picture(picture), text, Mode.SCORE)


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "captions.txt"
    path.write_text("\n".join([*CAPTIONS, "", "  "]), "utf-8")
    return path


def test_a_model_is_told_captions_by_a_setting_and_never_looks(lines: Path) -> None:
    model = catalog.model("ngram", NoPictures(), {"captions": str(lines)})
    assert isinstance(model, Scorer)
    assert model.scale is Scale.SIMILARITY
    usual, unusual = model.score([scored("A dog sits on a mat."), scored("A mat sits on a dog.")])
    assert usual > unusual
    assert usual == np.float32(train_model(CAPTIONS).scores(["A dog sits on a mat."])[0])


def test_a_fingerprint_tells_what_was_told_and_how_not_in_which_order(lines: Path, tmp_path: Path) -> None:
    turned, other = tmp_path / "turned.txt", tmp_path / "other.txt"
    turned.write_text("\n".join(reversed(CAPTIONS)), "utf-8")
    other.write_text("\n".join(CAPTIONS[:2]), "utf-8")
    first = ngram(captions=str(lines)).fingerprint
    assert ngram(captions=str(turned)).fingerprint == first
    assert len({first, ngram(captions=str(other)).fingerprint, ngram(captions=str(lines), order=2).fingerprint}) == 3


def test_captions_in_the_layout_of_coco_come_with_their_pictures(tmp_path: Path) -> None:
    path = tmp_path / "captions_val2017.json"
    path.write_text(json.dumps({"annotations": [{"image_id": 291619, "id": 1, "caption": " A field. "}]}), "utf-8")
    assert read_captions(path) == [TrainingCaption("000000291619", "A field.")]
    path.write_text(path.read_text("utf-8"), "utf-8-sig")  # as some editors save it
    assert read_captions(path) == [TrainingCaption("000000291619", "A field.")]
    assert picture_key("coco:val2017/000000291619.jpg") == picture_key("coco:val2014/COCO_val2014_000000291619.jpg")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no caption"),
        (b" \n\n", "holds no caption"),
        (b'{"annotations": []}', "holds no caption"),
        (b'["A cat.", "A dog."]', "is JSON, and not in COCO's layout"),
        (b'{"annotations": [{"caption": "A cat."}]}', "is JSON, and not in COCO's layout"),
        (b'{"images": []}', "is JSON, and not in COCO's layout"),
        (b'{"annotations": [{"image_id": "x", "caption": 3}]}', "is JSON, and not in COCO's layout"),
        (b"{", "is JSON, and not in COCO's layout"),
        (b"\xff\xfe", "cannot be read: it is no text in UTF-8"),
        (None, "cannot be read: No such file"),
    ],
)
def test_what_holds_no_captions_is_named(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "captions"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError, match=said) as caught:
        ngram(captions=str(path))
    assert "one in each line" in caught.value.hint


def test_without_captions_or_with_an_odd_order_there_is_no_model(lines: Path) -> None:
    with pytest.raises(ModelError, match="no captions to learn from") as caught:
        catalog.model("ngram", NoPictures())
    assert "study blind" in caught.value.hint
    with pytest.raises(ModelError, match="order is 0"):
        catalog.model("ngram", NoPictures(), {"captions": str(lines), "order": "0"})
    with pytest.raises(CounterpointError, match="no setting of ngram is called 'caption'"):
        catalog.model("ngram", NoPictures(), {"caption": str(lines)})


def test_each_picture_has_the_model_of_its_fold_whatever_the_company() -> None:
    one, other = train_model(CAPTIONS), train_model(CAPTIONS[:1])
    model = CrossFittedNGrams([one, other], {"a:1.png": 0, "000000000007": 1}, "folds")
    queries = [scored("A dog.", "a:1.png"), scored("A dog.", "coco:x/000000000007.jpg"), scored("A dog.", "a:2.png")]
    scores = model.score(queries)
    assert scores[:2].tolist() == [np.float32(each.scores(["A dog."])[0]) for each in (one, other)]
    assert math.isnan(scores[2])
    assert [float(model.score([query])[0]) for query in queries[:2]] == scores[:2].tolist()


def test_the_trigrams_are_asked_for_each_word_after_the_two_before_it_and_for_the_end() -> None:
    asked: list[list[str]] = []

    class Told:
        def prob(self, words: list[str]) -> int:
            asked.append(words)
            return -10_000 * len(words)

    (score,) = TrigramModel(Told(), "told").score([scored("12 Cats!")])
    assert asked == [["twelve", "<s>"], ["cats", "twelve", "<s>"], ["</s>", "cats", "twelve"]]
    assert score == pytest.approx(-80_000 * BASE / 3)
    assert score < 0


def test_numbers_are_said_in_words_as_far_as_words_go() -> None:
    assert " ".join(spoken_words("I see 0, 21 and 100.")) == "i see zero twenty one and one hundred"
    assert spoken_words("In 1999 and 250") == ["in", "1999", "and", "250"]


@pytest.mark.skipif(find_spec("pocketsphinx") is not None, reason="pocketsphinx is installed")
def test_trigrams_that_are_not_installed_are_named_with_what_brings_them() -> None:
    with pytest.raises(ModelError, match="pocketsphinx, which is not installed") as caught:
        catalog.model("trigram", NoPictures())
    assert "nlp" in caught.value.hint


def test_trigrams_know_english() -> None:
    pytest.importorskip("pocketsphinx")
    model = catalog.model("trigram", NoPictures())
    assert isinstance(model, Scorer)
    texts = ("There is a dog on the street.", "Street the on dog a is there.", "There is a dgo on the street.")
    usual, turned, odd = model.score([scored(text) for text in texts])
    assert 0 > usual > max(turned, odd)
    assert usual == pytest.approx(float(model.score([scored("there is a dog on the street")])[0]))

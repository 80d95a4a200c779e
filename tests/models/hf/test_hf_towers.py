"""Two-tower models: what is cached is what the model itself computes, and each picture and text is encoded once."""

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_pairs
from proving import sample
from tiny_pairs import Shown, asked, passed, scorer, spread

from counterpoint.core.errors import CounterpointError, ModelError, PictureError
from counterpoint.core.groups import Mode, Query
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Answerer, BatchingModel, FeatureModel, Scale, Scorer
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.engine.running import run
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.picture_processing import PictureProcessor
from counterpoint.models.hf.processors import TextTokenizer
from counterpoint.models.hf.towers import VectorCache
from counterpoint.store.groups import read_queries as read
from counterpoint.testing import MemoryLog

KINDS = ("clip", "siglip", "siglip2", "align", "altclip")
TOWERS = {
    "clip": "CLIPVisionModel",
    "siglip": "SiglipVisionModel",
    "siglip2": "Siglip2VisionModel",
    "align": "AlignVisionModel",
    "altclip": "AltCLIPVisionModel",
}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("towers")


def _direct(folder: Path, queries: list[Query]) -> np.ndarray[Any, Any]:
    """The model's own forward pass over its own processors, one pair at a time."""
    import torch
    from PIL import Image
    from transformers import AutoImageProcessor, AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(folder).eval()
    eyes = AutoImageProcessor.from_pretrained(folder, backend="pil")
    words = AutoTokenizer.from_pretrained(folder)
    padding = "max_length" if "siglip" in folder.name else False
    found = []
    for query in queries:
        assert query.picture is not None
        pixels = eyes(images=Image.fromarray(Shown().pixels(query.picture)), return_tensors="pt")
        text = words([query.text], padding=padding, max_length=24, truncation=True, return_tensors="pt")
        with torch.no_grad():
            logits = model(**pixels, **text).logits_per_image
        found.append(float(torch.sigmoid(logits) if "siglip" in folder.name else logits))
    return np.array(found)


@pytest.mark.parametrize("kind", sample(KINDS, 2))
def test_scores_from_what_is_kept_are_those_of_the_models_own_forward_pass(kind: str, folder: Path) -> None:
    queries = asked()
    model = scorer(tiny_pairs.made(kind, folder))
    first, again = model.score(queries), model.score(queries)
    direct = _direct(tiny_pairs.made(kind, folder), queries)
    assert np.allclose(first, direct, rtol=1e-5, atol=1e-5)
    assert np.allclose(again, direct, rtol=1e-5, atol=1e-5)
    assert min(spread(first, queries)) > 1e-3


@pytest.mark.parametrize("kind", sample(KINDS, 2))
def test_scores_in_company_equal_scores_alone(kind: str, folder: Path) -> None:
    queries = asked()
    place = tiny_pairs.made(kind, folder)
    alone = [float(scorer(place).score([query])[0]) for query in queries[:8]]
    assert np.allclose(scorer(place).score(queries)[:8], alone, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", sample(KINDS, 1))
def test_a_run_encodes_each_picture_once_and_finds_scores_alike_alone(kind: str, folder: Path) -> None:
    queries, log = asked(), MemoryLog()
    with Prefetcher(Shown(), threads=2) as pictures, passed(TOWERS[kind]) as rows:
        outcome = run(
            tiny_pairs.table(queries),
            scorer(tiny_pairs.made(kind, folder), pictures),
            log,
            pictures,
            read=read,
            batch=7,
        )
    assert (outcome.asked, outcome.failed) == (len(queries), 0)
    assert outcome.batch_invariance is not None
    assert outcome.batch_invariance.differing == 0
    assert sum(rows) == 6
    direct = scorer(tiny_pairs.made(kind, folder)).score(queries)
    assert [log.says[query.id, 0].score for query in queries] == pytest.approx(direct.tolist(), rel=1e-5, abs=1e-5)


def test_a_text_is_read_once_and_both_are_seen_in_many_at_once(folder: Path) -> None:
    model, queries = scorer(tiny_pairs.made("clip", folder)), asked()
    with passed("CLIPVisionModel") as pictures, passed("CLIPTextModel") as texts:
        model.score(queries)
        model.score(queries[::-1])
    assert (pictures, sum(texts)) == ([6], 4)


def test_scores_are_the_same_whatever_was_announced(folder: Path) -> None:
    place, queries = tiny_pairs.made("clip", folder), asked()
    half, direct = len(queries) // 2, scorer(place).score(queries)
    model = scorer(place)
    model.expect(queries[half:])
    first = model.score(queries[:half])
    assert np.allclose([*first, *model.score(queries[half:])], direct, rtol=1e-5, atol=1e-5)
    other = scorer(place)
    other.expect(queries[:1])
    other.expect(queries[1:2])
    assert np.allclose(other.score(queries[::-1]), direct[::-1], rtol=1e-5, atol=1e-5)


def test_texts_of_one_length_are_read_together(folder: Path) -> None:
    model, picture = scorer(tiny_pairs.made("clip", folder)), asked()[0].picture
    with passed("CLIPTextModel") as texts:
        model.score([Query(picture, text, Mode.SCORE) for text in ("a dog", "the red car", "a cat", "one car")])
    assert sorted(texts) == [1, 3]


def test_what_is_told_to_come_is_begun_before_it_is_asked(folder: Path) -> None:
    model, queries = scorer(tiny_pairs.made("clip", folder)), asked()
    gone = Query(Picture("p:gone"), "a dog", Mode.SCORE)
    with passed("CLIPVisionModel") as rows:
        model.expect([*queries[8:12], gone, *queries[12:]])
        first = model.score(queries[:8])
        assert rows == [2, 4]
        later = model.score(queries[8:])
    assert rows == [2, 4]
    plain = scorer(tiny_pairs.made("clip", folder)).score(queries)
    assert np.allclose([*first, *later], plain, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("kind", "scale"), [("clip", Scale.SIMILARITY), ("siglip", Scale.PROBABILITY)])
def test_a_model_says_what_its_numbers_are_and_what_it_can_do(kind: str, scale: Scale, folder: Path) -> None:
    model = scorer(tiny_pairs.made(kind, folder))
    assert model.scale is scale
    assert isinstance(model, Scorer)
    assert isinstance(model, FeatureModel)
    assert isinstance(model, BatchingModel)
    assert not isinstance(model, Answerer)
    assert scorer(tiny_pairs.made(kind, folder), batch="9").batch_size == 9
    scores = model.score(asked())
    assert scores.dtype == np.float32
    assert (kind != "siglip") or ((scores > 0) & (scores < 1)).all()


@pytest.mark.parametrize("kind", sample(KINDS, 1))
def test_scores_follow_from_features(kind: str, folder: Path) -> None:
    model, queries = scorer(tiny_pairs.made(kind, folder)), asked(3)
    seen, read = model.picture_features(queries), model.text_features(queries)
    assert seen.shape[0] == read.shape[0] == len(queries)
    from_features = {place: answer.score for place, answer in model.answer_from(seen, read, queries)}
    assert [from_features[place] for place in range(len(queries))] == pytest.approx(model.score(queries).tolist())
    louder = dict(model.answer_from(seen * 3, read, queries))
    assert louder[0].score == pytest.approx(from_features[0])
    noisy = dict(model.answer_from(seen[::-1].copy(), read, queries))
    assert noisy[0].score != pytest.approx(from_features[0], abs=1e-3)


def test_one_picture_that_cannot_be_read_costs_the_others_nothing(folder: Path) -> None:
    model, queries = scorer(tiny_pairs.made("clip", folder)), asked(3)
    gone = Query(Picture("p:gone"), "a dog", Mode.SCORE)
    with passed("CLIPVisionModel") as rows:
        with pytest.raises(PictureError, match="p:gone is not there"):
            model.score([*queries[:4], gone, *queries[4:]])
        model.score(queries)
    assert rows == [3]
    with pytest.raises(PictureError, match="the query has no picture"):
        model.score([Query(None, "a dog", Mode.SCORE)])


def test_a_run_names_the_picture_that_failed_and_scores_all_others(folder: Path) -> None:
    log, queries = MemoryLog(), asked()
    gone = [Query(Picture("p:gone"), text, Mode.SCORE) for text in tiny_pairs.TEXTS]
    outcome = run(
        tiny_pairs.table([*queries, *gone]), scorer(tiny_pairs.made("clip", folder)), log, read=read, batch=16
    )
    assert (outcome.asked, outcome.failed) == (28, 4)
    assert outcome.reasons == (("p:gone is not there", 4),)
    assert len(log.says) == len(queries)


def test_the_template_and_what_was_said_before_stand_around_a_text(folder: Path) -> None:
    place, picture = tiny_pairs.made("clip", folder), Picture("p:1")
    plain, around = scorer(place), scorer(place, template="a photo of {}.")
    said = Query(picture, "a photo of a cat.", Mode.SCORE)
    assert around.score([Query(picture, "a cat", Mode.SCORE)]) == pytest.approx(plain.score([said]))
    assert around.fingerprint != plain.fingerprint
    later = Query(picture, "a cup", Mode.SCORE, context="is it red? no.")
    assert plain.score([later]) == pytest.approx(plain.score([Query(picture, "is it red? no. a cup", Mode.SCORE)]))
    with pytest.raises(ModelError, match="has no slot for a text"):
        scorer(place, template="a photo")


def test_a_text_is_cut_where_the_model_reads_no_further(folder: Path) -> None:
    model, picture = scorer(tiny_pairs.made("clip", folder)), Picture("p:1")
    long, longer = (Query(picture, "a cat " * times, Mode.SCORE) for times in (20, 40))
    assert model.score([long]) == model.score([longer])
    assert model.score([long]) != model.score([Query(picture, "a cat", Mode.SCORE)])


@pytest.mark.parametrize("kind", ["clip", "siglip"])
def test_the_first_text_that_is_cut_is_told(kind: str, folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    model, picture = scorer(tiny_pairs.made(kind, folder)), Picture("p:1")
    caplog.clear()  # of what the library says of a checkpoint that is made
    model.score([Query(picture, "a cat", Mode.SCORE)])
    assert not caplog.messages
    model.score([Query(picture, f"a cat {'a dog ' * times}", Mode.SCORE) for times in (1, 40, 80)])
    (told,) = caplog.messages
    assert told.startswith(f"the model reads {model._texts._longest} tokens of a text, and not the end of longer ones")


class EndPaddedTokenizer:
    """Words as tokens up to an end, with which texts are padded, as SigLIP's tokenizer does it."""

    pad_token_id = 1

    def __call__(self, texts: str | list[str], max_length: int, padding: Any = False, **_: Any) -> dict[str, Any]:
        if isinstance(texts, str):
            return {"input_ids": [*range(2, 2 + min(len(texts.split()), max_length - 1)), 1]}
        rows = [self(text, max_length)["input_ids"] for text in texts]
        return {"input_ids": [row + [1] * (max_length - len(row)) * bool(padding) for row in rows]}


def test_a_text_is_told_to_be_cut_where_texts_are_padded_with_their_end(caplog: pytest.LogCaptureFixture) -> None:
    texts = TextTokenizer(EndPaddedTokenizer(), 6, whole=True)
    texts.tokens(["a cat", "a cat on a mat", "a cat on a", ""])
    assert not caplog.messages
    texts.tokens(["a cat", "a cat on a red mat"])
    assert len(caplog.messages) == 1


@pytest.mark.parametrize(
    ("kind", "template"), [("clip", "{}"), ("clip", "a photo of {}."), ("siglip", "{}"), ("blip", "")]
)
def test_a_long_context_is_cut_at_its_start_and_never_hides_the_text(kind: str, template: str, folder: Path) -> None:
    model, picture = (
        scorer(tiny_pairs.made(kind, folder), **({"template": template} if template else {})),
        Picture("p:1"),
    )
    context = "is it red? no. " * 60
    caption, foil = (Query(picture, text, Mode.SCORE, context=context) for text in ("a dog", "two cups"))
    assert model.score([caption]) != model.score([foil])
    read = model._texts.full_text(caption, template or "{}")
    assert "is it red? no. a dog" in read
    assert len(model._texts.tokens([read])[0]["input_ids"]) <= model._texts._longest
    assert model._texts.full_text(Query(picture, "a dog", Mode.SCORE, context="a  b")) == "a  b a dog"
    hidden = Query(picture, "a cat " * 100, Mode.SCORE, context=context)
    assert model._texts.full_text(hidden) == hidden.text  # which has no room for a context


@pytest.mark.parametrize("kind", sample(KINDS, 1))
def test_pictures_fitted_on_their_way_are_what_the_processor_makes_of_them(kind: str, folder: Path) -> None:
    import torch
    from PIL import Image

    place = tiny_pairs.made(kind, folder)
    fitter = PictureProcessor.of(Checkpoint(str(place)))
    assert (fitter.recipe is None) == (kind in ("siglip2", "align"))
    for number in range(4):
        pixels = Shown().pixels(Picture(f"p:{number}"))
        whole = fitter.processor(images=Image.fromarray(pixels), return_tensors="pt")
        batch = fitter.batch([fitter.fit(pixels)], "cpu", torch.float32)
        assert list(batch) == list(whole)
        for name, tensor in whole.items():
            assert torch.allclose(batch[name].double(), tensor.double(), rtol=0, atol=1e-6)


def test_a_plain_picture_is_fitted_in_another_process_that_never_loads_torch() -> None:
    from transformers import CLIPImageProcessorPil

    fit = PictureProcessor(CLIPImageProcessorPil()).fit
    program = (
        "import pickle, sys; fit, pixels = pickle.load(sys.stdin.buffer); made = fit(pixels)\n"
        "assert not {'torch', 'transformers'} & set(sys.modules); pickle.dump(made, sys.stdout.buffer)"
    )
    pixels = Shown().pixels(Picture("p:1"))
    ran = subprocess.run(
        [sys.executable, "-c", program], input=pickle.dumps((fit, pixels)), capture_output=True, check=True
    )
    made = pickle.loads(ran.stdout)
    assert np.array_equal(made.inputs["pixel_values"], fit(pixels).inputs["pixel_values"])
    assert made.nbytes == 224 * 224 * 3


def test_a_recipe_that_the_processor_does_not_follow_is_not_used() -> None:
    from transformers import CLIPImageProcessorPil

    assert PictureProcessor(CLIPImageProcessorPil()).recipe is not None
    assert PictureProcessor(CLIPImageProcessorPil(do_resize=False)).recipe is None
    assert PictureProcessor(CLIPImageProcessorPil(size={"longest_edge": 99, "shortest_edge": 90})).recipe is None
    unscaled = PictureProcessor(CLIPImageProcessorPil(do_rescale=False, do_normalize=False)).recipe
    assert unscaled is not None
    assert (unscaled.scale, unscaled.mean) == (1.0, (0.0, 0.0, 0.0))


def test_pixels_out_of_shape_are_an_error_that_says_so() -> None:
    from transformers import CLIPImageProcessorPil

    with pytest.raises(PictureError, match="should be uint8"):
        PictureProcessor(CLIPImageProcessorPil()).fit(np.zeros((4, 4), np.uint8))


def test_a_full_table_forgets_what_was_used_longest_ago() -> None:
    import torch

    kept = VectorCache[str](3)
    kept.put(["a", "b"], torch.tensor([[1.0], [2.0]]))
    kept.put(["c"], torch.tensor([[3.0]]))
    assert kept.missing(["a", "d", "d"]) == ["d"]
    kept.put(["d"], torch.tensor([[4.0]]))
    assert kept.missing(["a", "b", "c", "d"]) == ["b"]
    assert kept.at(["d", "a", "c", "a"]).tolist() == [[4.0], [1.0], [3.0], [1.0]]
    assert len(kept) == 3


def test_a_vector_that_memory_did_not_suffice_for_is_missing() -> None:
    import torch

    kept, wide = VectorCache[str](2), torch.tensor([[1.0, 2.0]])
    kept.put(["a", "b"], torch.tensor([[1.0], [2.0]]))
    with pytest.raises(RuntimeError):  # as of any copy that fails
        kept.put(["c"], wide)
    assert kept.missing(["a", "b", "c"]) == ["a", "b", "c"]
    kept.put(["c"], torch.tensor([[3.0]]))
    assert kept.at(["c"]).tolist() == [[3.0]]


def test_scores_are_kept_where_memory_runs_out_for_the_announced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    model, again = (scorer(tiny_pairs.made("clip", folder)) for _ in range(2))
    queries = [Query(Picture("p:1"), text, Mode.SCORE) for text in ("a cat", "a dog")]
    encode = model._encode_texts

    def run_out(texts: list[str], futures: Any) -> Any:
        if "a dog" in texts:
            raise torch.OutOfMemoryError("out of memory")
        return encode(texts, futures)

    monkeypatch.setattr(model, "_encode_texts", run_out)
    model.expect(queries[1:])
    assert model.score(queries[:1]).tolist() == again.score(queries[:1]).tolist()
    with pytest.raises(torch.OutOfMemoryError):
        model.score(queries[1:])


def test_a_checkpoint_without_towers_is_refused_in_a_sentence(folder: Path) -> None:
    place = tiny_pairs.made("visual_bert", folder)
    with pytest.raises(CounterpointError, match="no features of pictures and of texts"):
        scorer(place, family="towers")

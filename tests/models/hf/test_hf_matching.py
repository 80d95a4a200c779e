"""Matching heads: scores are those of the model's own forward pass, and a picture is seen once for all its texts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_pairs
from proving import prove, sample
from tiny_pairs import Shown, asked, passed, scorer, spread

from counterpoint.core.errors import CounterpointError, ModelError, PictureError
from counterpoint.core.groups import Mode, Query
from counterpoint.core.pictures import Edit, Picture
from counterpoint.core.ports import Answerer, BatchingModel, Scale, Scorer
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.engine.running import run
from counterpoint.store.groups import read_queries as read
from counterpoint.testing import MemoryLog

KINDS = ("blip", "visual_bert", "blip2", "vilt", "lxmert")
EYES = {"blip": "BlipVisionModel", "blip2": "Blip2VisionModel"}
REGIONED = ("visual_bert", "lxmert")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("matching")
    tiny_pairs.regions(found / "regions")
    return found


def _model(kind: str, folder: Path, pictures: Any = None, **settings: str) -> Any:
    if kind in REGIONED:
        settings = {"regions": str(folder / "regions"), **settings}
    return scorer(tiny_pairs.made(kind, folder), pictures, **settings)


def _direct(kind: str, folder: Path, queries: list[Query], head: str = "itm") -> np.ndarray[Any, Any]:
    """The model's own forward pass over its own processors, one pair at a time."""
    import torch
    import transformers

    place = tiny_pairs.made(kind, folder)
    config = transformers.AutoConfig.from_pretrained(place)
    model = getattr(transformers, config.architectures[0]).from_pretrained(place).eval()
    words = transformers.AutoTokenizer.from_pretrained(place)
    found = []
    for query in queries:
        text = words([query.text], return_tensors="pt", truncation=True)
        with torch.no_grad():
            found.append(_forward(kind, place, model, {**text}, query, head))
    return np.array(found)


def _forward(kind: str, place: Path, model: Any, text: dict[str, Any], query: Query, head: str) -> float:
    import torch
    from PIL import Image
    from transformers import AutoImageProcessor

    assert query.picture is not None
    if kind in REGIONED:
        with np.load(place.parent / "regions" / f"{query.picture.path}.npz") as file:
            features, boxes = (torch.from_numpy(file[name])[None] for name in ("features", "boxes"))
        if kind == "lxmert":
            logits = model(**text, visual_feats=features, visual_pos=boxes).cross_relationship_score
        else:
            ones = torch.ones(features.shape[:2], dtype=torch.long)
            logits = model(
                **text, visual_embeds=features, visual_attention_mask=ones, visual_token_type_ids=ones
            ).seq_relationship_logits
        return float(logits.softmax(-1)[0, 1])
    eyes = AutoImageProcessor.from_pretrained(place, backend="pil")
    pixels = eyes(images=Image.fromarray(Shown().pixels(query.picture)), return_tensors="pt")
    if kind == "vilt":
        return float(model(**text, **pixels).logits[0, 0])
    text.pop("token_type_ids")
    if kind == "blip":
        scores = model(**text, **pixels, use_itm_head=head == "itm").itm_score
    else:
        scores = model(**text, **pixels, use_image_text_matching_head=head == "itm").logits_per_image
    return float(scores.softmax(-1)[0, 1]) if head == "itm" else float(scores[0, 0])


@pytest.mark.parametrize("kind", sample(KINDS, 2))
def test_scores_are_those_of_the_models_own_forward_pass(kind: str, folder: Path) -> None:
    queries, model = asked(), _model(kind, folder)
    first, again = model.score(queries), model.score(queries[::-1])[::-1]
    direct = _direct(kind, folder, queries)
    assert np.allclose(first, direct, rtol=1e-5, atol=1e-5)
    assert np.allclose(again, direct, rtol=1e-5, atol=1e-5)
    assert min(spread(first, queries)) > 1e-3


@pytest.mark.parametrize("kind", ["blip", prove("blip2")])
def test_the_other_head_gives_the_cosine(kind: str, folder: Path) -> None:
    queries, model = asked(3), _model(kind, folder, head="itc")
    scores = model.score(queries)
    assert model.scale is Scale.SIMILARITY
    assert np.allclose(scores, _direct(kind, folder, queries, "itc"), rtol=1e-5, atol=1e-5)
    assert min(spread(scores, queries)) > 1e-3
    assert model.fingerprint != _model(kind, folder).fingerprint


@pytest.mark.parametrize("kind", sample(KINDS, 2))
def test_scores_in_company_equal_scores_alone(kind: str, folder: Path) -> None:
    queries = asked()
    together, by_three = (_model(kind, folder, batch=batch).score(queries) for batch in ("64", "3"))
    model = _model(kind, folder)
    alone = np.array([model.score([query])[0] for query in queries])
    assert np.allclose(together, alone, rtol=1e-5, atol=1e-5)
    assert np.allclose(by_three, alone, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", sample(KINDS, 1))
def test_a_run_scores_everything_and_finds_it_alike_alone(kind: str, folder: Path) -> None:
    queries, log = asked(), MemoryLog()
    with Prefetcher(Shown(), threads=2) as pictures, passed(EYES.get(kind, "")) as rows:
        outcome = run(tiny_pairs.table(queries), _model(kind, folder, pictures), log, pictures, read=read, batch=7)
    assert (outcome.asked, outcome.failed) == (len(queries), 0)
    assert outcome.batch_invariance is not None
    assert outcome.batch_invariance.differing == 0
    assert sum(rows) == (6 if kind in EYES else 0)
    direct = _model(kind, folder).score(queries)
    assert [log.says[query.id, 0].score for query in queries] == pytest.approx(direct.tolist(), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("kind", sample(KINDS, 1))
def test_a_head_says_what_its_numbers_are(kind: str, folder: Path) -> None:
    model = _model(kind, folder, batch="16")
    assert model.scale is (Scale.SIMILARITY if kind == "vilt" else Scale.PROBABILITY)
    assert isinstance(model, Scorer)
    assert isinstance(model, BatchingModel)
    assert not isinstance(model, Answerer)
    assert model.batch_size == 16


def test_which_logit_says_that_a_text_fits_can_be_chosen(folder: Path) -> None:
    queries = asked(2)
    one, other = (_model("visual_bert", folder, fits=fits) for fits in ("1", "0"))
    assert np.allclose(one.score(queries) + other.score(queries), 1, atol=1e-6)
    assert one.fingerprint != other.fingerprint


def test_vilt_leaves_the_luck_of_others_alone(folder: Path) -> None:
    import torch

    model, queries = _model("vilt", folder), asked(2)
    before = torch.random.get_rng_state()
    first = model.score(queries)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert np.array_equal(model.score(queries), first)


def test_one_picture_that_cannot_be_read_costs_the_others_nothing(folder: Path) -> None:
    model, queries = _model("blip", folder), asked(3)
    gone = Query(Picture("p:gone"), "a dog", Mode.SCORE)
    with passed("BlipVisionModel") as rows:
        with pytest.raises(PictureError, match="p:gone is not there"):
            model.score([gone, *queries])
        model.score(queries)
    assert rows == [3]


def test_regions_are_needed_and_of_the_right_size_and_never_of_an_edited_picture(folder: Path, tmp_path: Path) -> None:
    place = tiny_pairs.made("visual_bert", folder)
    with pytest.raises(ModelError, match="reads regions that a detector saw"):
        scorer(place)
    tiny_pairs.regions(tmp_path / "wide", 1, numbers=13)
    with pytest.raises(PictureError, match="have 13 numbers each"):
        scorer(place, regions=str(tmp_path / "wide")).score(asked(1))
    edited = Query(Picture("p:0").edited(Edit("blur", ("6",))), "a dog", Mode.SCORE)
    with pytest.raises(PictureError, match="is edited"):
        _model("visual_bert", folder).score([edited])
    (tmp_path / "bare").mkdir()
    np.save(tmp_path / "bare" / "0.npy", np.ones((2, 12), np.float32))
    other = scorer(place, regions=str(tmp_path / "bare"))
    assert other.fingerprint != _model("visual_bert", folder).fingerprint
    assert np.isfinite(other.score(asked(1))).all()  # VisualBERT needs no boxes


@pytest.mark.parametrize(
    ("settings", "fact"),
    [({"head": "both"}, "no head 'both'"), ({"fits": "2"}, "fits is 2"), ({"batch": "0"}, "batch is 0")],
)
def test_settings_that_no_head_has_are_refused_in_a_sentence(settings: dict[str, str], fact: str, folder: Path) -> None:
    with pytest.raises(CounterpointError, match=fact):
        _model("blip", folder, **settings)
    with pytest.raises(CounterpointError, match="no head 'itc'"):
        _model("vilt", folder, head="itc")


def test_a_checkpoint_without_a_matching_head_is_refused_in_a_sentence(folder: Path) -> None:
    with pytest.raises(ModelError, match="CLIPModel has no matching head"):
        scorer(tiny_pairs.made("clip", folder), family="matching")

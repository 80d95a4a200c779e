"""Classifiers of Hugging Face on tiny checkpoints: ViLT from pixels, LXMERT and VisualBERT from regions."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import tiny_classifiers as tiny
from proving import sample
from tiny_classifiers import LABELS, Shades, asked

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, ModelError, PictureError
from counterpoint.core.groups import Answer, Group, Mode, Query, Relation, State
from counterpoint.core.pictures import Edit, Picture
from counterpoint.core.ports import Answerer, BatchingModel, FeatureModel, Sampler, Scorer
from counterpoint.engine.running import run
from counterpoint.models.hf.classifiers import AnswerClassifier, DropoutClassifier
from counterpoint.store.groups import groups_table, read_queries, unique_queries
from counterpoint.testing import MemoryLog

EVERY = tuple(tiny.MADE)
NEAR = 1e-5


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a checkpoint of each architecture, and the regions of four pictures."""
    folder = tmp_path_factory.mktemp("classifiers")
    for name, make in tiny.MADE.items():
        make(folder / name)
    tiny.save_table(folder / "regions.tsv")
    return folder


def model(made: Path, name: str, pictures: Shades | None = None, **settings: str) -> DropoutClassifier:
    if name != "vilt":
        settings = {"regions": str(made / "regions.tsv")} | settings
    found = catalog.model(f"hf/{made / name}", pictures or Shades(), {"device": "cpu"} | settings)
    assert isinstance(found, DropoutClassifier)
    return found


def said(model: AnswerClassifier, queries: Sequence[Query]) -> list[Answer]:
    return [answer for _, answer in sorted(model.answer(queries), key=lambda placed: placed[0])]


def alike(one: Answer, other: Answer) -> bool:
    return (
        one.value == other.value
        and [value for value, _ in one.top] == [value for value, _ in other.top]
        and np.allclose([p for _, p in one.top], [p for _, p in other.top], rtol=0, atol=NEAR)
    )


@pytest.mark.parametrize("name", EVERY)
def test_batches_say_what_each_query_alone_is_answered(made: Path, name: str) -> None:
    asking = model(made, name)
    together = said(asking, asked())
    assert all(map(alike, together, [said(asking, [query])[0] for query in asked()]))
    assert len({answer.value for answer in together}) > 1
    small = said(model(made, name, batch="3"), asked()[::-1])[::-1]
    assert all(map(alike, together, small))


def _vilt_logits(folder: Path, query: Query) -> Any:
    """What the model says when it is used as its makers show it."""
    import torch
    from transformers import AutoProcessor, ViltForQuestionAnswering

    assert query.picture is not None
    processor, plain = AutoProcessor.from_pretrained(folder), ViltForQuestionAnswering.from_pretrained(folder)
    with torch.inference_mode(), torch.random.fork_rng([]):
        inputs = processor(Shades().pixels(query.picture), query.text, return_tensors="pt")
        return plain.eval()(**inputs).logits[0]


def _region_logits(folder: Path, query: Query) -> Any:
    import torch
    from transformers import AutoTokenizer, LxmertForQuestionAnswering, VisualBertForQuestionAnswering

    assert query.picture is not None
    found = {name: torch.tensor(array)[None] for name, array in tiny.detected(int(query.picture.path)).items()}
    inputs = AutoTokenizer.from_pretrained(folder)(query.text, return_tensors="pt")
    with torch.inference_mode():
        if folder.name == "lxmert":
            boxed = {"visual_feats": found["features"], "visual_pos": found["boxes"]}
            plain = LxmertForQuestionAnswering.from_pretrained(folder).eval()
            return plain(**inputs, **boxed).question_answering_score[0]
        plain = VisualBertForQuestionAnswering.from_pretrained(folder).eval()
        return plain(**inputs, visual_embeds=found["features"]).logits[0]


@pytest.mark.parametrize("name", sample(EVERY, 1))
@pytest.mark.parametrize("place", [0, 5, 14])
def test_answers_are_those_of_a_plain_forward_pass(made: Path, name: str, place: int) -> None:
    query = asked()[place]
    logits = (_vilt_logits if name == "vilt" else _region_logits)(made / name, query)
    odds = logits.softmax(0)
    (answer,) = said(model(made, name, top="7"), [query])
    assert answer.value == LABELS[int(logits.argmax())]
    assert dict(answer.top) == pytest.approx(dict(zip(LABELS, odds.tolist(), strict=True)), abs=NEAR)
    (answer,) = said(model(made, name, odds="sigmoid"), [query])
    assert answer.top[0][0] == LABELS[int(logits.argmax())]
    assert answer.top[0][1] == pytest.approx(float(logits.max().sigmoid()), abs=NEAR)


def test_the_likeliest_labels_come_first_as_many_as_wanted(made: Path) -> None:
    for answer in said(model(made, "vilt", top="3"), asked()):
        odds = [p for _, p in answer.top]
        assert len(odds) == 3
        assert odds == sorted(odds, reverse=True)
        assert answer.value == answer.raw == answer.top[0][0]
        assert answer.state is State.OK


@pytest.mark.parametrize("name", sample(EVERY, 1))
def test_choices_narrow_the_labels_and_are_said_as_they_were_offered(made: Path, name: str) -> None:
    plain, asking = asked()[0], model(made, name, top="7")
    odds = dict(said(asking, [plain])[0].top)
    (chosen,) = said(asking, [Query(plain.picture, plain.text, choices=("Yes", "A dog ", "unheard of"))])
    share = odds["yes"] / (odds["yes"] + odds["a dog"])
    assert dict(chosen.top) == pytest.approx({"Yes": share, "A dog ": 1 - share}, abs=NEAR)
    (free,) = said(asking, [Query(plain.picture, plain.text, choices=("unheard of", "never seen"))])
    assert dict(free.top) == pytest.approx(odds, abs=NEAR)


def test_a_picture_is_encoded_once_for_the_queries_of_a_batch(made: Path) -> None:
    pictures = Shades()
    said(model(made, "vilt", pictures), asked())
    assert len(pictures.shown) == len(set(pictures.shown)) == 4


def test_what_cannot_be_shown_fails_alone(made: Path) -> None:
    good = asked()[:2]
    bad = [
        Query(Picture("shades:broken"), "Is it?"),
        Query(None, "Is it?"),
        Query(good[0].picture, "It is.", Mode.SCORE),
    ]
    answers = said(model(made, "vilt"), [good[0], *bad, good[1]])
    assert [answer.state for answer in answers] == [State.OK, *[State.FAILED] * 3, State.OK]
    assert [answer.reason for answer in answers[1:3]] == [
        "shades:broken cannot be shown: broken",
        "the query has no picture",
    ]
    assert "does not score" in answers[3].reason
    assert all(map(alike, [answers[0], answers[4]], said(model(made, "vilt"), good)))


def test_regions_of_an_edited_or_unknown_picture_fail_the_query(made: Path) -> None:
    known = Picture("shades:1")
    strange = [known.edited(Edit("blur", ("6",))), Picture("shades:99")]
    answers = said(model(made, "lxmert"), [Query(picture, "Is it?") for picture in (known, *strange)])
    assert [answer.state for answer in answers] == [State.OK, State.FAILED, State.FAILED]
    assert "is edited" in answers[1].reason
    assert "no regions for shades:99" in answers[2].reason


@pytest.mark.parametrize("name", sample(EVERY, 1))
def test_long_texts_are_cut_and_what_was_said_before_is_cut_first(made: Path, name: str) -> None:
    picture, asking = Picture("shades:1"), model(made, name)
    long = "Is there a dog to the left of the tree and the car and the cup and the ball and the cat"
    cut, longer = said(asking, [Query(picture, long), Query(picture, f"{long} or not?")])
    assert alike(cut, longer)
    before = Query(picture, "How many?", context="the cat is red and " * 20)
    bare, told, other = said(asking, [Query(picture, "How many?"), before, before.with_text("What color?")])
    assert not alike(bare, told)
    assert not alike(told, other)


@pytest.mark.parametrize("name", sample(EVERY, 1))
def test_answers_from_features_are_the_answers(made: Path, name: str) -> None:
    asking = model(made, name)
    asking.batch_size = 5
    seen, read = asking.picture_features(asked()), asking.text_features(asked())
    assert {str(seen.dtype), str(read.dtype)} == {"float32"}
    assert (seen.ndim, read.shape) == (3, (16, 20, 32))
    from_features = [answer for _, answer in asking.answer_from(seen, read, asked())]
    assert all(map(alike, from_features, said(asking, asked())))
    padded = seen.copy()
    for row, query in zip(padded, asked(), strict=True):
        row[len(asking.picture_features([query])[0]) :] = 9.0
    assert (padded != seen).any()
    assert all(map(alike, from_features, [one for _, one in asking.answer_from(padded, read, asked())]))


@pytest.mark.parametrize("name", sample(EVERY, 1))
def test_other_features_give_other_answers(made: Path, name: str) -> None:
    asking = model(made, name)
    seen, read = asking.picture_features(asked()), asking.text_features(asked())
    plain = said(asking, asked())
    for noisy in (asking.answer_from(seen[::-1] * 2, read, asked()), asking.answer_from(seen, read * 3, asked())):
        assert not all(map(alike, plain, [answer for _, answer in noisy]))


def test_features_of_what_cannot_be_shown_are_an_error(made: Path) -> None:
    with pytest.raises(PictureError, match="shades:broken"):
        model(made, "vilt").picture_features([Query(Picture("shades:broken"), "Is it?")])


@pytest.mark.parametrize("name", sample(EVERY, 1))
def test_stochastic_passes_vary_and_depend_on_query_trial_and_seed_alone(made: Path, name: str) -> None:
    asking, some = model(made, name, top="7"), asked()[:5]
    passes = {(place, trial): answer for place, trial, answer in asking.sample(some, [1, 2, 3], 7)}
    assert set(passes) == {(place, trial) for place in range(5) for trial in (1, 2, 3)}
    odds = [[dict(passes[place, trial].top)[passes[place, 1].value] for trial in (1, 2, 3)] for place in range(5)]
    assert (np.std(odds, axis=1) > 1e-3).all()
    again = {(3, trial): answer for _, trial, answer in asking.sample([some[3]], [2], 7)}
    assert again == {(3, 2): passes[3, 2]}
    assert [answer for *_, answer in asking.sample([some[3]], [2], 8)] != [passes[3, 2]]


@pytest.mark.parametrize("name", sample(EVERY, 1))
def test_passes_leave_everything_as_it_was(made: Path, name: str) -> None:
    import torch

    asking, before = model(made, name), torch.random.get_rng_state()
    plain = said(asking, asked()[:3])
    passes = list(asking.sample(asked()[:3], [0, 1], 0))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert said(asking, asked()[:3]) == plain
    assert all(map(alike, plain, [answer for _, trial, answer in passes if not trial]))


def test_a_failing_picture_fails_every_pass(made: Path) -> None:
    passes = list(model(made, "vilt").sample([Query(Picture("shades:broken"), "Is it?")], [1, 2], 0))
    assert [(place, trial, answer.state) for place, trial, answer in passes] == [
        (0, 1, State.FAILED),
        (0, 2, State.FAILED),
    ]


def test_a_checkpoint_without_dropout_has_no_passes_unless_it_is_told_to_drop(tmp_path: Path) -> None:
    tiny.vilt(tmp_path / "still", hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    still = catalog.model(f"hf/{tmp_path / 'still'}", Shades(), {"device": "cpu"})
    told = catalog.model(f"hf/{tmp_path / 'still'}", Shades(), {"device": "cpu", "dropout": "0.3"})
    assert not isinstance(still, Sampler)
    assert isinstance(still, Answerer)
    assert isinstance(told, DropoutClassifier)
    assert told.fingerprint != still.fingerprint
    one, two = (answer.top for _, _, answer in told.sample(asked()[:1], [1, 2], 0))
    assert one != two


@pytest.mark.parametrize("name", EVERY)
def test_a_classifier_has_the_ports_that_it_honours(made: Path, name: str) -> None:
    asking = model(made, name, batch="9")
    assert isinstance(asking, Answerer)
    assert isinstance(asking, FeatureModel)
    assert isinstance(asking, Sampler)
    assert isinstance(asking, BatchingModel)
    assert asking.batch_size == 9
    assert not isinstance(asking, Scorer)


@pytest.mark.parametrize("name", sample(EVERY, 1))
def test_a_classifier_goes_through_a_run(made: Path, name: str) -> None:
    groups = [Group(Relation.SAME, tuple(asked()[start : start + 4]), (None,) * 4) for start in range(0, 16, 4)]
    table = unique_queries(groups_table((("test", group) for group in groups), "suite"))
    table = table.append_column("digest", pa.array([""] * table.num_rows))
    log, asking = MemoryLog(), model(made, name)
    outcome = run(table, asking, log, read=read_queries, trials=(0, 1, 2), batch=7)
    assert (outcome.asked, outcome.failed, outcome.beyond) == (48, 0, 0)
    assert outcome.batch_invariance is not None
    assert 4 <= outcome.batch_invariance.checked <= 16  # as many as a second allows
    assert not outcome.batch_invariance.differing
    plain = said(asking, asked())
    assert all(alike(log.says[query.id, 0], answer) for query, answer in zip(asked(), plain, strict=True))
    assert any(log.says[query.id, 1] != log.says[query.id, 2] for query in asked())


@pytest.mark.parametrize("name", ["lxmert", "visual_bert"])
def test_missing_regions_are_asked_for_by_name(made: Path, name: str) -> None:
    with pytest.raises(ModelError, match="reads regions") as caught:
        model(made, name, regions="")
    assert "--model-args regions=FILE" in caught.value.hint
    with pytest.raises(ModelError, match="does not exist"):
        model(made, name, regions=str(made / "nowhere.tsv"))


def test_regions_that_do_not_fit_the_model_say_so(made: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "1.npz", features=np.ones((2, 5), np.float32))
    (answer,) = said(model(made, "visual_bert", regions=str(tmp_path)), [Query(Picture("shades:1"), "Is it?")])
    assert answer.reason.startswith("the regions of shades:1 have 5 numbers each, and ")


def test_labels_come_from_a_file_where_a_checkpoint_names_none(made: Path, tmp_path: Path) -> None:
    unnamed = {"id2label": {n: f"LABEL_{n}" for n in range(7)}, "label2id": {f"LABEL_{n}": n for n in range(7)}}
    tiny.vilt(tmp_path / "vilt", **unnamed)
    with pytest.raises(ModelError, match="does not say which answers") as caught:
        model(tmp_path, "vilt")
    assert "labels=FILE names its 7 answers" in caught.value.hint
    (tmp_path / "labels.json").write_text(json.dumps(LABELS))
    (tmp_path / "labels.txt").write_text("\n".join(LABELS))
    (tmp_path / "few.txt").write_text("yes\nno\n")
    (tmp_path / "odd.json").write_text("{}")
    named = [model(tmp_path, "vilt", labels=str(tmp_path / name)) for name in ("labels.json", "labels.txt")]
    assert named[0].fingerprint == named[1].fingerprint
    assert said(named[0], asked()) == said(named[1], asked()) == said(model(made, "vilt"), asked())
    for name, fact in {"few.txt": "names 2 answers", "odd.json": "no list", "none.txt": "cannot be read"}.items():
        with pytest.raises(ModelError, match=fact):
            model(tmp_path, "vilt", labels=str(tmp_path / name))


def test_the_words_of_another_checkpoint_do_for_one_that_comes_without(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "visual_bert", tmp_path / "visual_bert")
    for file in (tmp_path / "visual_bert").glob("tokenizer*"):
        file.unlink()
    regions = str(made / "regions.tsv")
    with pytest.raises(ModelError, match="comes without the words of its tokenizer"):
        model(tmp_path, "visual_bert", regions=regions)
    lent = model(tmp_path, "visual_bert", regions=regions, tokenizer=str(made / "vilt"))
    assert said(lent, asked()) == said(model(made, "visual_bert"), asked())
    assert lent.fingerprint != model(made, "visual_bert", tokenizer=str(made / "lxmert")).fingerprint


def test_a_tokenizer_that_knows_more_words_than_the_model_is_refused(made: Path, tmp_path: Path) -> None:
    import tiny_words

    more = tiny_words.word_pieces()
    more.add_tokens(["umbrella"])
    more.save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="the tokenizer knows 134 words, and the model 133"):
        model(made, "vilt", tokenizer=str(tmp_path))


def test_lxmert_with_more_outputs_than_labels_is_refused(made: Path, tmp_path: Path) -> None:
    tiny.lxmert(tmp_path / "lxmert", num_qa_labels=9)
    with pytest.raises(ModelError, match="names 7 answers, and the model has 9"):
        model(tmp_path, "lxmert", regions=str(made / "regions.tsv"))


@pytest.mark.parametrize(
    ("settings", "fact"),
    [
        ({"odds": "even"}, "odds are 'even'"),
        ({"dropout": "2"}, "dropout is 2.0"),
        ({"top": "0"}, "top is 0"),
        ({"regions": "x.tsv"}, "takes pixels, not regions"),
        ({"tpo": "3"}, "no setting of .* is called 'tpo'"),
        ({"family": "classifier", "top": "many"}, "not a whole number"),
    ],
)
def test_settings_that_make_no_sense_are_refused(made: Path, settings: dict[str, str], fact: str) -> None:
    with pytest.raises(CounterpointError, match=fact):
        model(made, "vilt", None, **settings)


def test_the_fingerprint_follows_settings_that_change_answers(made: Path, tmp_path: Path) -> None:
    fingerprints = {
        model(made, "vilt").fingerprint,
        model(made, "vilt", top="3").fingerprint,
        model(made, "vilt", odds="sigmoid").fingerprint,
        model(made, "vilt", dropout="0.1").fingerprint,
    }
    assert len(fingerprints) == 4
    assert model(made, "vilt", batch="3").fingerprint in fingerprints
    other = tiny.save_table(tmp_path / "other.tsv", 3)
    assert model(made, "lxmert", regions=str(other)).fingerprint != model(made, "lxmert").fingerprint


def test_more_patches_than_a_model_was_made_for_are_chosen_the_same_every_time(tmp_path: Path) -> None:
    tiny.vilt(tmp_path / "vilt", max_image_length=20)
    one, other = model(tmp_path, "vilt"), model(tmp_path, "vilt")
    assert said(one, asked()) == said(other, asked())
    assert one.picture_features(asked()).shape[1] == 21

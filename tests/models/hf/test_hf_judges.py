"""Checkpoints that grade texts, infer one from another and fill gaps: tiny random ones, read from their folders."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_words import byte_pairs, word_pieces

from counterpoint.core.errors import ModelError
from counterpoint.models.hf.text_models import MASK, MaskedLanguageModel
from counterpoint.models.text.judges import entailment_model, grammar_scorer

SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 64,
    "initializer_range": 0.6,  # random answers that differ
}
TEXTS = ["a dog is in the tree", "a red cup", "there are two cats on the left of the car", "is it a ball?", "dog dog a"]
OTHERS = ["a cat", "a blue cup is there", "no car", "yes", "the dog"]


def _saved(folder: Path, family: Any, config: Any, words: Any) -> str:
    import torch

    with torch.random.fork_rng([]):
        torch.manual_seed(3)
        family(config).eval().save_pretrained(folder)
    words.save_pretrained(folder)
    return f"hf/{folder}"


def _classifier(folder: Path, *labels: str) -> str:
    import transformers

    words = word_pieces()
    named = {"id2label": dict(enumerate(labels)), "label2id": {label: number for number, label in enumerate(labels)}}
    config = transformers.BertConfig(**SMALL, **named, num_labels=len(labels), vocab_size=len(words))
    return _saved(folder, transformers.BertForSequenceClassification, config, words)


def _plainly(folder: Path, text: str, other: str | None = None) -> Any:
    """What the checkpoint says of one text, by transformers alone."""

    import torch
    import transformers

    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    words = transformers.AutoTokenizer.from_pretrained(folder)
    with torch.inference_mode():
        return model(**words(text, other, return_tensors="pt")).logits[0].softmax(-1)


@pytest.mark.parametrize(
    ("labels", "good"),
    [(("unacceptable", "acceptable"), 1), (("LABEL_0", "LABEL_1"), 1), (("Grammatical", "ungrammatical"), 0)],
)
def test_a_scorer_of_acceptability_gives_the_probability_of_its_good_label(
    tmp_path: Path, labels: tuple[str, str], good: int
) -> None:
    found = grammar_scorer(_classifier(tmp_path, *labels))(TEXTS)
    alone = [float(_plainly(tmp_path, text)[good]) for text in TEXTS]
    assert np.allclose(found, alone, atol=1e-5)
    assert np.ptp(found) > 0.01


def test_labels_of_inference_are_found_by_their_names_in_any_order(tmp_path: Path) -> None:
    labels = ("CONTRADICTION", "entailment", "Neutral")
    found = entailment_model(_classifier(tmp_path, *labels))(TEXTS, OTHERS)
    both = zip(TEXTS, OTHERS, strict=True)
    assert found == [labels[int(_plainly(tmp_path, text, other).argmax())].lower() for text, other in both]


def test_labels_that_are_only_numbered_are_told_by_their_names(tmp_path: Path) -> None:
    name = _classifier(tmp_path, "LABEL_0", "LABEL_1", "LABEL_2")
    labels = ("neutral", "contradiction", "entailment")
    found = entailment_model(name, {"labels": "|".join(labels)})(TEXTS, OTHERS)
    both = zip(TEXTS, OTHERS, strict=True)
    assert found == [labels[int(_plainly(tmp_path, text, other).argmax())] for text, other in both]
    with pytest.raises(ModelError, match="label_0, label_1, label_2, not entailment") as problem:
        entailment_model(name)
    assert "labels=entailment|neutral|contradiction" in problem.value.hint


def test_the_premise_comes_first(tmp_path: Path) -> None:
    infer = entailment_model(_classifier(tmp_path, "entailment", "neutral", "contradiction"))
    forth, back = infer(TEXTS, OTHERS), infer(OTHERS, TEXTS)
    assert len(forth) == len(back) == 5
    assert forth == infer(TEXTS, OTHERS)


def test_a_checkpoint_with_other_labels_is_refused_in_a_sentence(tmp_path: Path) -> None:
    name = _classifier(tmp_path, "positive", "negative")
    with pytest.raises(ModelError, match="positive, negative, none of which is called acceptable"):
        grammar_scorer(name)
    with pytest.raises(ModelError, match="positive, negative, not entailment"):
        entailment_model(name)
    with pytest.raises(ModelError, match="not_entailment, not entailment"):
        entailment_model(_classifier(tmp_path / "two", "entailment", "not_entailment"))


def _masked(folder: Path) -> str:
    import transformers

    words = word_pieces()
    config = transformers.BertConfig(**SMALL, vocab_size=len(words))
    return _saved(folder, transformers.BertForMaskedLM, config, words).removeprefix("hf/")


ASKED = [f"a dog is {MASK} the tree", f"{MASK} red cup", f"there are two cats {MASK} the left of the car, not one"]


def test_a_gap_is_filled_with_the_likeliest_whole_words(tmp_path: Path) -> None:
    import torch
    import transformers

    name = _masked(tmp_path)
    model = transformers.AutoModelForMaskedLM.from_pretrained(name).eval()
    words = transformers.AutoTokenizer.from_pretrained(name)
    for text, found in zip(ASKED, MaskedLanguageModel(name).proposals(ASKED, 5), strict=True):
        inputs = words(text, return_tensors="pt")
        place = inputs["input_ids"][0].tolist().index(words.mask_token_id)
        with torch.inference_mode():
            chances = model(**inputs).logits[0, place].softmax(-1)
        whole = [token for token, piece in enumerate(words.convert_ids_to_tokens(range(len(words)))) if piece.isalpha()]
        best = sorted(whole, key=lambda token: -float(chances[token]))[:5]
        assert [word for word, _ in found] == words.convert_ids_to_tokens(best)
        assert [chance for _, chance in found] == pytest.approx([float(chances[token]) for token in best], abs=1e-5)


def test_longer_fillers_are_found_word_by_word(tmp_path: Path) -> None:
    filler = MaskedLanguageModel(_masked(tmp_path))
    found = filler.proposals(ASKED, 40, longest=2)
    assert {len(word.split()) for own in found for word, _ in own} == {1, 2}
    assert all(own == sorted(own, key=lambda one: (-one[1], one[0])) for own in found)
    assert filler.proposals(ASKED[1:2], 40, longest=2)[0][0][0] == found[1][0][0]


def test_where_certain_fillers_are_sought_the_others_are_not_walked_to(tmp_path: Path) -> None:
    filler = MaskedLanguageModel(_masked(tmp_path))
    free = filler.proposals(ASKED, 80, longest=2)
    known = {words for own in free for words, _ in own[::3]}
    for own, sought in zip(free, filler.proposals(ASKED, 80, 2, known), strict=True):
        assert {words for words, _ in own if words in known} <= {words for words, _ in sought} <= known
    assert filler.proposals(ASKED, 80, 2, ()) == [[], [], []]


def test_byte_pairs_are_filled_where_a_word_begins(tmp_path: Path) -> None:
    import transformers

    words = byte_pairs("<mask>", begin=True, mask_token="<mask>")
    config = transformers.RobertaConfig(**SMALL, vocab_size=len(words), pad_token_id=words.pad_token_id)
    name = _saved(tmp_path, transformers.RobertaForMaskedLM, config, words).removeprefix("hf/")
    found = MaskedLanguageModel(name).proposals([f"a dog is {MASK} the tree"], 8)[0]
    assert len(found) == 8
    pieces = words.get_vocab()
    assert all(f"\u0120{word}" in pieces for word, _ in found)


def test_a_text_without_one_gap_is_a_sentence_of_help(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has 2 gaps, not one"):
        MaskedLanguageModel(_masked(tmp_path)).proposals([f"{MASK} dog {MASK}"], 3)


def test_a_model_without_a_mask_is_refused(tmp_path: Path) -> None:
    import transformers

    words = word_pieces()
    words.mask_token = None
    config = transformers.BertConfig(**SMALL, vocab_size=len(words))
    name = _saved(tmp_path, transformers.BertForMaskedLM, config, words).removeprefix("hf/")
    with pytest.raises(ModelError, match="has no mask"):
        MaskedLanguageModel(name)

"""Vision-language models that answer in words, tiny and random, but loaded and asked as the large ones are."""

import shutil
import sys
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from proving import prove, sample
from tiny_generative import Blocks, a_table, asked, made, speaker

from counterpoint import catalog
from counterpoint.core.costs import Usage
from counterpoint.core.errors import CounterpointError, ModelError, PictureError, UnknownName
from counterpoint.core.groups import Answer, Mode, Query, State
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Answerer, BatchingModel, FeatureModel, Pixels, Sampler, Scale, Scorer
from counterpoint.engine import running
from counterpoint.engine.mapped_arrays import MappedPool, read_mapped
from counterpoint.models.hf.batch_preparation import (
    BatchRow,
    from_worker,
    preparation_worker,
    prepare_ahead,
    prepare_batch,
    prepare_portions,
)
from counterpoint.models.hf.checkpoint import Checkpoint
from counterpoint.models.hf.decoder import Decoder, count_tokens, log_likelihoods
from counterpoint.models.hf.generative import build_prompt
from counterpoint.store import groups
from counterpoint.testing import MemoryLog

KINDS = ("llava", "qwen2_vl", "idefics3", "paligemma")
run = partial(running.run, read=groups.read_queries)
Made = Callable[..., Any]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("generative")


@pytest.fixture(scope="session")
def model(folder: Path) -> Made:
    """A maker of tiny models; whoever changes one gives it settings that no other test has."""
    return cache(lambda kind, **more: speaker(kind, folder, **more))


def said(model: Any, queries: Sequence[Query]) -> list[Answer]:
    found = dict(model.answer(queries))
    return [found[place] for place in range(len(queries))]


def plainly(model: Any, query: Query, tail: Sequence[int] = ()) -> Any:
    """The log-probabilities after each token of prompt and tail, by one pass with neither padding nor cache."""
    import torch

    (batch,) = model._preparer.batches([BatchRow(0, query)], 1)
    inputs = dict(batch.inputs)
    length = inputs["input_ids"].shape[1]
    for name, filler in (("input_ids", None), ("attention_mask", 1), ("token_type_ids", 1), ("mm_token_type_ids", 0)):
        if name in inputs:
            added = torch.tensor([list(tail) if filler is None else [filler] * len(tail)], dtype=torch.long)
            inputs[name] = torch.cat([inputs[name], added], 1)
    with torch.inference_mode():
        logits = model._decoder.model(**inputs, use_cache=False).logits[0]
    return logits[length - 1 :].float().log_softmax(-1)


@pytest.mark.parametrize("kind", sample(KINDS, 2))
def test_answers_in_batches_are_answers_one_by_one(model: Made, kind: str) -> None:
    one = model(kind)
    queries = [*asked(), Query(None, "What is it?"), Query(None, "How many dogs are there in this picture?")]
    together = said(one, queries)
    assert [said(one, [query])[0].raw for query in queries[::2]] == [answer.raw for answer in together[::2]]
    assert len({answer.raw for answer in together}) >= 5, "answers depend on what is shown and asked"


@pytest.mark.parametrize("kind", sample(KINDS, 2))
def test_an_answer_has_the_tokens_of_its_own_prompt_and_reply(model: Made, kind: str) -> None:
    one = model(kind)
    for query, answer in list(zip(asked(), said(one, asked()), strict=True))[:2]:
        (batch,) = one._preparer.batches([BatchRow(0, query)], 1)
        (new,) = one._decoder(batch.inputs, tokens=one._settings.tokens).tolist()
        assert answer.usage == Usage(batch.inputs["input_ids"].shape[1], len(new))


def test_padding_after_a_reply_is_not_counted() -> None:
    import torch

    replies = torch.tensor([[5, 6, 2, 0], [5, 6, 7, 8]])
    assert count_tokens([2, 3], replies, [2]) == [Usage(2, 3), Usage(3, 4)]
    ended = torch.tensor([[5, 2, 2, 2], [5, 6, 7, 2]])  # padded with the token that ends a reply
    assert count_tokens([2, 3], ended, [2]) == [Usage(2, 2), Usage(3, 4)]
    for ends in ([2, 9], [9, 2]):  # several tokens end a reply, one of which pads it
        assert count_tokens([2, 3], torch.tensor([[5, 9, 2, 2], [5, 2, 2, 2]]), ends) == [Usage(2, 2), Usage(3, 2)]


@pytest.mark.parametrize("kind", sample(KINDS, 1))
def test_scores_in_batches_are_scores_one_by_one_and_those_of_a_plain_pass(model: Made, kind: str) -> None:
    one, queries = model(kind), asked(Mode.SCORE)
    together = one.score(queries)
    alone = np.concatenate([one.score([query]) for query in queries[::2]])
    assert np.allclose(together[::2], alone, atol=1e-5)
    assert len(set(together.round(4).tolist())) >= 7, "scores depend on picture and text"
    yes, no = one._first_tokens.of(("yes", "no"))
    for query, score in zip(queries[::4], together[::4], strict=True):
        odds = plainly(one, query)[0].exp()
        assert score == pytest.approx(float(odds[yes].sum() / (odds[yes].sum() + odds[no].sum())), abs=1e-5)


@pytest.mark.parametrize("kind", sample(KINDS, 1))
def test_log_likelihoods_are_those_of_a_plain_pass(model: Made, kind: str) -> None:
    one = model(kind)
    tails = [one._tokenizer.encode(text) for text in ("red", "a white dog", "no", "blue, I think")]
    assert len({len(tail) for tail in tails}) > 1
    queries = asked()[1:5]
    (batch,) = one._preparer.batches([BatchRow(place, query) for place, query in enumerate(queries)], 4)
    found = log_likelihoods(one._decoder, batch.inputs, tails, one._decoder.end)
    for query, tail, total in zip(queries, tails, found, strict=True):
        odds = plainly(one, query, tail)
        assert total == pytest.approx(sum(float(odds[at, token]) for at, token in enumerate(tail)), abs=1e-4)


@pytest.mark.parametrize("kind", sample(KINDS, 1))
def test_choices_are_chosen_by_likelihood_where_users_want_it(model: Made, kind: str) -> None:
    one = model(kind, choose="likelihood")
    choices = [("red", "blue"), ("a white dog", "red", "the black cat")]
    queries = [replace(query, choices=choice) for query in asked()[2:5] for choice in choices]
    together = said(one, queries)
    for query, answer in zip(queries, together, strict=True):
        sums = []
        for tail in one._tails(query):
            odds = plainly(one, query, tail)
            sums.append(sum(float(odds[at, token]) for at, token in enumerate(tail)))
        best = query.choices[int(np.argmax(sums))]
        assert (answer.raw, answer.top[0][0]) == (best, best)
        assert sum(chance for _, chance in answer.top) == pytest.approx(1)
        odds = np.exp(np.array(sums) - max(sums))
        assert dict(answer.top)[best] == pytest.approx(float(odds.max() / odds.sum()), abs=1e-4)
    assert said(one, queries[1:2])[0].raw == together[1].raw


@pytest.mark.parametrize("share", ["yes", prove("no")])
def test_a_choice_that_begins_another_counts_where_the_other_does_not_follow(model: Made, share: str) -> None:
    one = model("llava", choose="likelihood", share=share)
    texts = ("red", "redred", "redred.", "a white dog")
    for query in (replace(query, choices=texts) for query in asked()[:6]):
        tails = one._tails(query)
        assert tails[1][: len(tails[0])] == tails[0], "the tokens of one begin those of the other"
        assert tails[2][: len(tails[1])] == tails[1]
        odds = [plainly(one, query, tail) for tail in tails]
        known = [
            np.exp(sum(float(odds[n][at, token]) for at, token in enumerate(tail))) for n, tail in enumerate(tails)
        ]
        apart = np.array([known[0] - known[1], known[1] - known[2], known[2], known[3]])
        (answer,) = said(one, [query])
        assert [dict(answer.top)[text] for text in texts] == pytest.approx(list(apart / apart.sum()), abs=1e-4)


def test_a_choice_without_tokens_fails_its_query_alone(model: Made) -> None:
    one = model("llava", choose="likelihood")
    query = replace(asked()[0], choices=("red", "blue"))
    first, second, third = said(one, [query, replace(query, choices=("", "red")), replace(query, choices=("a b", ""))])
    assert first.raw in query.choices
    assert {(answer.state, answer.reason) for answer in (second, third)} == {(State.FAILED, "a choice has no tokens")}


def test_a_query_whose_picture_is_read_at_times_fails_once(model: Made) -> None:
    class Shaky(Blocks):
        looks = 0

        def pixels(self, picture: Picture) -> Pixels:
            self.looks += 1
            if self.looks == 1:
                raise PictureError("the share is away")
            return super().pixels(picture)

    one = model("llava", choose="likelihood", share="no", batch="1", pictures=Shaky())
    placed = list(one.answer([replace(asked()[0], choices=("a white dog", "the black cat", "two red cups"))]))
    assert [(place, answer.state) for place, answer in placed] == [(0, State.FAILED)]


def test_the_top_of_a_generated_answer_are_the_choices_by_how_it_begins(model: Made) -> None:
    one = model("llava")
    query = replace(asked()[0], choices=("red", "blue", "green"))
    (answer,) = said(one, [query])
    assert [word for word, _ in answer.top] == sorted(query.choices, key=dict(answer.top).__getitem__, reverse=True)
    odds = plainly(one, query)[0].exp()
    sums = {
        word: float(odds[some].sum())
        for word, some in zip(query.choices, one._first_tokens.of(query.choices), strict=True)
    }
    assert dict(answer.top) == pytest.approx(
        {word: total / sum(sums.values()) for word, total in sums.items()}, abs=1e-4
    )
    (shared,) = said(one, [replace(query, choices=("red dog", "red cat"))])
    assert shared.top == (), "nothing is known of choices that begin alike"


def test_yes_and_no_have_probabilities_where_one_of_them_was_said(model: Made) -> None:
    import torch

    one = model("llava", tokens="1")
    yes, no = (one._tokenizer.encode(word, add_special_tokens=False)[0] for word in ("yes", "no"))
    head = one._decoder.model.lm_head.weight
    with torch.no_grad():
        rest = torch.ones(len(head), dtype=torch.bool)
        rest[[yes, no]] = False
        head[rest] = 0
        head[no] = -head[yes]  # one of them is above all that is zero
    answers = said(one, asked()[:6])
    assert {answer.value for answer in answers} == {"yes", "no"}
    for answer in answers:
        assert answer.top[0][0] == answer.value
        assert sum(chance for _, chance in answer.top) == pytest.approx(1)


@pytest.mark.parametrize("kind", sample(KINDS, 1))
def test_a_drawn_answer_depends_on_query_trial_and_seed_alone(model: Made, kind: str) -> None:
    one = model(kind)
    queries = [*asked(pictures=1), *asked(Mode.SCORE, 1)]
    together = {(place, trial): answer.raw for place, trial, answer in one.sample(queries, [1, 2], 7)}
    for place, query in enumerate(queries):
        alone = {trial: answer.raw for _, trial, answer in one.sample([query], [2, 1], 7)}
        assert alone == {1: together[place, 1], 2: together[place, 2]}
    other = {(place, trial): answer.raw for place, trial, answer in one.sample(queries, [1, 2], 8)}
    assert len({together[0, 1], together[0, 2], other[0, 1], other[0, 2]}) > 1
    assert {together[key] for key in together if queries[key[0]].mode is Mode.SCORE} <= {"0.0", "1.0"}
    assert [answer for _, _, answer in one.sample(queries[:2], [0], 7)] == said(one, queries[:2])


def test_draws_at_a_low_temperature_are_the_plain_answers(model: Made) -> None:
    cold = model("llava", temperature="0.0001")
    drawn = {place: answer for place, _, answer in cold.sample(asked(), [3], 1)}
    assert drawn == dict(enumerate(said(cold, asked())))


def test_nothing_is_computed_in_float64_on_the_device(model: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    cpu, double = torch.Tensor.cpu, torch.Tensor.double
    fetched = set[int]()

    def remember(tensor: Any) -> Any:
        found = cpu(tensor)
        fetched.add(found.data_ptr())
        return found

    def refuse(tensor: Any) -> Any:
        assert tensor.data_ptr() in fetched, "an Apple GPU has no float64"
        return double(tensor)

    monkeypatch.setattr(torch.Tensor, "cpu", remember)
    monkeypatch.setattr(torch.Tensor, "double", refuse)
    offered = [replace(query, choices=("a white dog", "red")) for query in asked()[:2]]
    said(model("llava"), asked())
    model("llava").score(asked(Mode.SCORE, 2))
    said(model("llava", choose="likelihood"), offered)
    assert fetched


def test_answers_from_its_own_features_are_the_answers(model: Made) -> None:
    one = model("llava")
    queries = [*asked(), Query(None, "What is it?"), *asked(Mode.SCORE, 2)]
    seen, read = one.picture_features(queries), one.text_features(queries)
    found = dict(one.answer_from(seen, read, queries))
    spoken = [place for place, query in enumerate(queries) if query.mode is Mode.ANSWER]
    assert [found[place] for place in spoken] == said(one, [queries[place] for place in spoken])
    scores = one.score(asked(Mode.SCORE, 2))
    assert [found[place].score for place in range(10, 16)] == pytest.approx(scores.tolist(), abs=1e-5)
    offered = [replace(query, choices=("a white dog", "red")) for query in asked()[:2]]
    likely = model("llava", choose="likelihood")
    chosen = dict(likely.answer_from(likely.picture_features(offered), likely.text_features(offered), offered))
    assert [chosen[place].raw for place in range(2)] == [answer.raw for answer in said(likely, offered)]
    noisy = dict(one.answer_from(seen + 3 * np.sign(seen), read, queries))
    assert noisy[9] == found[9], "what has no picture does not depend on its features"
    assert sum(noisy[place] != found[place] for place in spoken) >= 5


@pytest.mark.parametrize("kind", sample(KINDS, 1))
def test_a_run_asks_everything_once_and_alike_in_batches(model: Made, kind: str) -> None:
    log, one = MemoryLog(), model(kind)
    queries = [*asked(), *asked(Mode.SCORE, 1), Query(Picture("blocks:broken"), "Is it?")]
    outcome = run(a_table(queries), one, log, batch=6, trials=(0, 1), check=4)
    assert (outcome.asked, outcome.failed, outcome.beyond) == (26, 2, 0)
    assert outcome.batch_invariance is not None
    assert outcome.batch_invariance.differing == 0
    assert {reason for _, _, reason in log.failures} == {"broken"}


def test_a_picture_that_cannot_be_read_fails_its_query_alone(model: Made) -> None:
    one, broken = model("qwen2_vl"), Query(Picture("blocks:broken"), "Is it?", choices=("a white dog", "red"))
    assert [answer.state is State.FAILED for answer in said(one, [*asked()[:2], broken])] == [False, False, True]
    assert said(model("qwen2_vl", choose="likelihood"), [broken])[0].state is State.FAILED
    assert np.isnan(one.score([broken, asked()[0]])).tolist() == [True, False]
    rated = dict(one.stream_scores([broken, asked()[0]]))
    assert (rated[0].state, rated[0].reason) == (State.FAILED, "broken")
    assert rated[1].score == pytest.approx(one.score([asked()[0]])[0], abs=1e-6)


def test_when_memory_runs_out_batches_get_smaller_until_they_fit(model: Made) -> None:
    import torch

    one, log = model("llava", batch="8", share="no"), MemoryLog()
    generate, sizes = one._decoder.model.generate, []

    def tight(**inputs: Any) -> Any:
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > 2:
            raise torch.OutOfMemoryError("too many")
        return generate(**inputs)

    one._decoder.model.generate = tight
    outcome = run(a_table(asked(pictures=6)), one, log)
    assert (outcome.asked, outcome.failed) == (18, 0)
    assert sizes.count(8) == 1
    assert one.batch_size == 2 * model("llava", batch="1").batch_size


def test_a_model_does_what_its_family_can(model: Made) -> None:
    for kind in ("llava", "qwen2_vl"):
        one = model(kind)
        assert isinstance(one, Answerer)
        assert isinstance(one, Scorer)
        assert isinstance(one, Sampler)
        assert isinstance(one, BatchingModel)
        assert one.scale is Scale.PROBABILITY
        assert isinstance(one, FeatureModel) == (kind == "llava")


def test_the_fingerprint_follows_whatever_answers_depend_on(model: Made) -> None:
    usual = model("llava").fingerprint
    assert usual == model("llava", batch="2").fingerprint
    changes = [
        {"prompt": "Say it."},
        {"tokens": "6"},
        {"dtype": "bfloat16"},
        {"system": "Be brief."},
        {"rule": "exact"},
    ]
    assert len({usual, *(model("llava", **change).fingerprint for change in changes)}) == 6


def test_what_users_say_reaches_the_prompt(model: Made) -> None:
    one = model("llava", prompt="Look well: {text}", system="Be brief.")
    query = Query(Picture("blocks:1"), "Is it?", context="a: hello")
    text = one._prompts.text(query)
    assert text == "<|system|>Be brief.\n<|user|><image>a: hello\n\nLook well: Is it?\n<|assistant|>"
    (batch,) = one._preparer.batches([BatchRow(0, query)], 1)
    ids = batch.inputs["input_ids"][0].tolist()
    assert ids.count(one._tokenizer.bos_token_id) == 1
    assert ids.count(one._prompts.processor.image_token_id) == 4


@pytest.mark.parametrize("kind", ["llava", "paligemma"])
def test_a_text_with_the_mark_of_a_picture_is_asked_without_it(model: Made, kind: str) -> None:
    one = model(kind)
    query = Query(Picture("blocks:1"), "Is it?")
    marked = [replace(query, text="<image>\nIs it?"), replace(query, picture=None, text="<image>\nIs it?")]
    first, second, blind, known = said(one, [marked[0], query, marked[1], replace(query, picture=None)])
    assert (first.raw, blind.raw) == (second.raw, known.raw)


def test_a_template_that_does_not_take_a_system_message_says_so(model: Made, tmp_path: Path) -> None:
    refusing, silent, broken = (tmp_path / f"{name}.jinja" for name in ("refusing", "silent", "broken"))
    user = "{{ messages[-1]['content'][-1]['text'] }}A:"
    refuse = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    refusing.write_text(refuse + user)
    silent.write_text(user)
    broken.write_text("{{ messages | nothing }}")
    with pytest.raises(ModelError, match="System role not supported"):
        model("llava", template=str(refusing), system="Be brief.")
    with pytest.raises(ModelError, match="leaves out what system says"):
        model("llava", template=str(silent), system="Be brief.")
    with pytest.raises(ModelError, match="No filter named"):
        model("llava", template=str(broken))
    assert model("llava", template=str(refusing))._prompts.text(Query(None, "Is it?")).startswith("Is it?")


def test_a_folder_without_a_chat_template_is_refused_unless_users_do_without(folder: Path, tmp_path: Path) -> None:
    bare = shutil.copytree(made("llava", folder), tmp_path / "bare")
    (bare / "chat_template.jinja").unlink()
    with pytest.raises(ModelError, match="bare has no chat template") as caught:
        catalog.model(f"hf/{bare}", Blocks())
    assert "template=plain" in caught.value.hint
    plain = catalog.model(f"hf/{bare}", Blocks(), {"template": "plain", "tokens": "3"})
    assert {answer.state for answer in said(plain, asked()[:2])} <= {State.OK, State.UNPARSED}
    file = tmp_path / "own.jinja"
    file.write_text("{{ messages[0]['content'][0]['type'] }}>", "utf-8")
    own: Any = catalog.model(f"hf/{bare}", Blocks(), {"template": str(file)})
    assert own._prompts.text(asked()[0]) == "image>"
    with pytest.raises(ModelError, match="cannot be read"):
        catalog.model(f"hf/{bare}", Blocks(), {"template": str(tmp_path / "none")})


def test_what_is_no_checkpoint_is_said_in_a_sentence(model: Made, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match="empty cannot be loaded"):
        catalog.model(f"hf/{tmp_path / 'empty'}", Blocks())
    with pytest.raises(ModelError, match="'float7' is no dtype"):
        model("llava", dtype="float7")
    with pytest.raises(ModelError, match="'gpu' is no device"):
        model("llava", device="gpu")
    with pytest.raises(ModelError, match="choose is 'best'"):
        model("llava", choose="best")
    with pytest.raises(ModelError, match="each must be above 0"):
        model("llava", temperature="0")
    with pytest.raises(UnknownName, match="guess"):
        model("llava", rule="guess")
    with pytest.raises(UnknownName, match="temprature"):
        model("llava", temprature="1")
    with pytest.raises(CounterpointError, match="whole number"):
        model("llava", tokens="many")


def test_a_name_that_the_cache_does_not_hold_is_said_when_offline(
    monkeypatch: pytest.MonkeyPatch, environ: MutableMapping[str, str]
) -> None:
    from huggingface_hub import constants

    environ["HF_HUB_OFFLINE"] = "1"
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="nobody/nothing is no folder") as caught:
        catalog.model("hf/nobody/nothing", Blocks())
    assert "HF_HUB_OFFLINE" in caught.value.hint


def test_batches_are_made_ready_ahead_and_in_order() -> None:
    begun: list[int] = []

    def make(item: int) -> int:
        begun.append(item)
        return item

    items = prepare_ahead(make, range(20), threads=2)
    assert [next(items), next(items)] == [0, 1]
    assert 2 <= len(begun) <= 5, "no further ahead than there are threads"
    assert list(items) == list(range(2, 20))

    def breaks(item: int) -> int:
        if item == 3:
            raise ValueError("three")
        return item

    usual = sys.getswitchinterval()
    broken = prepare_ahead(breaks, range(9), threads=2)
    assert [next(broken) for _ in range(3)] == [0, 1, 2]
    assert sys.getswitchinterval() < usual, "threads take shorter turns meanwhile"
    with pytest.raises(ValueError, match="three"):
        next(broken)
    assert sys.getswitchinterval() == usual


@pytest.mark.prove
def test_batches_made_ready_in_other_processes_are_those_made_here(folder: Path) -> None:
    checkpoint = Checkpoint(str(made("qwen2_vl", folder)))
    build = partial(build_prompt, checkpoint.unloaded(), "", "", "")
    rows = [
        BatchRow(position, query)
        for position, query in enumerate([*asked(), Query(Picture("blocks:broken"), "Is it?")])
    ]
    with MappedPool(partial(preparation_worker, build, Blocks(), "bfloat16"), processes=1) as pool:
        (there,) = map(from_worker, read_mapped(pool.call((False, [rows])).result()))
        trees = list(map(from_worker, read_mapped(pool.call((True, [rows[:1], rows[1:2]])).result())))
    here = prepare_batch(rows, build(), Blocks())
    assert (there.rows, there.failed) == (here.rows, here.failed)
    assert [position for position, _ in there.failed] == [len(rows) - 1]
    assert there.inputs.keys() == here.inputs.keys()
    for name, tensor in here.inputs.items():
        expected = tensor.bfloat16() if tensor.is_floating_point() else tensor
        assert there.inputs[name].dtype == expected.dtype
        assert (there.inputs[name] == expected).all()
    for tree, known in zip(trees, prepare_portions(True, [rows[:1], rows[1:2]], build(), Blocks()), strict=True):
        assert tree.rows == known.rows
        assert tree.prompts is not None
        assert known.prompts is not None
        assert tree.prompts.trunk.tolist() == known.prompts.trunk.tolist()
        assert tree.inputs.keys() == {"pixel_values", "image_grid_thw"}, "its picture alone"


def test_a_model_whose_generate_ignores_logits_processors_says_that_it_cannot_be_asked() -> None:
    """As that of Janus in transformers, which passes on other settings alone."""
    import torch

    class Janus(torch.nn.Linear):  # type: ignore[misc] # torch has no types here
        device = torch.device("cpu")

        def generate(self, **settings: Any) -> Any:
            return torch.zeros(1, 5, dtype=torch.long)

    decoder = Decoder(Janus(1, 1), SimpleNamespace(eos_token_id=1, sep_token_id=None, pad_token_id=0))
    with pytest.raises(ModelError, match=r"Janus\.generate ignores logits processors"):
        decoder({"input_ids": torch.ones(1, 3, dtype=torch.long)}, tokens=2)

"""Queries on one picture share its computation, and are answered as if each were asked alone."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proving import sample
from tiny_generative import TEXTS, Blocks, a_table, speaker

from counterpoint.core.groups import Answer, Mode, Query, State
from counterpoint.core.pictures import Picture
from counterpoint.engine.running import run
from counterpoint.models.hf.batch_preparation import BatchRow, PreparedBatch
from counterpoint.models.hf.picture_sharing import find_obstacle
from counterpoint.models.hf.prompt_trees import limit_batches
from counterpoint.models.hf.token_trees import TokenTree
from counterpoint.store.groups import read_queries
from counterpoint.testing import MemoryLog

KINDS = ("llava", "qwen2_vl", "qwen2_5_vl", "idefics3", "internvl")
CHOICES = (("red", "blue"), ("a white dog", "a red cat", "red"))
Made = Callable[..., Any]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A maker of tiny models; whoever changes one gives it settings that no other test has."""
    folder = tmp_path_factory.mktemp("sharing")
    return cache(lambda kind, **more: speaker(kind, folder, **{"batch": "0"} | more))


def asked(pictures: int = 3) -> list[Query]:
    """Several texts on each picture, which begin alike or not, and one that is not shown any."""
    texts = (*TEXTS, "Is there a cat?", "Is")
    shown = [Query(Picture(f"blocks:{number}"), text) for text in texts for number in range(pictures)]
    return [*shown[:-1], Query(None, "What is it?"), Query(Picture("blocks:broken"), "Is it?")]


def said(model: Any, queries: Sequence[Query]) -> list[Answer]:
    found = dict(model.answer(queries))
    return [found[place] for place in range(len(queries))]


@pytest.mark.parametrize("kind", sample(KINDS, 1))
def test_answers_scores_and_draws_are_those_without_sharing(model: Made, kind: str) -> None:
    shared, plain, queries = model(kind), model(kind, share="no"), asked()
    assert shared.fingerprint == plain.fingerprint
    answers = said(shared, queries)
    assert [(answer.raw, answer.usage) for answer in answers] == [
        (answer.raw, answer.usage) for answer in said(plain, queries)
    ]
    assert len({answer.raw for answer in answers}) > 8, "answers depend on what is shown and asked"
    assert [answer.state for answer in answers].count(State.FAILED) == 1
    scored = [replace(query, mode=Mode.SCORE) for query in queries]
    assert shared.score(scored).tolist() == pytest.approx(plain.score(scored).tolist(), abs=1e-5, nan_ok=True)
    drawn, known = (sorted(one.sample(queries[::3], [0, 1, 2], 7), key=lambda row: row[:2]) for one in (shared, plain))
    assert [(*key, answer.raw) for *key, answer in drawn] == [(*key, answer.raw) for *key, answer in known]


@pytest.mark.parametrize("kind", sample(KINDS, 1))
def test_choices_by_likelihood_are_those_without_sharing(model: Made, kind: str) -> None:
    queries = [replace(query, choices=choices) for query in asked(2) for choices in CHOICES]
    shared, plain = (said(model(kind, choose="likelihood", share=share), queries) for share in ("yes", "no"))
    assert [answer.raw for answer in shared] == [answer.raw for answer in plain]
    for one, other in zip(shared, plain, strict=True):
        assert dict(one.top) == pytest.approx(dict(other.top), abs=1e-5)


@pytest.mark.parametrize("kind", sample(KINDS, 1))
@pytest.mark.parametrize("texts", [("Is there a cat?",), TEXTS], ids=["one length", "several lengths"])
def test_a_picture_with_one_query_is_computed_in_as_many_passes_as_alone(
    model: Made, kind: str, texts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, plain = model(kind), model(kind, share="no")
    queries = [Query(Picture(f"blocks:{3 * number}"), texts[number % len(texts)]) for number in range(6)]
    list(shared.answer(queries[:1]))  # the first picture is checked
    step, passes = shared._sharing.decoder.step, []

    def counted(ids: Any, *more: Any, **pictures: Any) -> Any:
        passes.append(len(ids))
        return step(ids, *more, **pictures)

    monkeypatch.setattr(shared._sharing.decoder, "step", counted)
    assert [answer.raw for answer in said(shared, queries)] == [answer.raw for answer in said(plain, queries)]
    assert len(passes) <= 5 + (len(texts) > 1), "a pass for each token, and one where questions need padding"
    assert passes[0] == 6


def test_answers_that_have_ended_leave_the_batch(model: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    shared, plain, queries = model("llava", tokens="12"), model("llava", tokens="12", share="no"), asked(6)
    ends = list(range(0, 600, 3))
    monkeypatch.setattr(shared._decoder, "ends", ends)
    for one in (shared, plain):
        monkeypatch.setattr(one._decoder.model.generation_config, "eos_token_id", ends)
    said(shared, queries[:1])
    step, sizes = shared._sharing.decoder.step, []

    def counted(ids: Any, *more: Any, **pictures: Any) -> Any:
        sizes.append(ids.shape)
        return step(ids, *more, **pictures)

    monkeypatch.setattr(shared._sharing.decoder, "step", counted)
    assert [answer.raw for answer in said(shared, queries)] == [answer.raw for answer in said(plain, queries)]
    rows, widths = zip(*sizes[2:], strict=True)  # behind those of trunks and branches
    assert rows[-1] < rows[0], "pictures leave"
    assert widths[-1] < widths[0], "queries leave"


def test_a_picture_is_read_once_for_all_its_queries_and_trials(tmp_path: Path) -> None:
    pictures = Blocks()
    one = speaker("llava", tmp_path, pictures, batch="0")
    list(one.answer(asked()[:1]))  # the first picture is checked
    pictures.shown.clear()
    list(one.sample(asked(), [0, 1, 2], 7))
    assert sorted(picture.path for picture in pictures.shown) == ["0", "1", "2"]


def test_a_prompt_whose_picture_follows_the_question_is_computed_alone(model: Made, tmp_path: Path) -> None:
    file = tmp_path / "after.jinja"
    file.write_text("{{ messages[0]['content'][-1]['text'] }}<image> So?", "utf-8")
    queries = [query for query in asked() if query.picture is not None]
    shared, plain = (said(model("llava", template=str(file), share=share), queries) for share in ("yes", "no"))
    assert [answer.raw for answer in shared] == [answer.raw for answer in plain]


def test_when_memory_runs_out_fewer_pictures_are_computed_at_once(model: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    one, log = model("llava", tokens="2"), MemoryLog()
    queries = [query for query in asked(6) if query.picture != Picture("blocks:broken")]
    list(one.answer(queries[:1]))
    read, sizes = one._sharing.decoder.read, []

    def tight(prompts: Any) -> Any:
        sizes.append(len(prompts.places))
        if sizes[-1] > 8:
            raise torch.OutOfMemoryError("too many")
        return read(prompts)

    monkeypatch.setattr(one._sharing.decoder, "read", tight)
    outcome = run(a_table(queries), one, log, read=read_queries, check=0)
    assert (outcome.asked, outcome.failed) == (len(queries), 0)
    assert sum(size > 8 for size in sizes) <= 3


def test_sharing_ends_where_its_first_logits_are_others(
    model: Made, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    one = model("qwen2_vl", tokens="3")
    builder = one._sharing._builder
    monkeypatch.setattr(
        one._sharing, "_builder", replace(builder, positions=lambda inputs: 3 * builder.positions(inputs))
    )
    queries = asked()
    assert [answer.raw for answer in said(one, queries)] == [
        answer.raw for answer in said(model("qwen2_vl", tokens="3", share="no"), queries)
    ]
    assert "each query computes its picture anew" in caplog.text


def test_families_that_cannot_share_say_why(model: Made, caplog: pytest.LogCaptureFixture) -> None:
    one, text = model("llava"), SimpleNamespace(layer_types=["full_attention"], sliding_window=None)
    config = SimpleNamespace(image_token_id=3, get_text_config=lambda: text)
    assert not find_obstacle(one._prompts, config)
    assert "question" in find_obstacle(replace(one._prompts, token_types=True), config)
    assert "prompt" in find_obstacle(replace(one._prompts, image_token=""), config)
    text.layer_types = ["full_attention", "sliding_attention"]
    assert "layers" in find_obstacle(one._prompts, config)
    with caplog.at_level(logging.INFO, "counterpoint"):
        one.share_pictures(config)
    assert "each query computes its picture anew: not all of its layers" in caplog.text


@given(
    st.lists(st.tuples(st.lists(st.integers(0, 2), min_size=1, max_size=5), st.lists(st.integers(0, 2), max_size=3))),
    st.integers(0, 3),
)
def test_each_prompt_is_a_path_of_its_tree(parts: list[tuple[list[int], list[int]]], trunk: int) -> None:
    if not parts:
        return
    prompts, tails = [[9] * trunk + ids for ids, _ in parts], [tail for _, tail in parts]
    tree = TokenTree.grow(prompts, tails, trunk)
    first = len(tree.tokens) - tree.wanted
    for (ids, tail), places in zip(parts, tree.places, strict=True):
        path = tree.ancestors[first + places[-1]].nonzero()[0]
        path = path[tree.depths[path].argsort()]
        assert tree.tokens[path].tolist() == [*ids, *tail[:-1]]
        assert path[len(ids) - 1 :].tolist() == [first + place for place in places]
    alone = sum(not tail for _, tail in parts)
    ways = {tuple([*ids, *tail[:-1]][:length]) for ids, tail in parts for length in range(1, len(ids) + len(tail))}
    open_ended = {tuple(ids[:length]) for ids, tail in parts if not tail for length in range(1, len(ids))}
    closed = {
        tuple([*ids, *tail[:-1]][: n + 1]) for ids, tail in parts if tail for n in range(len(ids) + len(tail) - 1)
    }
    assert len(tree.tokens) == alone + len(open_ended | closed) <= alone + len(ways), "what is shared comes once"


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 9))),
    st.integers(1, 8),
    st.integers(1, 30),
    st.sampled_from([0.25, 1.0]),
)
def test_pictures_are_computed_together_up_to_the_limits(
    sizes: list[tuple[int, int]], rows: int, tokens: int, start: float
) -> None:
    row = BatchRow(0, Query(None, "Is it?"))
    pictures = [PreparedBatch([row] * count, {"cost": cost}, []) for count, cost in sizes]
    found = list(limit_batches(pictures, lambda batch: batch.inputs["cost"], rows, tokens, start))
    assert [picture for some in found for picture in some] == pictures
    for share, some in zip([start, *[1.0] * len(found)], found, strict=False):
        held, cost = sum(len(picture.rows) for picture in some), max(each.inputs["cost"] for each in some)
        assert len(some) == 1 or (held <= share * rows and len(some) * cost <= share * tokens)

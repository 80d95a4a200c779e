"""Language models that never look, tiny and random."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_generative
import tiny_words
from tiny_generative import Blocks, a_table, asked, speaker

from counterpoint import catalog
from counterpoint.core.groups import Mode, Query, State
from counterpoint.core.ports import Answerer, Sampler, Scale, Scorer
from counterpoint.engine import running
from counterpoint.models.hf.batch_preparation import BatchRow
from counterpoint.models.hf.decoder import sequence_log_likelihoods
from counterpoint.store import groups
from counterpoint.testing import MemoryLog

run = partial(running.run, read=groups.read_queries)
Made = Callable[..., Any]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return cache(partial(speaker, "gpt2", tmp_path_factory.mktemp("blind")))


def perplexity(model: Any, text: str, before: str = "") -> float:
    """By one pass over one text, token by token."""
    import torch

    words = model._tokenizer
    head = [words.bos_token_id, *words.encode(before)]
    ids = [*head, *words.encode(text)]
    with torch.inference_mode():
        odds = model._decoder.model(torch.tensor([ids])).logits[0].log_softmax(-1)
    told = [float(odds[at - 1, ids[at]]) for at in range(len(head), len(ids))]
    return math.exp(-sum(told) / len(told))


def test_answers_in_batches_are_answers_one_by_one_and_no_picture_is_looked_at(model: Made) -> None:
    pictures = Blocks()
    one, queries = model(pictures=pictures), asked(pictures=1)
    together = dict(one.answer(queries))
    assert [dict(one.answer([query]))[0] for query in queries] == [together[place] for place in range(3)]
    assert len({answer.raw for answer in together.values()}) == 3
    assert pictures.shown == []
    assert all("\n" not in answer.raw for answer in together.values())


def test_a_score_is_the_negative_logarithm_of_the_perplexity(model: Made) -> None:
    one, queries = model(), asked(Mode.SCORE, 1)
    scores = one.score([*queries, Query(None, "Is it red?", Mode.SCORE, context="It is a cup."), Query(None, "")])
    for query, score in zip(queries, scores, strict=False):
        assert score == pytest.approx(-math.log(perplexity(one, query.text)), abs=1e-4)
    assert scores[3] == pytest.approx(-math.log(perplexity(one, "Is it red?", "It is a cup.\n\n")), abs=1e-4)
    assert scores[3] != pytest.approx(float(one.score([Query(None, "Is it red?")])[0]), abs=1e-3)
    assert np.isnan(scores[4])
    rated = dict(one.stream_scores([*queries, Query(None, "")]))
    assert [rated[place].score for place in range(3)] == pytest.approx(scores[:3].tolist(), abs=1e-4)
    assert rated[3].reason == "the text has no tokens"
    assert len(set(scores[:3].round(4).tolist())) == 3


def test_two_ways_to_the_same_log_likelihood_agree(model: Made) -> None:
    one = model()
    queries = [Query(None, text.text, choices=("a white dog", "red", "the black cat")) for text in asked(pictures=1)]
    for query in queries:
        tails = one._tails(query)
        rows = [BatchRow(place, query) for place, _ in enumerate(tails)]
        (batch,) = one._preparer.batches(rows, 4)
        heads = [ids[mask.bool()].tolist() for ids, mask in zip(*batch.inputs.values(), strict=True)]
        ((_, answer),) = model(choose="likelihood").answer([query])
        sums = sequence_log_likelihoods(one._decoder.model, heads, tails)
        assert answer.value == query.choices[int(np.argmax(sums))]
        assert answer.top[0][1] == pytest.approx(1 / np.exp(np.array(sums) - max(sums)).sum(), abs=1e-4)
    assert all(tail[0] == one._tokenizer.encode(" red")[0] for tail in one._tails(queries[0])[1:2]), (
        "after a colon, a space"
    )


def test_a_chat_template_is_used_where_there_is_one(tmp_path: Path) -> None:
    tiny_generative.gpt2(tmp_path / "chat", tiny_words.turns())
    chat: Any = catalog.model(f"hf/{tmp_path / 'chat'}", Blocks(), {"system": "Guess.", "tokens": "4"})
    query = Query(None, "Is it?")
    asks = "Is it?\nAnswer with a single word or a short phrase."
    assert chat._prompts.text(query) == f"<|system|>Guess.\n<|user|>{asks}\n<|assistant|>"
    plain: Any = catalog.model(f"hf/{tmp_path / 'chat'}", Blocks(), {"template": "plain", "tokens": "4"})
    assert plain._prompts.text(query) == "Question: Is it?\nAnswer:"
    assert chat.fingerprint != plain.fingerprint


def test_a_run_answers_scores_and_samples(model: Made) -> None:
    log, one = MemoryLog(), model()
    for kind in (Answerer, Scorer, Sampler):
        assert isinstance(one, kind)
    assert one.scale is Scale.SIMILARITY
    outcome = run(a_table([*asked(), *asked(Mode.SCORE)]), one, log, trials=(0, 1), check=6)
    assert (outcome.asked, outcome.failed) == (36, 0)
    assert outcome.batch_invariance is not None
    assert outcome.batch_invariance.differing == 0
    drawn = [answer.score for (_, trial), answer in log.says.items() if trial]
    scores = {round(score, 4) for score in drawn if score is not None}
    assert len(scores) == 3, "reading leaves nothing to chance, nor to the picture"


def test_draws_follow_the_probabilities() -> None:
    import torch

    from counterpoint.core.ids import seeded_rng
    from counterpoint.models.hf.decoder import TokenSampler

    odds = np.array([0.5, 0.0, 0.3, 0.2])
    with np.errstate(divide="ignore"):
        logits = torch.tensor(np.log(odds)).repeat(4000, 1)
    lucks = [seeded_rng("test", number) for number in range(4000)]
    drawn = TokenSampler(lucks, 1.0)(None, logits).argmax(-1).numpy()
    shares = np.bincount(drawn, minlength=4) / 4000
    assert np.abs(shares - odds).max() < 0.03
    assert shares[1] == 0
    sharp = TokenSampler([seeded_rng("test", number) for number in range(4000)], 0.5)(None, logits).argmax(-1).numpy()
    assert np.abs(np.bincount(sharp, minlength=4) / 4000 - odds**2 / (odds**2).sum()).max() < 0.03


@pytest.mark.parametrize("choose", ["generate", "likelihood"])
def test_a_query_that_is_longer_than_the_model_reads_fails_alone(model: Made, choose: str) -> None:
    one, short = model(choose=choose), Query(None, "Is it red?", choices=("red", "a blue cup"))
    long = replace(short, text="Is it red? " * 200)
    answers = dict(one.answer([short, long]))
    assert answers[0] == dict(one.answer([short]))[0]
    assert re.fullmatch(r"the prompt has [\d,]+ tokens, and the model reads 5\d\d", answers[1].reason)
    drawn = {place: answer.state for place, _, answer in one.sample([short, long], [1], 7)}
    assert (drawn[0] is State.FAILED, drawn[1]) == (False, State.FAILED)
    scored = dict(one.stream_scores([replace(query, mode=Mode.SCORE) for query in (short, long)]))
    assert scored[0].score is not None
    assert scored[1].reason == "the text has more tokens than the model reads"

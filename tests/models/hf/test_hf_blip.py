"""BLIP for question answering, tiny and random."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import pytest
from tiny_generative import a_table, asked, speaker

from counterpoint.core.groups import Query, State
from counterpoint.core.ports import Answerer, Sampler, Scorer
from counterpoint.engine import running
from counterpoint.models.hf.batch_preparation import BatchRow
from counterpoint.store import groups
from counterpoint.testing import MemoryLog

run = partial(running.run, read=groups.read_queries)
Made = Callable[..., Any]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return cache(partial(speaker, "blip", tmp_path_factory.mktemp("blip")))


def test_answers_in_batches_are_answers_one_by_one_though_questions_have_other_lengths(model: Made) -> None:
    one, queries = model(), asked(pictures=5)
    together = dict(one.answer(queries))
    assert sorted(together) == list(range(len(queries)))
    for place in range(0, len(queries), 2):
        ((_, alone),) = one.answer([queries[place]])
        assert alone.raw == together[place].raw
    assert len({answer.raw for answer in together.values()}) >= 3


def test_no_batch_has_padding_since_the_speaker_would_hear_it(model: Made) -> None:
    one = model()
    batches = list(one._preparer.batches([BatchRow(place, query) for place, query in enumerate(asked())], 4))
    assert len(batches) == 3
    assert all(bool(batch.inputs["attention_mask"].all()) for batch in batches)


def test_choices_have_probabilities_and_may_be_chosen_by_them(model: Made) -> None:
    import torch

    query = Query(asked()[0].picture, "which?", choices=("red", "blue"))
    one = model(choose="likelihood")
    ((_, answer),) = one.answer([query])
    (batch,) = one._preparer.batches([BatchRow(0, query)], 1)
    whole = one._decoder.model
    with torch.inference_mode():
        seen = whole.vision_model(batch.inputs["pixel_values"])[0]
        read = whole.text_encoder(batch.inputs["input_ids"], encoder_hidden_states=seen, return_dict=False)[0]
        start = torch.tensor([[whole.decoder_start_token_id]])
        odds = whole.text_decoder(start, encoder_hidden_states=read).logits[0, -1].softmax(-1)
    red, blue = (float(odds[one._tokenizer.convert_tokens_to_ids(word)]) for word in query.choices)
    assert dict(answer.top) == pytest.approx({"red": red / (red + blue), "blue": blue / (red + blue)}, abs=1e-4)
    assert answer.value == answer.top[0][0] == ("red" if red > blue else "blue")
    long = Query(query.picture, "which?", choices=("a white dog", "a black dog"))
    ((_, chosen),) = one.answer([long])
    assert sum(chance for _, chance in chosen.top) == pytest.approx(1)


def test_a_run_asks_everything_but_a_query_without_a_picture(model: Made) -> None:
    log, one = MemoryLog(), model()
    outcome = run(a_table([*asked(), Query(None, "What is it?")]), one, log, trials=(0, 1), batch=5)
    assert (outcome.asked, outcome.failed, outcome.blind) == (18, 0, 2)
    assert outcome.batch_invariance is not None
    assert outcome.batch_invariance.differing == 0


def test_it_answers_and_samples_and_scores_nothing(model: Made) -> None:
    one = model()
    assert [isinstance(one, kind) for kind in (Answerer, Sampler, Scorer)] == [True, True, False]
    drawn = {trial: answer.raw for _, trial, answer in one.sample(asked()[:1], [1, 2, 3], 0)}
    assert len(set(drawn.values())) > 1
    ((_, _, alone),) = one.sample(asked()[:1], [2], 0)
    assert alone.raw == drawn[2]
    assert alone.state is not State.FAILED

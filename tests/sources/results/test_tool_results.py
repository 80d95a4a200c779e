"""Files that other tools write, in their exact layouts, read as predictions."""

import csv
from pathlib import Path

import pytest
from prediction_files import QUERY, read_answers, read_records, rejected_reasons, write_json, write_lines

from counterpoint.core.errors import SourceError
from counterpoint.core.extras import install_command
from counterpoint.sources.results.formats import detect_format
from counterpoint.sources.results.predictions import Prediction, RejectedRecord


def test_answer_files_of_llava(tmp_path: Path) -> None:
    record = {
        "question_id": 42,
        "prompt": "Is there a cat?\nAnswer the question using a single word or phrase.",
        "text": "Yes",
        "answer_id": "bTqbrFcA",
        "model_id": "llava-v1.5-7b",
        "metadata": {},
    }
    path = write_lines(tmp_path / "answers.jsonl", record, record | {"question_id": 43, "text": "No"})
    assert detect_format(path) == "llava"
    assert read_answers(path) == [("42", "Yes"), ("43", "No")]
    first = read_records(path)[0]
    assert isinstance(first, Prediction)
    assert first.text == record["prompt"]


def test_results_of_vqa_and_carets(tmp_path: Path) -> None:
    path = write_json(tmp_path / "results.json", [{"question_id": "0011", "answer": "red"}])
    assert detect_format(path) == "vqa"
    assert read_answers(path) == [("0011", "red")]
    gqa = write_json(tmp_path / "gqa.json", [{"questionId": "0011", "prediction": "red"}])
    assert read_answers(gqa) == [("0011", "red")]


VLMEVALKIT = {
    "index": [3, 4, 5, 6],
    "question": ["Which?", "Is it?", "Who?", "What?"],
    "hint": ["", "", "", ""],
    "A": ["red", "", "", ""],
    "B": ["blue", "", "", ""],
    "answer": ["A", "no", "a", "b"],
    "category": ["color"] * 4,
    "image_path": ["3.jpg", "3.jpg", "5.jpg", "5.jpg"],
    "prediction": ["B. blue", "Yes", "Failed to obtain answer via API.", ""],
}


def test_results_of_vlmevalkit_in_a_spreadsheet(tmp_path: Path) -> None:
    import openpyxl

    path = tmp_path / "model_Bench.xlsx"
    book = openpyxl.Workbook()
    book.active.append(list(VLMEVALKIT))
    for row in zip(*VLMEVALKIT.values(), strict=True):
        book.active.append([cell if cell != "" else None for cell in row])
    book.save(path)
    assert detect_format(path) == "vlmevalkit"
    _check_vlmevalkit(path)


@pytest.mark.parametrize("kind", ["tsv", "json"])
def test_results_of_vlmevalkit_in_text(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"model_Bench.{kind}"
    rows = list(zip(*VLMEVALKIT.values(), strict=True))
    if kind == "json":
        write_json(path, [dict(zip(VLMEVALKIT, row, strict=True)) for row in rows], indent=4)
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter="\t", quoting=csv.QUOTE_ALL).writerows([list(VLMEVALKIT), *rows])
    assert detect_format(path) == "vlmevalkit"
    _check_vlmevalkit(path)


def _check_vlmevalkit(path: Path) -> None:
    assert read_answers(path) == [("3", "B. blue"), ("4", "Yes"), ("6", "")]
    first = read_records(path)[0]
    assert isinstance(first, Prediction)
    assert (first.picture, first.text, first.options) == ("3.jpg", "Which?", ("red", "blue"))
    assert rejected_reasons(path) == ["it failed there: Failed to obtain answer via API."]


def test_a_spreadsheet_without_its_library_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import openpyxl

    path = tmp_path / "a.xlsx"
    openpyxl.Workbook().save(path)
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(SourceError, match="openpyxl is not installed") as problem:
        read_records(path)
    assert problem.value.hint == install_command("xlsx")


LMMS = {
    "doc_id": 0,
    "target": "yes",
    "filtered_resps": "yes",
    "token_counts": [{"output_tokens": 3}],
    "doc_hash": "ab12",
    "answer_accuracy": {"query_id": QUERY, "group_id": "00", "said": "yes", "score": 1.0},
    "input": "Is there a cat?\nAnswer with a single word or a short phrase.",
}


def test_samples_of_lmms_eval_whose_documents_are_dropped(tmp_path: Path) -> None:
    """It keeps the measures, and with them our id; a reply is kept only where the filter has changed it."""
    path = write_lines(
        tmp_path / "20260101_samples_order.jsonl",
        LMMS,
        LMMS | {"doc_id": 1, "resps": ["Yes, <b>"], "filtered_resps": "yes"},
    )
    assert detect_format(path) == "lmms-eval"
    assert read_answers(path) == [(QUERY, "yes"), (QUERY, "Yes, <b>")]
    first = read_records(path)[0]
    assert isinstance(first, Prediction)
    assert first.text == LMMS["input"]


def test_samples_of_older_lmms_eval_and_of_other_tasks(tmp_path: Path) -> None:
    sample = {
        "doc_id": 5,
        "doc": {"question_id": "0017", "question": "Why?", "image_path": "a/7.jpg"},
        "target": "x",
        "arguments": ["Why?", {"until": ["\n"]}, 5, "task", "test"],
        "resps": [["so"]],
        "filtered_resps": ["so"],
        "submission": {"question_id": 99, "answer": "so"},
    }
    old = write_json(tmp_path / "task.json", {"args": {"model": "m"}, "model_configs": {}, "logs": [sample]}, indent=4)
    assert detect_format(old) == "lmms-eval"
    assert read_records(old) == [Prediction("0017", "so", "a/7.jpg", "Why?", place=f"{old}, record 1")]
    bare = {key: value for key, value in sample.items() if key not in ("doc", "arguments", "submission", "resps")}
    assert read_answers(write_lines(tmp_path / "one.jsonl", bare | {"filtered_resps": ["so"]})) == [("5", "so")]


def test_several_replies_to_one_question_are_trials_of_it(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "a_samples_b.jsonl", LMMS | {"resps": ["a", "b", "c"], "filtered_resps": ["a", "b", "c"]}
    )
    assert [(one.raw, one.trial) for one in read_records(path) if isinstance(one, Prediction)] == [
        ("a", 0),
        ("b", 1),
        ("c", 2),
    ]


LM_EVAL = {
    "doc_id": 7,
    "doc": {"query_id": QUERY, "question": "Which?", "choices": ["red", "blue"]},
    "target": "0",
    "arguments": {
        "gen_args_0": {"arg_0": "Which?", "arg_1": " red"},
        "gen_args_1": {"arg_0": "Which?", "arg_1": " blue"},
    },
    "resps": [[["-3.0", "False"]], [["-1.0", "True"]]],
    "filtered_resps": [["-3.0", "False"], ["-1.0", "True"]],
    "filter": "none",
    "metrics": ["acc"],
    "doc_hash": "a",
    "prompt_hash": "b",
    "target_hash": "c",
    "acc": 0.0,
}


def test_samples_of_lm_eval_with_log_likelihoods_of_choices(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "samples_order_2026.jsonl", LM_EVAL)
    assert detect_format(path) == "lm-eval"
    (one,) = read_records(path)
    assert isinstance(one, Prediction)
    assert (one.id, one.raw, one.options) == (QUERY, "blue", ("red", "blue"))
    assert one.top[0][0] == "blue"
    assert one.top[0][1] == pytest.approx(0.8808, abs=1e-4)


def test_lmms_eval_gives_losses_so_that_the_least_is_the_best(tmp_path: Path) -> None:
    sample = LM_EVAL | {"resps": [[["0.5", "False"]], [["2.0", "False"]]], "arguments": ["Which?"]}
    del sample["prompt_hash"]
    path = write_lines(tmp_path / "a_samples_b.jsonl", sample)
    assert detect_format(path) == "lmms-eval"
    assert read_answers(path) == [(QUERY, "red")]
    bare = {key: value for key, value in sample.items() if key != "doc"}
    assert rejected_reasons(write_lines(tmp_path / "bare.jsonl", bare)) == [
        "2 log-likelihoods, and no names of the choices"
    ]


def test_samples_of_lm_eval_with_replies_and_with_one_likelihood(tmp_path: Path) -> None:
    asked = {"gen_args_0": {"arg_0": "Which?", "arg_1": {"until": ["\n"]}}}
    reply = LM_EVAL | {"arguments": asked, "resps": [["The answer is blue."]], "filtered_resps": ["blue"]}
    alone = LM_EVAL | {"arguments": asked, "resps": [[["-12.5", "False"]]], "filtered_resps": [["-12.5", "False"]]}
    said, scored, odd = read_records(write_lines(tmp_path / "samples_a.jsonl", reply, alone, {"results": 1}), "lm-eval")
    assert isinstance(said, Prediction)
    assert said.raw == "The answer is blue."
    assert isinstance(scored, Prediction)
    assert scored.score == -12.5
    assert odd == RejectedRecord(f"{tmp_path / 'samples_a.jsonl'}, record 3", "no replies among results", "")


def test_results_of_batch_apis(tmp_path: Path) -> None:
    openai = {
        "id": "batch_req_1",
        "custom_id": "0011",
        "response": {"status_code": 200, "body": {"choices": [{"message": {"role": "assistant", "content": "red"}}]}},
        "error": None,
    }
    items = [
        {"type": "reasoning", "summary": []},
        {"type": "message", "content": [{"type": "output_text", "text": "no"}]},
    ]
    responses = {"custom_id": "12", "response": {"status_code": 200, "body": {"output": items}}}
    anthropic = {
        "custom_id": "13",
        "result": {"type": "succeeded", "message": {"content": [{"type": "text", "text": "two "}, {"text": "dogs"}]}},
    }
    google = {"key": "14", "response": {"candidates": [{"content": {"parts": [{"text": "blue"}], "role": "model"}}]}}
    path = write_lines(tmp_path / "output.jsonl", openai, responses, anthropic, google)
    assert detect_format(path) == "batch"
    assert read_answers(path) == [("0011", "red"), ("12", "no"), ("13", "two dogs"), ("14", "blue")]
    for number, first in enumerate((openai, anthropic, google)):
        alone = write_lines(tmp_path / f"{number}.jsonl", first)
        assert (detect_format(alone), len(read_answers(alone))) == ("batch", 1)


def test_a_reply_of_a_batch_has_no_thoughts_and_may_be_a_refusal(tmp_path: Path) -> None:
    parts = [{"text": "Is it red? No.", "thought": True}, {"text": "blue"}]
    google = {"key": "1", "response": {"candidates": [{"content": {"parts": parts}}]}}
    message = {"role": "assistant", "content": None, "refusal": "I can't help with that."}
    openai = {"custom_id": "2", "response": {"body": {"choices": [{"message": message}]}}}
    item = {"type": "message", "content": [{"type": "refusal", "refusal": "I can't say."}]}
    responses = {"custom_id": "3", "response": {"body": {"output": [item]}}}
    path = write_lines(tmp_path / "output.jsonl", google, openai, responses)
    assert read_answers(path) == [("1", "blue"), ("2", "I can't help with that."), ("3", "I can't say.")]


def test_a_reply_of_a_batch_without_text_says_how_it_ended(tmp_path: Path) -> None:
    blocked = {"key": "1", "response": {"promptFeedback": {"blockReason": "SAFETY"}}}
    withheld = {"key": "2", "response": {"candidates": [{"finishReason": "RECITATION"}]}}
    refused = {"custom_id": "3", "result": {"type": "succeeded", "message": {"content": [], "stop_reason": "refusal"}}}
    choice = {"message": {"content": None}, "finish_reason": "content_filter"}
    filtered = {"custom_id": "4", "response": {"status_code": 200, "body": {"choices": [choice]}}}
    path = write_lines(tmp_path / "output.jsonl", blocked, withheld, refused, filtered)
    assert detect_format(path) == "batch"
    endings = ("SAFETY", "RECITATION", "refusal", "content_filter")
    assert rejected_reasons(path) == [f"it failed there: no text, {ending}" for ending in endings]


def test_a_request_of_a_batch_that_failed_is_no_answer(tmp_path: Path) -> None:
    late = {"custom_id": "1", "response": None, "error": {"code": "batch_expired", "message": "This batch expired."}}
    bad = {"custom_id": "2", "response": {"status_code": 400, "body": {"error": {"message": "Invalid image."}}}}
    error = {"type": "error", "error": {"type": "invalid_request", "message": "Too large."}}
    wrong = {"custom_id": "3", "result": {"type": "errored", "error": error}}
    silent = {"custom_id": "4", "result": {"type": "canceled"}}
    path = write_lines(tmp_path / "errors.jsonl", late, bad, wrong, silent, {"response": {"body": {}}})
    reasons = [f"it failed there: {why}" for why in ("This batch expired.", "Invalid image.", "Too large.", "canceled")]
    assert rejected_reasons(path) == [*reasons, "no custom_id among response"]

"""A suite of Counterpoint as a task of lmms-eval: pictures, prompts, and first metrics of the answers.

Written by `counterpoint export`; it needs nothing but Python. Scores with intervals come from Counterpoint itself:
run with --log_samples, and give the file with the samples to `counterpoint import`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

ANSWER_PROMPT = "\nAnswer with a single word or a short phrase."
CHOICE_PROMPT = "\nChoose one of: {choices}. Answer with your choice alone."


def doc_to_visual(doc: Mapping[str, Any]) -> list[Any]:
    """The picture; none for a text-only control."""
    return [] if doc["image"] is None else [doc["image"].convert("RGB")]


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, str] | None = None) -> str:
    """The context, the question and the instruction; the task file may override the prompts for each model."""
    words = lmms_eval_specific_kwargs or {}
    how = words.get("choice_prompt", CHOICE_PROMPT) if doc["choices"] else words.get("post_prompt", ANSWER_PROMPT)
    how = how.replace("{choices}", ", ".join(doc["choices"] or ()))
    prompt = words.get("pre_prompt", "") + doc["question"] + how
    return f"{doc['context']}\n\n{prompt}" if doc["context"] else prompt


def doc_to_target(doc: Mapping[str, Any]) -> str:
    """The best right answer; nothing where there is none."""
    return doc["answer"] or ""


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The credit of an answer, with the id of the query, since lmms-eval logs this and not the row."""
    known = {plain(gold["answer"]): gold["credit"] for gold in doc["answers"] or ()}
    answer = value(results[0], [plain(choice) for choice in doc["choices"] or ()])
    about = {name: doc[name] for name in ("query_id", "group_id", "role", "relation")} | {"value": answer}
    credit = {"credit": known.get(answer, 0.0)} if known else {}
    score = {"score": credit["credit"]} if credit else {}
    right = {"right_by": known} if known.get(answer, 0.0) >= 0.5 else {}
    return {"answer_accuracy": about | score, "all_right": about | credit, "self_consistency": about | right}


def answer_accuracy(items: Iterable[Mapping[str, Any]]) -> float:
    """The mean credit of single answers."""
    return mean([item["score"] for item in items if "score" in item])


def all_right(items: Iterable[Mapping[str, Any]]) -> float:
    """The share of groups in which every answer earns at least half."""
    earned = [[item["credit"] for item in group.values() if "credit" in item] for group in grouped(items)]
    return mean([min(group) >= 0.5 for group in earned if group])


def self_consistency(items: Iterable[Mapping[str, Any]]) -> float:
    """The share of pairs of a base and a variant whose answers are the same, or differ, as they should."""
    pairs = [
        same(variant, group[0]) == (variant["relation"] == "same")
        for group in grouped(items)
        for role, variant in group.items()
        if role and 0 in group and variant["relation"] in ("same", "differs")
    ]
    return mean(pairs)


def same(variant: Mapping[str, Any], base: Mapping[str, Any]) -> bool:
    """Whether two answers are equal, or both right by the same gold."""
    equal: bool = variant["value"] == base["value"]
    return equal or ("right_by" in variant and variant["right_by"] == base.get("right_by"))


def value(reply: str, choices: Sequence[str]) -> str:
    """The only choice that is named, or a leading yes or no, or else the whole reply."""
    words = plain(reply)
    named = {choice for choice in choices if choice and re.search(rf"\b{re.escape(choice)}\b", words)}
    if len(named) == 1:
        return named.pop()
    first = re.split(r"\W", words, maxsplit=1)[0]
    return first if first in ("yes", "no") else words


def plain(text: str) -> str:
    """In small letters, without an article before it or a full stop after it."""
    return re.sub(r"^(?:an?|the) ", "", text.strip().strip(".!\"'").lower()).strip()


def grouped(items: Iterable[Mapping[str, Any]]) -> list[dict[int, Mapping[str, Any]]]:
    """The items of each group by their role."""
    groups: dict[str, dict[int, Mapping[str, Any]]] = defaultdict(dict)
    for item in items:
        groups[item["group_id"]][item["role"]] = item
    return list(groups.values())


def mean(shares: Sequence[float]) -> float:
    """The mean; not a number where there is nothing to count."""
    return sum(shares) / len(shares) if shares else float("nan")

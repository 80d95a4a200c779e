"""Write the cards of the built-in models to docs/reference/models.md, and a table to docs/explanation/models.md.

Run `python scripts/model_cards.py` after new weights or a new `training.report`; a test fails while the pages differ.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

from counterpoint import catalog
from counterpoint.models.builtin.onnx_graphs import WEIGHTS

DOCS = Path(__file__).parents[1] / "docs"
ORDER = ("fusion", "cnn-lstm", "question-only", "picture-only", "two-tower")
BEGIN, END = "<!-- plain-accuracy: made by scripts/model_cards.py -->", "<!-- plain-accuracy: end -->"
HEAD = "<!-- Made by scripts/model_cards.py from the cards beside the weights; edit the cards, not this page. -->"
ROWS = {
    "questions": "all questions",
    "GQA": "GQA style",
    "VQA": "VQA style",
    "captions ranked above random ones": "captions ranked",
}
GRAPH, TENSOR, DIMENSION, TYPE, INT64 = 7, 5, 1, 2, 7
"""Fields of ONNX: the graph of a model, the tensors of a graph, the sizes and the type of a tensor; a type."""
EXTREME = 6
"""The number of best and of worst kinds that are listed."""

Card = Mapping[str, Any]
Score = Mapping[str, float]


def pages() -> dict[str, str]:
    """The path below docs and the text of each page."""
    cards = {name: json.loads((WEIGHTS / name / "card.json").read_text("utf-8")) for name in ORDER}
    why = (DOCS / "explanation" / "models.md").read_text("utf-8")
    before, _, rest = why.partition(BEGIN)
    _, found, after = rest.partition(END)
    assert found, "docs/explanation/models.md has lost the marks between which the table goes"
    return {
        "reference/models.md": HEAD + "\n\n" + "\n\n".join(_reference(cards)) + "\n",
        "explanation/models.md": f"{before}{BEGIN}\n\n{_summary(cards)}\n\n{END}{after}",
    }


def _reference(cards: Mapping[str, Card]) -> Iterator[str]:
    yield "# Built-in models"
    yield (
        "The cards of the models that come with the package: architecture, training, and accuracy on held-out scenes. "
        "[Models](../explanation/models.md) explains the design; `counterpoint study plain --items 2000` computes the "
        "figures again, from the weights as shipped."
    )
    yield _summary(cards)
    yield (
        "All figures are per cent with 95 % intervals over pictures. *Captions ranked*: how often the caption of a "
        "picture scores higher on it than that of another picture."
    )
    for name, card in cards.items():
        yield f"## {name}"
        yield _first(catalog.find("models", name))
        yield _table(("", ""), _facts(name, card))
        yield _table(("accuracy, per cent", *_forms(card)), _accuracy(card))
        yield "\n".join(f"- {line}" for line in _weaknesses(name, cards))
    kinds = {name: card["accuracy"]["kinds"] for name, card in cards.items() if card["accuracy"].get("kinds")}
    if kinds:
        yield "## By kind of question"
        yield "Accuracy of each model as shipped, sorted from the hardest to the easiest kind for `fusion`."
        yield _table(("kind", "questions", *kinds), _by_kind(kinds))


def _summary(cards: Mapping[str, Card]) -> str:
    judged = cards[ORDER[0]]["accuracy"]
    rows = [
        (f"`{name}`", *(_cell(card["accuracy"].get(row)) for row in ROWS), f"{_bytes(name) / 1e6:.1f}")
        for name, card in cards.items()
    ]
    return (
        _table(("model", *ROWS.values(), "MB"), rows)
        + f"\n\nAccuracy on {judged['scenes']:,} scenes of the {judged['split']} split, in per cent."
    )


def _facts(name: str, card: Card) -> Iterator[tuple[str, str]]:
    training, judged = card["training"], card["accuracy"]
    settings = training.get("settings", {})
    yield "inputs", " and ".join({"picture": "the picture", "text": "the text"}[part] for part in card["sees"])
    outputs = ["answers with probabilities"] * bool(card["answers"])
    scores = {"probability": "the probability that a sentence matches", "similarity": "the similarity of a sentence"}
    outputs += [scores[card["scores"]]] if card["scores"] else []
    yield "outputs", "; ".join(outputs)
    graphs = sorted(path.stem for path in (WEIGHTS / name).glob("*.onnx"))
    bits = "picture encoder in 8 bits, the rest in 16" if card["int8"] else "in 16 bits"
    weights = sum(map(_weights, (WEIGHTS / name).glob("*.onnx")))
    yield "size", f"{weights / 1e6:.2f} million parameters, {_bytes(name) / 1e6:.2f} MB; {bits}"
    yield "graphs", ", ".join(graphs)
    words = [f"{len(card['vocabulary'])} words, at most {card['length']} per text"] * ("text" in card["sees"])
    yield "vocabulary", "; ".join([*words, *[f"{len(card['answers'])} answers"] * bool(card["answers"])])
    texts = ["plain questions"] * bool(card["answers"]) + ["captions"] * bool(card["scores"])
    boxes = "; annotated boxes, for its picture encoder" * ("picture" in card["sees"])
    yield "data", f"{training['scenes']:,} scenes of the train split, with their {' and '.join(texts)}{boxes}"
    yield "training", ", then ".join(_training_runs(training)) + f", on one {training['device']}"
    kept = {key: value for key, value in settings.items() if value is not False and key not in ("seconds", "limit")}
    yield "settings", ", ".join(f"{key} {value}" for key, value in kept.items())
    asked = f", {judged['questions']['n']:,} questions" if "questions" in judged else ""
    yield "evaluated on", f"{judged['scenes']:,} scenes of the {judged['split']} split{asked}"


def _training_runs(training: Mapping[str, Any]) -> Iterator[str]:
    """Steps and seconds of the runs that led to the weights, the earliest first."""
    if training.get("earlier"):
        yield from _training_runs(training["earlier"])
    yield f"{training['steps']:,} steps in {training['seconds']} s"


def _forms(card: Card) -> tuple[str, ...]:
    return ("as shipped", "in 32 bits") if "accuracy in 32 bits" in card else ("as shipped",)


def _accuracy(card: Card) -> Iterator[tuple[str, ...]]:
    exact = card.get("accuracy in 32 bits", {})
    for row, title in ROWS.items():
        if row in card["accuracy"]:
            yield title, _cell(card["accuracy"][row]), *([f"{100 * exact[row]['value']:.1f}"] if exact else [])


def _weaknesses(name: str, cards: Mapping[str, Card]) -> Iterator[str]:
    card = cards[name]
    kinds: Mapping[str, Score] = card["accuracy"].get("kinds", {})
    if kinds:
        ranked = sorted(kinds, key=lambda kind: kinds[kind]["value"])
        yield "Best kinds: " + _listed(ranked[: -EXTREME - 1 : -1], kinds) + "."
        yield "**Worst kinds**: " + _listed(ranked[:EXTREME], kinds) + "."
        blind: Mapping[str, Score] = cards["question-only"]["accuracy"].get("kinds", {})
        same = [kind for kind in ranked if kind in blind and kinds[kind]["low"] <= blind[kind]["high"]]
        if name != "question-only" and blind:
            none = "none; it is better on each"
            yield "Kinds not clearly better than the text-only `question-only`: " + (", ".join(same) or none) + "."
    if card["scores"] == "similarity":
        yield (
            f"**Weak** on a single sentence: its scores rank, and are no probabilities. By their sign alone, "
            f"{100 * card['training']['matching']:.0f} % of sentences on validation scenes are classified correctly."
        )
    if "text" in card["sees"]:
        yield "Unknown words share a few embeddings."
    yield "Never trained on: " + "; ".join(_unseen(card)) + "."


def _unseen(card: Card) -> Iterator[str]:
    yield "scenes of the validation, test and shifted splits"
    if "picture" in card["sees"]:
        yield "photographs; edited pictures, beyond a shift by a few pixels and a change of brightness"
    if "text" in card["sees"]:
        yield "texts written by people; negated, paired or counterfactual texts"
    if card["scores"]:
        yield "foils (wrong captions in training are those of other pictures)"


def _by_kind(kinds: Mapping[str, Mapping[str, Score]]) -> Iterator[tuple[str, ...]]:
    first = next(iter(kinds.values()))
    for kind in sorted(first, key=lambda kind: first[kind]["value"]):
        yield kind, f"{first[kind]['n']:,}", *(_cell(scores.get(kind)) for scores in kinds.values())


def _listed(names: Iterable[str], scores: Mapping[str, Score]) -> str:
    return ", ".join(f"{name} ({100 * scores[name]['value']:.0f} %)" for name in names)


def _cell(score: Score | None) -> str:
    return "–" if score is None else f"{100 * score['value']:.1f} ({100 * score['low']:.1f}–{100 * score['high']:.1f})"


def _weights(graph: Path) -> int:
    """How many numbers an ONNX file holds in its tensors, those for shapes aside; read without the package onnx."""
    (model,) = (part for field, part in _fields(graph.read_bytes()) if field == GRAPH)
    return sum(_numbers(part) for field, part in _fields(model) if field == TENSOR)


def _numbers(tensor: bytes) -> int:
    parts = list(_fields(tensor))
    if (TYPE, INT64) in parts:
        return 0
    return prod(int(size) for field, size in parts if field == DIMENSION and isinstance(size, int))


def _fields(message: Any) -> Iterator[tuple[int, Any]]:
    """The fields of a protobuf message: each with its number, as a whole number or as bytes."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        if key & 7 == 0:
            value, place = _varint(message, place)
            yield key >> 3, value
        else:
            size = {1: 8, 5: 4}.get(key & 7)
            if size is None:
                size, place = _varint(message, place)
            yield key >> 3, message[place : place + size]
            place += size


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value, shift, place = value | (byte & 127) << shift, shift + 7, place + 1
        if byte < 128:
            return value, place


def _bytes(name: str) -> int:
    return sum(path.stat().st_size for path in (WEIGHTS / name).glob("*.onnx"))


def _first(value: Any) -> str:
    return str(value.__doc__).splitlines()[0]


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write(texts: Mapping[str, str], folder: Path) -> None:
    """Put the pages into a folder."""
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(pages(), DOCS)

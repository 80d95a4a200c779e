"""What a built-in model was never taught of what it is asked: it answers all the same, and means little."""

from collections.abc import Iterator, Sequence

from counterpoint.models.builtin.onnx_graphs import ModelCard
from counterpoint.models.builtin.vocabulary import split_words


def vocabulary_warnings(model: object, name: str, question: str, choices: Sequence[str] = ()) -> Iterator[str]:
    """A sentence for each way in which a question goes beyond what a model knows; other models know no limits."""
    card = getattr(model, "card", None)
    if not isinstance(card, ModelCard):
        return
    strange = [word for word in split_words(question) if word not in card.vocabulary] if "text" in card.sees else []
    if strange:
        yield f"{name} does not know the word{'s' * (len(strange) > 1)} {', '.join(dict.fromkeys(strange))}"
    unsaid = [choice for choice in choices if choice.lower() not in card.answers] if card.answers else []
    if unsaid:
        yield f"{name} cannot say {' or '.join(unsaid)}"

"""How a query is put into words for a model that reads instructions."""

from dataclasses import dataclass, fields, replace

from counterpoint.core.groups import Mode, Query
from counterpoint.core.ids import canonical


@dataclass(frozen=True, slots=True)
class Prompt:
    """Patterns for what is said around a query: {text} is the question or the sentence, {choices} what is offered.

    >>> print(Prompt().words(Query(None, "What color is the cup?", choices=("red", "blue"))))
    What color is the cup?
    Choose one of: red, blue. Answer with your choice alone.
    """

    question: str = "{text}\nAnswer with a single word or a short phrase."
    choice: str = "{text}\nChoose one of: {choices}. Answer with your choice alone."
    sentence: str = 'Does this sentence describe the picture correctly? "{text}"\nAnswer yes or no.'
    context: str = "{context}\n\n{words}"
    system: str = ""

    def words(self, query: Query) -> str:
        """What is said about a picture: one question in words, however the query is to be answered."""
        asked = self.sentence if query.mode is Mode.SCORE else self.choice if query.choices else self.question
        words = asked.replace("{choices}", ", ".join(query.choices)).replace("{text}", query.text)
        words = words if query.text else words.strip()  # where there is no question, nothing stands in its place
        if not query.context:
            return words
        return self.context.replace("{words}", words).replace("{context}", query.context)

    def asking(self, question: str) -> "Prompt":
        """The same with another pattern for questions; one without {text} has the question put before it."""
        pattern = question if "{text}" in question else f"{{text}}\n{question}"
        return replace(self, question=pattern) if question else self

    @property
    def content(self) -> str:
        """What a fingerprint needs of it."""
        return canonical([[field.name, str(getattr(self, field.name))] for field in fields(self)])

"""Prompt templates: a query as the text that an instruction-following model reads."""

from dataclasses import dataclass, fields, replace

from counterpoint.core.groups import Mode, Query
from counterpoint.core.ids import canonical


@dataclass(frozen=True, slots=True)
class Prompt:
    """Templates around a query: {text} is the question or the sentence, {choices} the choices.

    >>> print(Prompt().text(Query(None, "What color is the cup?", choices=("red", "blue"))))
    What color is the cup?
    Choose one of: red, blue. Answer with your choice alone.
    """

    question: str = "{text}\nAnswer with a single word or a short phrase."
    choice: str = "{text}\nChoose one of: {choices}. Answer with your choice alone."
    sentence: str = 'Does this sentence describe the picture correctly? "{text}"\nAnswer yes or no.'
    context: str = "{context}\n\n{words}"
    system: str = ""

    def text(self, query: Query) -> str:
        """The prompt for a query, by its mode and choices."""
        template = self.sentence if query.mode is Mode.SCORE else self.choice if query.choices else self.question
        words = template.replace("{choices}", ", ".join(query.choices)).replace("{text}", query.text)
        words = words if query.text else words.strip()  # no blank line in the place of a question
        if not query.context:
            return words
        return self.context.replace("{words}", words).replace("{context}", query.context)

    def with_question(self, question: str) -> "Prompt":
        """The same with another template: for questions with choices if it has {choices}, else for those without.

        One without {text} follows the question.
        """
        template = question if "{text}" in question else f"{{text}}\n{question}"
        if "{choices}" in question:
            return replace(self, choice=template)
        return replace(self, question=template) if question else self

    @property
    def content(self) -> str:
        """What a fingerprint covers."""
        return canonical([[field.name, str(getattr(self, field.name))] for field in fields(self)])

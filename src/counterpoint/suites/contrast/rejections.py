"""Why a question gets no contrasts: one sentence, which is counted by template."""


class QuestionRejected(Exception):  # noqa: N818 - it reads as what it is
    """Something about a question, its program or its scene that cannot be told for sure."""


class UnknownWording(QuestionRejected):
    """A wording that is none of the template's."""

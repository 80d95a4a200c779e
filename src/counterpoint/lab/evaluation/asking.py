"""One model of an evaluation file and some suites: what is asked, or taken from files, and what that would take."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from counterpoint.lab.evaluation.file_checks import key_variable
from counterpoint.lab.evaluation.settings import ModelSettings, PredictionSettings
from counterpoint.lab.importing import ImportReport
from counterpoint.lab.lab import Lab
from counterpoint.lab.running import RunReport


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A model that is asked about some suites of a lab; paths in its settings are relative to a folder."""

    lab: Lab
    model: ModelSettings
    suites: tuple[str, ...]
    folder: Path
    limit: int | None = None  # groups of each suite; else what the settings say

    @property
    def reference(self) -> str:
        """How the model is reached; a local folder is one beside the file."""
        way, slash, name = self.model.model.partition("/")
        local = self.folder / name
        return f"{way}/{local}" if slash and way == "hf" and local.is_dir() else self.model.model

    @property
    def arguments(self) -> dict[str, Any]:
        """The keyword arguments of `Lab.run`."""
        model = self.model
        args: dict[str, Any] = model.model_args | model.given_settings()
        args |= {"prices": str(self.folder / model.prices)} if model.prices else {}
        args |= {"key_variable": key_variable(model)} if model.api_key else {}
        counts = {"trials": model.trials, "seed": model.seed, "batch_size": model.batch_size}
        limit = self.limit or model.limit
        named = {"name": model.title, "version": model.version}
        return {"suites": self.suites, "model_args": args, "limit": limit, **named, **counts}


Asker: TypeAlias = Callable[[AskRequest], RunReport]
"""Asks one model about some suites, and says what was asked."""


def ask_everything(request: AskRequest) -> RunReport:
    """Ask a model whatever the lab has no answer to."""
    return request.lab.run(request.reference, **request.arguments)


def import_answers(lab: Lab, settings: PredictionSettings, suites: Sequence[str], folder: Path) -> ImportReport:
    """Store predictions made elsewhere as answers of a model."""
    how = settings.given("files", "name", "version", "suites", "questions")
    questions = folder / settings.questions if settings.questions else None
    files = [folder / file for file in settings.files]
    named: dict[str, Any] = {"name": settings.name, "version": settings.version, "suites": tuple(suites)}
    return lab.import_predictions(*files, questions=questions, **named, **how)

"""What an evaluation file may say. One definition: decoding, the JSON schema and the reference page follow from it.

A key has the name of the flag of the command that it stands for, and its meaning; a flag that can be repeated is a list
in the plural. A comment behind a key explains what no flag has.
"""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct, to_builtins

Positive: TypeAlias = Annotated[int, Meta(ge=1)]
Natural: TypeAlias = Annotated[int, Meta(ge=0)]
Scalar: TypeAlias = str | int | float | bool


class _Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """A table of the file."""

    def given(self, *without: str) -> dict[str, Any]:
        """What the file says beyond the defaults, as keyword arguments."""
        values = {name: getattr(self, name) for name in self.__struct_fields__ if name not in without}
        return {name: value for name, value in values.items() if value not in (None, "", (), {})}


class SuiteSettings(_Table, frozen=True, kw_only=True):
    """A suite, or a family of suites: what `counterpoint generate` takes."""

    suite: str  # The suite or family that is made, or module:object.
    name: str = ""
    source: str = "world"
    data: str = ""
    pictures: str = ""
    split: str = "test"
    items: Positive = 1000
    limit: Positive | None = None
    pairs: int | str | tuple[int, ...] | None = None  # In place of a limit: 500, "paper", or [500, 300].
    seed: int = 0
    rules: str = ""
    columns: dict[str, str] = {}  # The columns of a file by role, such as { question = "Q" }.
    texts: str = ""
    means: str | tuple[int, ...] | None = None  # The mean color of training pictures, or a folder that is measured.
    contrasts: Positive | None = None
    variants: Positive | None = None
    masked_lm: str = ""
    options: dict[str, Any] = {}  # Further options of a suite of your own.

    @property
    def title(self) -> str:
        """How the file calls it."""
        return self.name or self.suite

    def to_dict(self) -> dict[str, Any]:
        """All keys that have a value, as the file has them."""
        return {key: value for key, value in to_builtins(self).items() if value not in (None, "", {})}


class ModelSettings(_Table, frozen=True, kw_only=True):
    """A model that is asked: what `counterpoint run` takes."""

    model: str
    name: str = ""
    version: str = ""
    suites: tuple[str, ...] = ()  # Ask about these suites of the file alone.
    limit: Positive | None = None
    trials: Natural = 0
    seed: int = 0
    batch_size: Positive | None = None
    model_args: dict[str, Scalar] = {}  # Settings of the model by name: prompt, system, tokens, temperature, …
    device: str = ""
    dtype: str = ""
    base_url: str = ""
    api_key: str = ""  # The variable that holds the key of a server, as "${NAME}"; else OPENAI_API_KEY and the like.
    concurrency: Positive | None = None
    budget: Scalar | None = None
    prices: str = ""
    batch: bool | None = None

    @property
    def title(self) -> str:
        """What it is called in the lab."""
        return self.name or self.model

    def given_settings(self) -> dict[str, Scalar]:
        """Settings of the model that have a key of their own, as they stand in the file."""
        names = ("device", "dtype", "base_url", "concurrency", "budget", "batch", "prices")
        return {name: value for name in names if (value := getattr(self, name)) not in (None, "")}


class PredictionSettings(_Table, frozen=True, kw_only=True):
    """Predictions made elsewhere, as answers of a model: what `counterpoint import` takes."""

    files: tuple[str, ...]  # The files that another tool wrote.
    name: str  # What the model is called in the lab.
    version: str = ""
    suites: tuple[str, ...] = ()  # Match them with these suites of the file alone.
    format: str = ""
    columns: dict[str, str] = {}  # The columns by role, such as { id = "uid", answer = "reply" }.
    questions: str = ""
    rule: str = "auto"
    scores: Literal["", "probability", "similarity"] = ""
    by_text: bool = False
    strict: bool = False

    @property
    def title(self) -> str:
        """What the model is called in the lab."""
        return self.name


class GateSettings(_Table, frozen=True, kw_only=True):
    """Rules on the scores of a model: what `counterpoint gate` takes."""

    rules: tuple[str, ...]  # Each a text, such as "negation.accuracy >= 60 %".
    model: str = ""  # Hold the rules against this model of the file; else against each.
    baseline: str = ""
    suites: tuple[str, ...] = ()  # Hold the rules on these suites of the file alone.
    undecided: Literal["pass", "fail"] = "pass"


class EvaluationSettings(_Table, frozen=True, kw_only=True):
    """A whole file: `counterpoint.toml`, or the table `tool.counterpoint` of `pyproject.toml`."""

    lab: str = "lab"  # The folder that holds suites and answers; it is made if there is none.
    suites: tuple[SuiteSettings, ...] = ()  # What is asked; without any, the suites that the lab has.
    models: tuple[ModelSettings, ...] = ()  # Who is asked.
    predictions: tuple[PredictionSettings, ...] = ()  # Answers that were made elsewhere.
    metrics: tuple[str, ...] = ()  # The metrics that are shown; else those that apply to each suite.
    gates: tuple[GateSettings, ...] = ()  # Rules that scores have to clear, and the exit code says whether they do.
    until_decided: bool = False  # Ask about pictures in random order until the rules are decided or one fails.
    method: Literal["asymptotic", "betting"] = "asymptotic"  # How until-decided decides; betting is exact.
    outputs: dict[str, str] = {}  # Files that are written, by kind.
    trackers: tuple[str, ...] = ()  # Of scores and failures: wandb, mlflow:URI, tensorboard:FOLDER, jsonl:FILE.

    @property
    def titles(self) -> tuple[str, ...]:
        """The names of all models, asked or imported."""
        return (*(model.title for model in self.models), *(own.title for own in self.predictions))

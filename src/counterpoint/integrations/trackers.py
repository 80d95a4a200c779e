"""Experiment trackers: the scores of a version with their intervals, a chart, and the table of its failures.

A tracker is named as `wandb`, or with a destination: `wandb:PROJECT`, `mlflow:URI`, `tensorboard:FOLDER`, `jsonl:FILE`.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import counterpoint as cp

PROJECT = "counterpoint"
"""The project of W&B, and the experiment of MLflow."""
_COLUMNS = ("suite", "test", "group_id", "role", "verdict", "picture", "text", "gold", "answer", "correct", "proof")


@dataclass(frozen=True, slots=True)
class TrackedVersion:
    """What a tracker is told about one version of a model."""

    name: str
    version: str
    fingerprint: str
    date: str
    step: int  # the number of its tag, or its place in the order of versions
    metrics: Mapping[str, float]  # suite/metric, and with _low and _high the ends of its interval
    failures: Mapping[str, cp.Failures]  # by suite
    chart: str  # SVG

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.name}@{self.version}"

    @property
    def about(self) -> dict[str, str]:
        """What it is, for the settings of a run."""
        return {"model": self.name, "version": self.version, "fingerprint": self.fingerprint, "date": self.date}

    @property
    def id(self) -> str:
        """The same for the same version, so that a tracker updates its run instead of adding another."""
        return blake2b(f"{self.name} {self.fingerprint}".encode(), digest_size=8).hexdigest()

    @property
    def failed_rows(self) -> list[dict[str, Any]]:
        """One row per member of a listed group."""
        rows = (row for failures in self.failures.values() for row in failures.records())
        return [{name: row[name] for name in _COLUMNS} | {"gold": " / ".join(row["gold"])} for row in rows]

    @property
    def failed_html(self) -> str:
        """The listed groups with their pictures."""
        return "".join(failures._repr_html_() for failures in self.failures.values())


def log_to_jsonl(version: TrackedVersion, where: str, folder: Path) -> str:
    """Append one line to a file."""
    path = folder / (where or "counterpoint.jsonl")
    totals = {suite: failures.total for suite, failures in version.failures.items()}
    line = version.about | {"step": version.step, "metrics": dict(version.metrics), "failed": totals}
    text = json.dumps(line | {"failures": version.failed_rows}, ensure_ascii=False)
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")
    except OSError as problem:
        raise cp.CounterpointError(f"{path} cannot be written: {problem.strerror or problem}") from problem
    return str(path)


def log_to_wandb(version: TrackedVersion, where: str, folder: Path) -> str:
    """One run per version, grouped by model; `WANDB_MODE=offline` writes files alone."""
    with _package("wandb"):
        import wandb

    settings = wandb.Settings(silent=True, console="off")
    about: dict[str, Any] = {"project": where or PROJECT, "group": version.name, "name": version.title, "dir": folder}
    rows = [[row[name] for name in _COLUMNS] for row in version.failed_rows]
    content = {
        "scores": wandb.Html(version.chart),
        "failures": wandb.Table(columns=list(_COLUMNS), data=rows),
        "failed pictures": wandb.Html(version.failed_html),
    }
    about |= {"config": version.about, "id": version.id, "resume": "allow", "reinit": "create_new"}
    with wandb.init(**about, settings=settings) as run:
        run.log({**version.metrics, "version_step": version.step, **content})
    return where or PROJECT


def log_to_mlflow(version: TrackedVersion, where: str, folder: Path) -> str:
    """One run per version in the experiment `counterpoint` of a server, a data base or a folder."""
    with _package("mlflow"):
        from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=where or None)
    experiment = client.get_experiment_by_name(PROJECT)
    number = experiment.experiment_id if experiment else client.create_experiment(PROJECT)
    runs = client.search_runs([number], f"tags.counterpoint_id = '{version.id}'")
    tags = {**version.about, "counterpoint_id": version.id}
    run = (runs[0] if runs else client.create_run(number, tags=tags, run_name=version.title)).info.run_id
    for name, value in version.metrics.items():
        client.log_metric(run, name, value, step=version.step)
    client.log_text(run, version.chart, "scores.svg")
    client.log_text(run, version.failed_html, "failures.html")
    client.log_dict(run, {"failures": version.failed_rows}, "failures.json")
    client.set_terminated(run)
    return where or "the tracking server"


def log_to_tensorboard(version: TrackedVersion, where: str, folder: Path) -> str:
    """A step in the series of its model: scalars, charts with their intervals as margins, and failures as text."""
    with _package("tensorboard"):
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.plugins.custom_scalar import metadata
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

    runs = folder / (where or "runs") / version.name.replace("/", "-")
    values = [Summary.Value(tag=name, simple_value=value) for name, value in version.metrics.items()]
    values.append(_plugin_value(metadata.CONFIG_SUMMARY_TAG, metadata.PLUGIN_NAME, _margins(version)))
    for suite, failures in version.failures.items():
        values.append(_plugin_value(f"failures/{suite}", "text", failures.text("markdown").encode()))
    writer = EventFileWriter(str(runs))
    writer.add_event(Event(wall_time=time.time(), step=version.step, summary=Summary(value=values)))
    writer.close()
    return str(runs)


def _margins(version: TrackedVersion) -> bytes:
    """The layout of TensorBoard's custom scalars: a chart of each score with its interval as a margin."""
    from tensorboard.plugins.custom_scalar import layout_pb2

    categories: dict[str, list[Any]] = {}
    for name in (name for name in version.metrics if f"{name}_low" in version.metrics):
        series = layout_pb2.MarginChartContent.Series(value=name, lower=f"{name}_low", upper=f"{name}_high")
        chart = layout_pb2.Chart(title=name, margin=layout_pb2.MarginChartContent(series=[series]))
        categories.setdefault(name.rpartition("/")[0], []).append(chart)
    own = [layout_pb2.Category(title=suite, chart=charts) for suite, charts in categories.items()]
    return bytes(layout_pb2.Layout(category=own).SerializeToString())


def _plugin_value(tag: str, plugin: str, content: bytes) -> Any:
    """Bytes for a plugin of TensorBoard; its own functions for this need TensorFlow."""
    from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
    from tensorboard.compat.proto.tensor_pb2 import TensorProto
    from tensorboard.compat.proto.types_pb2 import DT_STRING

    about = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=plugin))
    return Summary.Value(tag=tag, metadata=about, tensor=TensorProto(dtype=DT_STRING, string_val=[content]))


TRACKERS: Mapping[str, Callable[[TrackedVersion, str, Path], str]] = {
    "jsonl": log_to_jsonl,
    "mlflow": log_to_mlflow,
    "tensorboard": log_to_tensorboard,
    "wandb": log_to_wandb,
}
"""Each tracker with the function that logs a version to a destination; files are relative to a folder."""


@contextmanager
def _package(name: str) -> Iterator[None]:
    try:
        yield
    except ImportError as problem:
        raise cp.CounterpointError(f"{name} is not installed", hint=cp.install_command(name)) from problem

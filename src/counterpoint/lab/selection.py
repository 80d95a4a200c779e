"""Suites, models and answers of a lab by name, for everything that reads a lab."""

from collections.abc import Collection, Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import StoreError
from counterpoint.core.quantities import counted
from counterpoint.store.documents import put_object, read_object
from counterpoint.store.lab import LabStore
from counterpoint.store.storage import FileMissing
from counterpoint.store.suites import read_portions
from counterpoint.store.tables import GROUPS
from counterpoint.store.versions import ModelVersion, select_versions

_TEXT_ONLY = "text_only.json"
ANSWER_COLUMNS = ("query", "trial", "raw", "value", "state", "score")
"""The columns of answers that every metric needs."""


def load_groups(store: LabStore, names: Sequence[str] = ()) -> pa.Table:
    """The groups of the named suites, or of all, in one table with the rule set of each row."""
    chosen = select_suites(store, names)
    return pa.concat_tables([store.suite(name).groups.replace_schema_metadata() for name in chosen])


def pooled_gold_notes(store: LabStore, names: Sequence[str]) -> tuple[str, ...]:
    """A sentence where suites that are pooled have queries in common whose golds differ."""
    from counterpoint.metrics.slices import count_disputes  # slow to import

    chosen = select_suites(store, names)
    queries = [np.unique(_suite_columns(store, name, ["query"])["query"].to_numpy()) for name in chosen]
    known, suites = np.unique(np.concatenate(queries), return_counts=True)
    shared = pa.array(known[suites > 1])
    if not len(shared):
        return ()
    disputes = count_disputes(
        pa.concat_tables([_suite_columns(store, name, ["suite", "query", "gold"], shared) for name in chosen])
    )
    fact = f"{counted(disputes, 'query', 'have')} different golds in the pooled suites"
    return (f"{fact}: that of the first one counts, in the order {', '.join(chosen)}",) if disputes else ()


def _suite_columns(store: LabStore, name: str, columns: Sequence[str], queries: pa.Array | None = None) -> pa.Table:
    """Columns of a suite, of all its rows or of those with these queries."""
    schema = pa.schema([GROUPS.field(column) for column in columns])
    portions = [portion.cast(schema) for portion in read_portions(store.storage, f"suites/{name}", columns)]
    kept = [part if queries is None else part.filter(pc.is_in(part["query"], value_set=queries)) for part in portions]
    return pa.concat_tables([schema.empty_table(), *kept])


def select_suites(store: LabStore, names: Sequence[str] = ()) -> tuple[str, ...]:
    """The named suites, or all; StoreError where there is none."""
    chosen = tuple(dict.fromkeys(names)) or tuple(store.opened().suites())
    if not chosen:
        hint = f"counterpoint generate {store.address} --suite NAME makes one"
        raise StoreError(f"{store.address} has no suite", hint=hint)
    return chosen


def select_models(store: LabStore, names: Sequence[str] = ()) -> dict[str, ModelVersion]:
    """The models that names mean, by title; all versions of all models where none is named.

    `qwen` means the latest version of qwen; `qwen@step-1000`, `qwen@previous` and a fingerprint mean another one.
    """
    versions = store.opened().versions()
    if not versions:
        hint = f"counterpoint run {store.address} --model NAME asks one"
        raise StoreError(f"no model was run in {store.address} yet", hint=hint)
    return {version.title: version for version in select_versions(versions, names)}


def text_only_models(store: LabStore) -> list[ModelVersion]:
    """The text-only models that `study blind` has run in a lab; not the one that was trained on what it scores."""
    try:
        known = read_object(store.storage, _TEXT_ONLY).get("fingerprints", [])
    except FileMissing:
        return []
    return [version for version in store.versions() if version.fingerprint in known]


def record_text_only(store: LabStore, fingerprints: Sequence[str]) -> None:
    """Note that models are text-only, so that others can be measured against them."""
    known = [version.fingerprint for version in text_only_models(store)]
    if not {*fingerprints} <= {*known}:
        put_object(store.storage, _TEXT_ONLY, {"fingerprints": sorted({*known, *fingerprints})})


def version_notes(names: Collection[str], models: Iterable[ModelVersion]) -> tuple[str, ...]:
    """A sentence for each model that was named without a version and has several."""
    return tuple(
        f"{model.name} is {model.title}, its latest version"
        for model in models
        if not model.single and model.is_latest and model.name in names
    )


def load_answers(store: LabStore, model: ModelVersion | str, further: Sequence[str] = ()) -> pa.Table:
    """The answers of a model with the columns that scores need, and further columns where a metric reads them.

    The model is a version, or the fingerprint of one that is being run.
    """
    fingerprint = model if isinstance(model, str) else model.fingerprint
    return store.read_answers(fingerprint, (*ANSWER_COLUMNS, *further))


def suite_version_notes(store: LabStore, names: Sequence[str] = ()) -> tuple[str, ...]:
    """A sentence for each suite that is a corrected version of another one beside it."""
    chosen = tuple(names) or tuple(store.suites())
    origins = {name: store.manifest(name).parameters.get("corrected", {}).get("suite", "") for name in chosen}
    return tuple(
        f"{name} is a corrected version of {origin}: their scores are not of the same groups and golds"
        for name, origin in origins.items()
        if origin in chosen
    )

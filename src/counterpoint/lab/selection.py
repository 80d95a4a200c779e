"""What commands over a lab read first: the suites and the models that were named, or all there are."""

from collections.abc import Mapping, Sequence

import pyarrow as pa

from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.store.answers import slug
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import RunRecord

_ANSWERS = ("query", "trial", "raw", "value", "state", "score")


def load_groups(lab: LabStore, names: Sequence[str]) -> pa.Table:
    """The groups of some suites below each other, or of all."""
    chosen = dict.fromkeys(names) or lab.opened().suites()
    if not chosen:
        hint = f"counterpoint generate {lab.folder} --suite NAME makes one"
        raise StoreError(f"{lab.folder} has no suite", hint=hint)
    return pa.concat_tables([lab.suite(name).groups.replace_schema_metadata() for name in chosen])


def select_models(lab: LabStore, names: Sequence[str]) -> Mapping[str, RunRecord]:
    """The models that were named, by name or fingerprint, or all that were run, each under a name of its own.

    A name that several models had, because one of them was changed, means all of them; the latest comes last.
    """
    ran = sorted(lab.opened().models(), key=lambda info: (info.model, info.run))
    if not ran:
        hint = f"counterpoint run {lab.folder} --model NAME asks one"
        raise StoreError(f"no model was run in {lab.folder} yet", hint=hint)
    titles = [info.model for info in ran]
    named = {
        info.model if titles.count(info.model) == 1 else f"{info.model} ({slug(info.fingerprint)})": info
        for info in ran
    }
    if not names:
        return named
    for name in names:
        if not any(name in (title, info.model, info.fingerprint) for title, info in named.items()):
            raise UnknownName("model that was run in this lab", name, named)
    return {
        title: info
        for name in dict.fromkeys(names)
        for title, info in named.items()
        if name in (title, info.model, info.fingerprint)
    }


def load_answers(lab: LabStore, info: RunRecord, further: Sequence[str] = ()) -> pa.Table:
    """What a model said, as far as scores need it, with further columns where a measure reads them."""
    return lab.read_answers(info.fingerprint, (*_ANSWERS, *further))

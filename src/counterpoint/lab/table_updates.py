"""Tables for the pages, made after a command that adds much; apart from the reader, which takes long to load."""

from collections.abc import Sequence

from counterpoint.lab.progress import ProgressCallback, ProgressEvent, logger
from counterpoint.store.lab import LabStore

AT_ONCE = 1000
"""Queries times models whose tables a page makes in a moment."""
FEW_TABLES = 10
"""Suites times models whose tables a server makes while its first page waits, so that a quick command need not."""


def update_tables(store: LabStore, suites: Sequence[str], progress: ProgressCallback) -> None:
    """Make the tables of suites that have new groups or answers, so that pages need not; only Ctrl-C ends it early.

    Those of a small lab, and the few of a lab with few suites and models, are left to the first page.
    """
    try:
        models = len(store.versions())
        names = tuple(suites) or tuple(store.suites())
        is_large = sum(store.manifest(name).rows for name in names) * max(models, 1) >= AT_ONCE
        if is_large and len(names) * models >= FEW_TABLES:
            _update(store, names, progress)
    except Exception as problem:  # the answers are stored, and pages make what is missing
        logger.info("the tables for the pages are made when they are asked for: %s", problem)


def _update(store: LabStore, names: Sequence[str], progress: ProgressCallback) -> None:
    from counterpoint.lab.reader import LabReader  # slow to import
    from counterpoint.store.outcomes.files import BuildStep

    def report(step: BuildStep) -> None:
        progress(ProgressEvent("making tables for the pages", step.number, step.total))

    LabReader(store, progress=report).update(tuple(names))

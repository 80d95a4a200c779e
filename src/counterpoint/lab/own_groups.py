"""Groups made in Python, stored as a suite of a lab."""

from collections.abc import Iterable

from counterpoint.core.errors import CounterpointError
from counterpoint.core.groups import Group
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest


def store_groups(
    store: LabStore, groups: Iterable[Group], name: str, *, test: str, rules: str, replace: bool
) -> Manifest:
    """Store groups under a name; the manifest says that they were added and not generated."""
    table = groups_table(((test, group) for group in groups), name)
    if not table.num_rows:
        raise CounterpointError(f"there are no groups to store as {name}", hint="a suite has at least one group")
    manifest = Manifest.of(table, generator="add_groups", seed=0, rules=rule_set(rules).name)
    store.put_suite(manifest, table, replace=replace)
    return manifest

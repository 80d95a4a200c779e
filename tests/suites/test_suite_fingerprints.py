"""What a seed writes: the groups of every suite that the built-in world can feed never change by themselves."""

from typing import Any

from conftest import Golden

from counterpoint import catalog
from counterpoint.core.ids import content_id, hex_id
from counterpoint.suites.suite import Suite, generate_groups
from counterpoint.world.source import World

SCENES, LIMIT, SEED = 12, 8, 7


def test_one_seed_writes_the_groups_it_always_wrote(golden: Golden) -> None:
    world, items = World("test", SCENES), dict[str, list[Any]]()
    lines = list[str]()
    for name in catalog.TABLES["suites"]:
        suite: Suite[Any, Any] = catalog.find("suites", name)
        takes = suite.prefers or suite.takes
        if hasattr(world, takes):
            read = items.setdefault(takes, list(getattr(world, takes)()))
            ready = suite.configured(dict.fromkeys(suite.required, world.means))
            groups = [group.id for _, group in generate_groups(ready, read, SEED, LIMIT)]
            lines.append(f"{name:<28}{len(groups):>3} {hex_id(content_id(groups))}")
    golden("suite_fingerprints.txt", lines)

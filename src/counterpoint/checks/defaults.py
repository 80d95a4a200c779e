"""The default checks of each instrument and their order, as in VALSE (Table 1)."""

from collections.abc import Mapping
from types import MappingProxyType

from counterpoint.checks.check import Action

ORDER = ("duplicates", "length", "minimality", "grammar", "entailment", "distribution")
"""The checks applied by default: cheap ones first, balance last, because other checks would disturb it."""
EVERYWHERE: Mapping[str, Action] = MappingProxyType({"duplicates": Action.DROP, "length": Action.DROP})
"""The default actions in every test."""
INSTRUMENTS: Mapping[str, Mapping[str, Action]] = MappingProxyType(
    {
        "existence": {"minimality": Action.MARK},
        "plurals": {"minimality": Action.MARK, "grammar": Action.DROP, "entailment": Action.DROP},
        "counting-balanced": {"minimality": Action.MARK},
        "counting-small": {"minimality": Action.MARK},
        "counting-adversarial": {"minimality": Action.MARK},
        "relations": {
            "minimality": Action.MARK,
            "grammar": Action.DROP,
            "entailment": Action.DROP,
            "distribution": Action.DROP,
        },
        "action-replacement": {"minimality": Action.MARK, "entailment": Action.MARK},
        "actant-swap": {"entailment": Action.MARK},
        "coreference-standard": {"minimality": Action.MARK},
        "coreference-clean": {"minimality": Action.MARK},
        "foil-it": {"minimality": Action.MARK},
    }
)
"""The additional default actions of each instrument."""


def default_action(check: str, test: str) -> Action:
    """The default action of a check in a test.

    >>> default_action("grammar", "relations"), default_action("grammar", "existence")
    (<Action.DROP: 'drop'>, <Action.OFF: 'off'>)
    """
    return EVERYWHERE.get(check) or INSTRUMENTS.get(test, {}).get(check, Action.OFF)

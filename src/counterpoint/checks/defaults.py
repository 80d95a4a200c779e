"""Which checks an instrument gets where nobody says otherwise, and in which order: as VALSE has it (Table 1)."""

from collections.abc import Mapping
from types import MappingProxyType

from counterpoint.checks.check import Action

ORDER = ("duplicates", "length", "minimality", "grammar", "entailment", "distribution")
"""The checks that are applied where none are named: what is cheap first, and balance last, which others disturb."""
EVERYWHERE: Mapping[str, Action] = MappingProxyType({"duplicates": Action.DROP, "length": Action.DROP})
"""What every test gets, whatever it is."""
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
"""What the instruments get beside."""


def default_action(check: str, test: str) -> Action:
    """What a check does in a test where nobody says otherwise.

    >>> usual("grammar", "relations"), usual("entailment", "actant-swap"), usual("grammar", "existence")
    (<Action.DROP: 'drop'>, <Action.MARK: 'mark'>, <Action.OFF: 'off'>)
    """
    return EVERYWHERE.get(check) or INSTRUMENTS.get(test, {}).get(check, Action.OFF)

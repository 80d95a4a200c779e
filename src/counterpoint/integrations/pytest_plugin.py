"""A plugin of pytest: rules on the scores of a model as tests. Nothing of Counterpoint is loaded before it is used."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from counterpoint import GateReport

MARKER = (
    "counterpoint(*rules, model, lab, baseline, suites, undecided): the test fails where a model fails a rule, "
    "such as 'negation.accuracy >= 0.6'"
)


class Gate(Protocol):
    """What the fixture `counterpoint_gate` is: a function that fails the test where a rule fails."""

    def __call__(
        self,
        *rules: str,
        model: str = "",
        lab: Path | str = "",
        baseline: str = "",
        suites: Sequence[str] = (),
        undecided: str = "pass",
    ) -> "GateReport":
        """The report on the rules."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say once for all tests which lab and which model they are about."""
    group = parser.getgroup("counterpoint")
    for name, help_text in (("lab", "the lab of tests that name none"), ("model", "the model of tests that name none")):
        group.addoption(f"--counterpoint-{name}", default="", help=help_text)
        parser.addini(f"counterpoint_{name}", help_text, default="")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", MARKER)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Hold the rules of a marker before the body of its test is run."""
    for marker in item.iter_markers("counterpoint"):
        _hold(item, *marker.args, **marker.kwargs)


@pytest.fixture
def counterpoint_gate(request: pytest.FixtureRequest) -> Gate:
    """Holds rules against a model in a lab, and returns the report; the test fails where one fails."""

    def gate(*rules: str, **how: Any) -> "GateReport":
        return _hold(request.node, *rules, **how)

    return gate


def _hold(
    item: pytest.Item,
    *rules: str,
    model: str = "",
    lab: Path | str = "",
    baseline: str = "",
    suites: Sequence[str] = (),
    undecided: str = "pass",
) -> "GateReport":
    import counterpoint as cp

    if undecided not in ("pass", "fail"):
        pytest.fail(f"undecided is {undecided!r}: it is pass or fail", pytrace=False)
    lab, model = lab or _default(item.config, "lab"), model or _default(item.config, "model")
    try:
        opened = cp.Lab(lab if "://" in str(lab) else item.config.rootpath / lab)
        report = opened.gate(model, rules, baseline=baseline, suites=suites)
    except cp.CounterpointError as problem:
        raise pytest.fail.Exception(f"{problem}\n{problem.hint}", pytrace=False) from None
    for row in report.records():
        item.user_properties.append((f"counterpoint {row['rule']}", f"{row['verdict']}, value {row['value']}"))
    if report.exit_code(undecided):
        pytest.fail(report.text(), pytrace=False)
    if report.exit_code("fail"):
        warnings.warn(f"{item.name}: {report.notes()[-1]}", pytest.PytestWarning, stacklevel=2)
    return report


def _default(config: pytest.Config, name: str) -> str:
    """A setting of the command line, else of the configuration file."""
    value = str(config.getoption(f"--counterpoint-{name}") or config.getini(f"counterpoint_{name}"))
    if not value:
        pytest.fail(f"no {name} is named: give {name}=…, --counterpoint-{name} or counterpoint_{name}", pytrace=False)
    return value

"""Rules of a gate as tests of pytest, in a pytest of their own."""

import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest
from gate_labs import order_lab, say_yes

import counterpoint as cp

pytest_plugins = "pytester"
MODULE = "counterpoint.integrations.pytest_plugin"
INSTALLED = any(entry.value == MODULE for entry in entry_points(group="pytest11"))
WITHOUT = ("-p", "no:playwright", "-p", "no:schemathesis")  # one cannot run within itself, one takes seconds
PLUGIN = () if INSTALLED else ("-p", MODULE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lab = order_lab(tmp_path_factory.mktemp("lab"), pictures=40, wrong=10)
    cp.evaluate(say_yes, lab, name="vlm", version="v1")
    return lab.folder


def _outcomes(pytester: pytest.Pytester, code: str, *options: str) -> tuple[dict[str, int], str]:
    pytester.makepyfile(code)
    done = pytester.runpytest_inprocess(*PLUGIN, *WITHOUT, "--strict-markers", "-W", "default", *options)
    return done.parseoutcomes(), done.stdout.str()


def test_a_marker_fails_a_test_before_its_body_and_passes_one(pytester: pytest.Pytester, folder: Path) -> None:
    code = f"""
        import pytest

        @pytest.mark.counterpoint("order.accuracy >= 0.5", "unparsed <= 20 %", lab={str(folder)!r}, model="vlm")
        def test_holds():
            pass

        @pytest.mark.counterpoint("order.accuracy >= 0.95", lab={str(folder)!r}, model="vlm")
        def test_fails():
            raise RuntimeError("the body")
    """
    outcomes, printed = _outcomes(pytester, code)
    assert outcomes == {"passed": 1, "failed": 1}
    assert "vlm: the gate fails" in printed
    assert "the body" not in printed


def test_a_fixture_returns_the_report_for_the_lab_and_model_of_the_command_line(
    pytester: pytest.Pytester, folder: Path
) -> None:
    code = """
        def test_report(counterpoint_gate):
            report = counterpoint_gate("order.accuracy >= 0.5", suites=["order"])
            assert report.records()[0]["n"] == 40

        def test_alarm(counterpoint_gate):
            counterpoint_gate("order.accuracy >= 0.95")
    """
    names = ("--counterpoint-lab", str(folder), "--counterpoint-model", "vlm", "--junitxml", "junit.xml")
    outcomes, _ = _outcomes(pytester, code, *names)
    assert outcomes == {"passed": 1, "failed": 1}
    properties = ElementTree.parse(pytester.path / "junit.xml").iter("property")
    assert {own.get("name"): own.get("value") for own in properties} == {
        "counterpoint order.accuracy >= 0.5": "holds, value 0.75",
        "counterpoint order.accuracy >= 0.95": "fails, value 0.75",
    }


@pytest.mark.parametrize(("undecided", "outcome"), [("pass", {"passed": 1, "warnings": 1}), ("fail", {"failed": 1})])
def test_what_cannot_be_told_warns_or_fails(
    pytester: pytest.Pytester, folder: Path, undecided: str, outcome: dict[str, int]
) -> None:
    pytester.makeini(f"[pytest]\ncounterpoint_lab = {folder}\ncounterpoint_model = vlm")
    code = f"""
        def test_straddles(counterpoint_gate):
            counterpoint_gate("order.accuracy >= 0.75", undecided={undecided!r})
    """
    outcomes, printed = _outcomes(pytester, code)
    assert outcomes == outcome
    assert "undecided" in printed


def test_what_is_not_named_or_not_known_is_told_in_a_sentence(pytester: pytest.Pytester, folder: Path) -> None:
    code = f"""
        def test_nameless(counterpoint_gate):
            counterpoint_gate("accuracy >= 0.5", lab={str(folder)!r})

        def test_unknown(counterpoint_gate):
            counterpoint_gate("accuracy >= 0.5", lab={str(folder)!r}, model="vln")

        def test_undecided(counterpoint_gate):
            counterpoint_gate("accuracy >= 0.5", lab={str(folder)!r}, model="vlm", undecided="fails")
    """
    outcomes, printed = _outcomes(pytester, code)
    assert outcomes == {"failed": 3}
    assert "undecided is 'fails': it is pass or fail" in printed
    assert "no model is named: give model=" in printed
    assert "did you mean vlm?" in printed


def test_the_plugin_is_an_entry_point_and_loads_nothing_of_ours() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"counterpoint": MODULE}
    code = f"import sys, {MODULE}; print(*(name for name in sys.modules if name.startswith('counterpoint.')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert sorted(loaded) == ["counterpoint._version", "counterpoint.integrations", MODULE]

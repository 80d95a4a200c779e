"""The files that an evaluation writes: a row of the catalog's table `outputs` each, which other packages may add to."""

import json
from pathlib import Path
from xml.etree import ElementTree

from counterpoint.lab.evaluation.report import EvaluationReport
from counterpoint.lab.exporting import write_report
from counterpoint.lab.lab import Lab
from counterpoint.lab.results import to_plain
from counterpoint.store.outputs import write_whole


def write_json(report: EvaluationReport, lab: Lab, path: Path) -> None:
    """Everything as JSON, as `eval --json` prints it."""
    _write(path, json.dumps(to_plain(report), ensure_ascii=False, indent=2))


def write_markdown(report: EvaluationReport, lab: Lab, path: Path) -> None:
    """Gates and scores as Markdown, for the summary of a pull request."""
    title = f"### Counterpoint: {report.verdict}\n\n" if report.verdict else ""
    _write(path, title + report.text("markdown"))


def write_junit(report: EvaluationReport, lab: Lab, path: Path) -> None:
    """Every rule as a test case of JUnit's XML, which CI servers show."""
    root = ElementTree.Element("testsuites", name=f"counterpoint {report.file.name}")
    for gate in report.gates:
        root.append(ElementTree.fromstring(gate.report.junit(gate.undecided)))
    for rule in report.waiting:
        case = ElementTree.SubElement(root, "testsuite", name=f"counterpoint gate of {rule.model}", tests="1")
        case = ElementTree.SubElement(case, "testcase", classname="all", name=rule.rule)
        ElementTree.SubElement(case, "skipped", message=rule.reason)
    _write(path, ElementTree.tostring(root, encoding="unicode"))


def write_page(report: EvaluationReport, lab: Lab, path: Path) -> None:
    """The report of the lab as one HTML file, which begins with the verdicts of the gates."""
    write_report(lab.store, path, gates=[gate.report for gate in report.gates])


def _write(path: Path, text: str) -> None:
    write_whole(path, f"{text}\n")

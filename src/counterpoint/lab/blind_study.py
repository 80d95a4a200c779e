"""Text-only baselines of a lab: how well captions are told from foils, and questions answered, by text alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import fsum
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.engine.progress import Progress
from counterpoint.engine.running import describe_run, run
from counterpoint.lab.progress import ProgressCallback, ProgressEvent, ignore_progress
from counterpoint.lab.results import LabResult, to_plain
from counterpoint.lab.running import RunRequest, run_model
from counterpoint.lab.scores import rank_by_text
from counterpoint.lab.selection import (
    load_answers,
    load_groups,
    record_text_only,
    select_models,
    text_only_models,
)
from counterpoint.lab.suite_probe import probe_tables
from counterpoint.language.kneser_ney import ORDER
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.ranking import acc_r, acc_r_over_text
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.models.text.ngram import CrossFittedNGrams, read_captions
from counterpoint.reports.tables import ResultTable, percent
from counterpoint.store.groups import read_queries, unique_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import ModelVersion, RunRecord
from counterpoint.studies import blind_probe
from counterpoint.studies.blind_baselines import (
    CUE_WORDS,
    FOLDS,
    BlindFinding,
    NGramTraining,
    blind_findings,
    captions_of,
    fit_cross_validated,
    ranked_rows,
)
from counterpoint.studies.blind_probe import ProbeFinding

NGRAM, NGRAM_IN_SAMPLE = "ngram", "ngram-in-sample"
"""The names of our own model in a lab: cross-fitted, and, for comparison, trained on the captions that it scores."""
PROBE = "probe"
"""The name of the trained probe, which learns which text is the foil; it stores no scores."""


@dataclass(frozen=True, slots=True, repr=False)
class BlindStudy(LabResult[dict[str, Any]]):
    """The accuracy of each model and of the probe in each test, and the words that give answers away."""

    findings: Mapping[str, Sequence[BlindFinding]]  # by model
    probed: Sequence[ProbeFinding] | None = None
    gains: Sequence[Mapping[str, Any]] = ()  # acc_r of other models of the lab, and how far it is above text alone

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        ranked = {model: [_finding(finding) for finding in findings] for model, findings in self.findings.items()}
        if self.gains:
            ranked |= {"gains": [dict(gain) for gain in self.gains]}
        if self.probed is not None:
            ranked |= {PROBE: [asdict(finding) | {"verdict": finding.verdict.value} for finding in self.probed]}
        plain: dict[str, Any] = to_plain(ranked)
        return plain

    def records(self) -> list[dict[str, Any]]:
        """One row per model and test."""
        names = ("suite", "test", "value", "low", "high", "n", "ties", "biased", "chance", "verdict")
        by_model: dict[str, Sequence[BlindFinding | ProbeFinding]] = {**self.findings, PROBE: self.probed or ()}
        return [
            {"model": model} | {name: getattr(finding, name, None) for name in names}
            for model, findings in by_model.items()
            for finding in findings
        ]

    def tables(self) -> list[ResultTable]:
        """acc_r by model and test, the cue words of tests whose interval excludes chance, and what the probe found."""
        ranked = _ranked_tables(self.findings) if self.findings else []
        if self.gains:
            ranked.append(_gain_table(self.gains))
        return ranked if self.probed is None else [*ranked, *probe_tables(self.probed)]


def _ranked_tables(by_model: Mapping[str, Sequence[BlindFinding]]) -> list[ResultTable]:
    rows = [row for model, findings in by_model.items() for row in _rows(model, findings)]
    title = "acc_r of text-only models: captions scored above their foils, per cent with 95 % intervals"
    table = ResultTable(title, ("model", "suite", "test", "acc_r", "ties", "n"), rows, names=3)
    biased = [(model, own) for model, findings in by_model.items() for own in findings if own.biased]
    cues = []
    for model, own in biased:
        words = (f"{cue.word} {cue.brings:+g} ({cue.in_caption}/{cue.in_foil})" for cue in own.words)
        cues.append((model, own.suite, own.test, ", ".join(words)))
    if not cues:
        return [table]
    title = (
        f"The {CUE_WORDS} strongest cue words where the interval excludes 50 %: pairs ranked correctly beyond half "
        "of those with the word on one side only (of these, in the caption/in the foil)"
    )
    return [table, ResultTable(title, ("model", "suite", "test", "words"), cues, names=4)]


def _gain_table(gains: Sequence[Mapping[str, Any]]) -> ResultTable:
    rows = [
        (
            *(gain["model"], gain["suite"], gain["test"], percent(gain["acc_r"])),
            *(percent(gain["value"], gain["low"], gain["high"]), f"{gain['n']:,}"),
        )
        for gain in gains
    ]
    title = "acc_r of other models minus that of the best text-only model on the same pairs, with 95 % intervals"
    return ResultTable(title, ("model", "suite", "test", "acc_r", "over text alone", "n"), rows, names=3)


def _gains(lab: LabStore, groups: pa.Table) -> list[dict[str, Any]]:
    """acc_r, and acc_r over text alone, of every model of a lab that is not text-only and has scored these pairs."""
    text_only = {model.fingerprint for model in text_only_models(lab)}
    related, request = rank_by_text(lab, groups), ScoreRequest(("test",), metrics=(acc_r, acc_r_over_text))
    gains = []
    for title, model in select_models(lab).items():
        if model.fingerprint in text_only or model.name == NGRAM_IN_SAMPLE:
            continue
        outcomes = replace(judge(groups, load_answers(lab, model)), text_related=related)
        rows = {
            (row["suite"], row["test"], row["metric"]): row for row in score_outcomes(outcomes, request).to_pylist()
        }
        for (suite, test, metric), row in rows.items():
            if metric == acc_r_over_text.name and row["n"]:
                ends = {name: row[name] for name in ("value", "low", "high", "n")}
                own = rows[suite, test, acc_r.name]["value"]
                gains.append({"model": title, "suite": suite, "test": test, "acc_r": own} | ends)
    return gains


def blind_study(
    lab: LabStore,
    *,
    suites: Sequence[str] = (),
    models: Sequence[str] = (),
    captions: Path | str | None = None,
    order: int = ORDER,
    folds: int = FOLDS,
    seed: int = 0,
    progress: ProgressCallback = ignore_progress,
) -> BlindStudy:
    """Rank captions and foils by text-only models, by default ngram, and probe whether text gives answers away.

    The model ngram, of this order, is cross-fitted in folds of pictures on the captions of the suites themselves, and
    on further `captions` of a file: those of a picture are scored by a model that was trained on those of others.
    Scores are stored in the lab as those of any model. The probe learns from captions and foils, or from questions
    and gold, in folds that share no picture; the seed decides which of them are put together.
    """
    everything = load_groups(lab.opened(), suites)
    groups = ranked_rows(everything)
    probed = blind_probe.probe(everything, seed) if not models or PROBE in models else None
    names = [name for name in dict.fromkeys(models) if name != PROBE] or (
        [NGRAM] if groups.num_rows and not models else []
    )
    if not groups.num_rows and (names or not probed):
        hint = "counterpoint generate --suite valse makes some"
        questions = "" if names else " and no questions with gold"
        raise StoreError(f"{lab.address} has no captions against foils{questions}", hint=hint)
    findings: dict[str, list[BlindFinding]] = {}
    for name in names:
        if name == NGRAM:
            further = read_captions(Path(captions)) if captions else ()
            training = NGramTraining(captions_of(groups), further, order, folds)
            title = NGRAM if folds > 1 else NGRAM_IN_SAMPLE
            info = _score_missing(lab, title, fit_cross_validated(training), groups, progress)
        else:
            info = _scores_of(lab, name, groups, progress)
        findings[info.name] = blind_findings(groups, load_answers(lab, info))
        if info.name != NGRAM_IN_SAMPLE:
            record_text_only(lab, [info.fingerprint])
    return BlindStudy(findings, probed, _gains(lab, groups) if findings else ())


def _score_missing(
    lab: LabStore, name: str, model: CrossFittedNGrams, groups: pa.Table, progress: ProgressCallback
) -> ModelVersion:
    """Score the queries that the lab has no score for, and store them as answers of a model."""
    info = RunRecord(lab.new_run(), name, model.fingerprint)
    queries = lab.with_digests(unique_queries(groups), lab.pictures())

    def report(now: Progress) -> None:
        progress(ProgressEvent(name, now.done, now.total, str(now)))

    with lab.answers(model.fingerprint, run=info.run) as log:
        outcome = run(queries, model, log, read=read_queries, batch=queries.num_rows, progress=report)
    if outcome.asked:
        settings = {"model": name, "suites": sorted(set(groups["suite"].to_pylist()))}
        prints = {suite: lab.manifest(suite).fingerprint for suite in settings["suites"]}
        details = describe_run(settings, prints, outcome, "done") | {"scale": model.scale.value}
        details["answers"] = log.written.to_dict()
        info = RunRecord(info.run, name, model.fingerprint, details)
        lab.put_run(info)
    return _version(lab, model.fingerprint)


def _scores_of(lab: LabStore, name: str, groups: pa.Table, progress: ProgressCallback) -> ModelVersion:
    """A model that has scored all groups in the lab; any other is run now, if it can be."""
    try:
        stored = list(select_models(lab, [name]).values())[-1]
    except (StoreError, UnknownName):
        stored = None
    if stored and pc.all(pc.is_in(groups["query"], value_set=load_answers(lab, stored)["query"])).as_py():
        return stored
    suites = tuple(dict.fromkeys(groups["suite"].to_pylist()))
    try:
        return _version(lab, run_model(lab, RunRequest(name, suites), progress).fingerprint)
    except UnknownName:
        if stored is None:
            raise
        return stored  # its scores were imported


def _version(lab: LabStore, fingerprint: str) -> ModelVersion:
    return next(version for version in lab.versions() if version.fingerprint == fingerprint)


def _rows(model: str, findings: Sequence[BlindFinding]) -> Iterator[tuple[str, ...]]:
    for finding in findings:
        interval = percent(finding.value, finding.low, finding.high)
        yield model, finding.suite, finding.test, interval, percent(finding.ties), str(finding.n)
    values = [finding.value for finding in findings if finding.value is not None]
    if len(values) > 1:
        mean, pairs = fsum(values) / len(values), sum(finding.n for finding in findings)
        yield model, "", "mean of these", percent(mean), "", str(pairs)


def _finding(finding: BlindFinding) -> dict[str, Any]:
    words = [asdict(word) | {"brings": word.brings} for word in finding.words]
    return asdict(finding) | {"biased": finding.biased, "words": words}

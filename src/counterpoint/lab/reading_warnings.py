"""Warnings about answers that never equal a right one, or that hold no value, with the likely cause."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.groups import Mode, State
from counterpoint.lab.progress import logger
from counterpoint.lab.selection import load_answers, load_groups
from counterpoint.language.answers.extraction import EXTRACTION_RULES
from counterpoint.language.answers.final_answer import read_reply
from counterpoint.language.answers.rule_sets import RULE_SETS
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.units import STATES, Rows
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import ModelVersion

MAX_UNPARSED = 0.2
"""The share of a model's answers to a suite from which on unparsed ones are warned about."""

LEAST_ANSWERS = 10
"""Fewer answers of a model to a suite are not warned about."""

_UNPARSED, _FAILED = STATES.index(State.UNPARSED), STATES.index(State.FAILED)
_EXAMPLES = 1_000  # unparsed answers to a suite from which their cause is guessed
_MOST_COMPARED = 5_000_000  # answers of which none is right, compared with what is right
_KINDS: Mapping[str, frozenset[str]] = {
    "0/1": frozenset(("0", "1")),
    "yes/no": frozenset(("yes", "no")),
    "true/false": frozenset(("true", "false")),
    "letters": frozenset("abcdefgh"),
}


def warn_about_stored_answers(
    store: LabStore, fingerprint: str, suites: Sequence[str], groups: pa.Table | None = None
) -> None:
    """Warn about the answers of a model to suites, as `run` and `import` do at their end; `groups` are those read."""
    model = next((version for version in store.opened().versions() if version.fingerprint == fingerprint), None)
    if model is not None:
        answers, problems = load_answers(store, model, ["rule"]), AnswerProblems()
        problems.add(answers, judge(load_groups(store, suites) if groups is None else groups, answers))
        problems.warn(store, model)


class AnswerProblems:
    """Counts and examples of the answers of a model, from one block or several, and the warnings that follow."""

    def __init__(self) -> None:
        self._suites: dict[str, _SuiteAnswers] = {}
        self._rules: set[str] = set()

    def add(self, answers: pa.Table, outcomes: Outcomes) -> None:
        """Add the answers of a block."""
        self._rules.update(pc.unique(answers["rule"]).to_pylist())
        suites, asked = outcomes.labels("suite"), outcomes.labels("mode").where([Mode.ANSWER])
        for suite in suites.words.to_pylist():
            rows = np.flatnonzero(suites.where([suite]) & asked & (outcomes.state < _FAILED))
            self._suites.setdefault(suite, _SuiteAnswers()).add(answers, outcomes, rows)

    def warn(self, store: LabStore, model: ModelVersion) -> None:
        """Log a line for each cause for which answers are not read or never right, with the suites that it concerns."""
        suites_by_line: dict[tuple[str, str], list[str]] = {}
        for suite, own in self._suites.items():
            for line in own.problems():
                suites_by_line.setdefault(line, []).append(suite)
        lab, name = shlex.quote(store.address), shlex.quote(model.title)
        rescore = f"counterpoint rescore {lab} --rule auto --model {name}"
        for (fact, cause), suites in suites_by_line.items():
            command = rescore if "rule" in cause else f"counterpoint serve {lab} --open"
            logger.warning("%s on %s: %s (likely cause: %s); %s", model.title, ", ".join(suites), fact, cause, command)
        versions = _rule_versions(self._rules)
        if len(versions) > 1:
            logger.warning(
                "%s has values by versions %s of the extraction rules; %s", model.title, " and ".join(versions), rescore
            )


def _rule_versions(rules: Iterable[str]) -> list[str]:
    """The versions of extraction rules that gave values; a model with a closed list of answers uses none."""
    known = [rule for rule in rules if rule.partition("@")[0] in EXTRACTION_RULES]
    return sorted({rule.partition("@")[2] or "1" for rule in known if rule != "exact"})


@dataclass(slots=True)
class _SuiteAnswers:
    """The answers of a model to the questions of one suite."""

    count: int = 0
    unparsed: int = 0
    has_gold: bool = False
    has_credit: bool = False
    unread: list[pa.Table] = field(default_factory=list)  # some of those that hold no value
    given: list[pa.Table] = field(default_factory=list)  # some of all, as long as none is right
    wanted: list[pa.Table] = field(default_factory=list)  # the rows of the suite that these answer

    def add(self, answers: pa.Table, outcomes: Outcomes, rows: Rows) -> None:
        odd = rows[outcomes.state[rows] == _UNPARSED]
        correct = outcomes.correct[rows]
        self.count, self.unparsed = self.count + len(rows), self.unparsed + len(odd)
        self.has_gold |= not np.isnan(correct).all()
        self.has_credit |= bool(np.nansum(correct))
        if len(odd) and sum(map(len, self.unread)) < _EXAMPLES:
            self.unread.append(_taken(answers, outcomes, odd[:_EXAMPLES]))
        if self.has_credit:
            self.given, self.wanted = [], []
        elif len(rows) and sum(map(len, self.wanted)) < _MOST_COMPARED:
            self.given.append(_taken(answers, outcomes, rows))
            self.wanted.append(outcomes.table.take(pa.array(rows)))

    def problems(self) -> Iterator[tuple[str, str]]:
        """Fact and likely cause where too much is unparsed or nothing equals any gold."""
        if self.count < LEAST_ANSWERS:
            return
        if (share := self.unparsed / self.count) > MAX_UNPARSED:
            yield f"{share:.0%} of the replies hold no value", _unread_cause(pa.concat_tables(self.unread))
        elif self.has_gold and not self.has_credit:
            cause = _mismatch_cause(pa.concat_tables(self.given), pa.concat_tables(self.wanted).unify_dictionaries())
            yield from [("no answer equals any gold", cause)] if cause else []


def _taken(answers: pa.Table, outcomes: Outcomes, rows: Rows) -> pa.Table:
    """The answers to some rows of outcomes."""
    queries = outcomes.table["query"].take(pa.array(rows))
    return answers.filter(pc.is_in(answers["query"], value_set=queries.combine_chunks()))


def _unread_cause(answers: pa.Table) -> str:
    """Why replies hold no value."""
    raws, rules = answers["raw"].to_pylist(), answers["rule"].to_pylist()
    half = len(raws) / 2
    if sum(not raw.strip() for raw in raws) > half:
        return "the replies are empty; a model that reasons needs more tokens, --model-args tokens=…"
    if sum(read_reply(raw) is None for raw in raws) > half:
        return "the reasoning is cut off before its end; allow more tokens"
    if sum(rule.startswith("choice") for rule in rules) > half:
        return f"replies such as {_example(raws)} name none of the choices"
    return f"replies such as {_example(raws)} are no answer of the kind that is asked for"


def _mismatch_cause(answers: pa.Table, rows: pa.Table) -> str:
    """Why values and gold differ throughout; empty where one value equals the gold of another query."""
    rules = RULE_SETS[rows["rules"][0].as_py()] if "rules" in rows.column_names else RULE_SETS["exact"]
    gold = {
        rules.normalize(text)
        for text in pc.unique(pc.list_flatten(rows["gold"].combine_chunks()).field("answer")).to_pylist()
    }
    values = [value for value in answers["value"].to_pylist() if value]
    given = {rules.normalize(value) for value in values}
    if not gold or not given or gold & given:
        return ""
    kinds = [
        next((kind for kind, words in _KINDS.items() if texts <= words), "")
        for texts in ({text.lower() for text in gold}, {text.lower() for text in given})
    ]
    if all(kinds) and kinds[0] != kinds[1]:
        return f"gold is {kinds[0]} and answers are {kinds[1]}"
    if {text.lower() for text in gold} & {text.lower() for text in given}:
        used = sorted({rule.partition("@")[0] for rule in answers["rule"].to_pylist()})
        return f"rule {used[0] if used else rules.name} keeps capitals"
    if "letters" in kinds:
        return "gold is letters and answers are texts" if kinds[0] else "gold is texts and answers are letters"
    if np.median([len(value.split()) for value in values]) > 2 + np.median([len(text.split()) for text in gold]):
        return f"the rule keeps whole sentences such as {_example(values)}"
    return f"gold is such as {_example(sorted(gold))} and answers are such as {_example(values)}"


def _example(texts: Sequence[str]) -> str:
    """The most frequent text, shortened, in quotes."""
    counts = pc.value_counts(pa.array(list(texts), pa.string())).to_pylist()
    text = max(counts, key=lambda entry: (entry["counts"], entry["values"]))["values"]
    line = " ".join(text.split())
    return f'"{line[:40]}…"' if len(line) > 40 else f'"{line}"'

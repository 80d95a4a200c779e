"""Suites generated from a source and stored in a lab with their manifests."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, UnknownName, shorten
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.core.quantities import check_least, counted, whole_number
from counterpoint.engine.cores import usable_cores
from counterpoint.exports.restored_suite import RestoredSuite, restore_suite
from counterpoint.lab.foil_proposals import load_fill_mask, propose_foils
from counterpoint.lab.generated_suites import GeneratedSuite, GeneratedSuites
from counterpoint.lab.picture_locations import PictureLocation, find_worlds, search_pictures
from counterpoint.lab.progress import ProgressCallback, ignore_progress
from counterpoint.lab.remote_data import fetch_data
from counterpoint.lab.source_items import (
    ItemCollection,
    SourceItems,
    SourceRequest,
    absence_note,
    has_only_questions,
    picture_roots,
    resolve_source,
    source_rules,
    unpack_pictures,
)
from counterpoint.lab.suite_shards import Limit, SuiteTask, build_suites, usable_processes
from counterpoint.language.answers.rule_sets import RuleSet, rule_set
from counterpoint.metrics.credit import best_answers
from counterpoint.pictures.folders import folder_means
from counterpoint.sources.dataset import Source, items_about, picture_places
from counterpoint.sources.item_spool import ItemSpool
from counterpoint.store.fingerprints import fingerprint
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.suites.balanced_sampling import Quota
from counterpoint.suites.families import SuiteFamily
from counterpoint.suites.suite import MASKED_LM, Suite, Tally, drop_repetitions

OWN_GROUPS = "groups"
"""The suite of groups of one's own, by which an exported suite comes back too."""
PAPER, MEANS = "paper", "means"
"""As the number of pairs, the size that the suite has in its paper; the option that can be measured in a folder."""
PairQuota: TypeAlias = str | int | tuple[int, int] | Quota | None
"""PAPER, a number, or a number of yes-no questions and one of choice questions; None for no limit."""
_ITEMS_PER_PROCESS = 1000  # below this, starting a process takes longer than it saves
_OF_SCENES = ("scenes", "grounded")  # what suites take that look at scenes
_PLACES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class GenerateRequest:
    """What to generate; the same request generates the same suites on every machine."""

    suites: tuple[str, ...]  # suites or families of the catalog, or module:object
    source: str = "world"
    data: Path | str | None = None  # the folder or file of a data set, or its address
    split: str = "test"
    items: int = 1000  # read of the source: scenes, questions, captions, …
    limit: int | None = None  # groups kept of each suite, balanced over kinds and answers; None keeps all
    pairs: PairQuota = None  # in place of a limit
    seed: int = 0
    name: str = ""  # of the suite in the lab; several suites are called NAME-SUITE
    rules: str = ""  # the rule set by which answers are compared; by default that of the suite or source
    columns: Mapping[str, str] = field(default_factory=dict)  # by role, for plain files
    texts: Path | None = None  # rewordings of questions, with the columns id and text
    options: Mapping[str, Any] = field(default_factory=dict)  # means (a color, or a folder to measure), contrasts, …
    replace: bool = False  # a suite of the same name that differs
    pictures: Path | str | None = None  # their folder or address; else where the data set has them
    workers: int = 0  # processes or actors, which change nothing but the time; 0 for as many as pay
    engine: str = ""  # ray: the workers are actors of a Ray cluster; else processes of this machine

    def __post_init__(self) -> None:
        if self.engine and self.engine != "ray":
            raise UnknownName("engine", self.engine, ["ray"])
        check_least(1, items=self.items, limit=self.limit)
        check_least(0, workers=self.workers)
        for name in ("items", "limit", "seed", "workers"):
            if (number := getattr(self, name)) is not None or name == "seed":
                object.__setattr__(self, name, whole_number(name, number))

    @property
    def reading(self) -> SourceRequest:
        """What is read."""
        return SourceRequest(
            self.source, self.data, self.split, self.items, self.seed, self.columns, pictures=self.pictures
        )


def generate(lab: LabStore, request: GenerateRequest, progress: ProgressCallback = ignore_progress) -> GeneratedSuites:
    """Generate suites and put them into a lab; what is read of the source is read once for all of them.

    A suite that is named and of which no group can be made is an error. A family reports such suites with the obstacle,
    and is an error if none of its suites can be made.
    """
    families = [_family(name) for name in dict.fromkeys(request.suites)]
    if not families:
        raise CounterpointError("no suite is named", hint="counterpoint list suites shows them")
    members = [catalog.resolve("suites", suite) for family in families for suite in family.suites]
    for key, value in request.options.items():
        if value and not any(key in suite.options for suite in members):
            members[0].check_options([key])  # raises
    if request.suites == (OWN_GROUPS,):
        folder = resolve_source(request.source)[1] or request.data
        if folder and (restored := restore_suite(fetch_data(folder))):
            return _put_restored(lab, restored, request)
    generator = _Generator(lab, request, progress)
    suites = [suite for family in families for suite in generator.family(family)]
    absence = absence_note(request.source) if any(family.kinds for family in families) else ""
    return GeneratedSuites(tuple(suites), lab.address, absence, generator.search_pictures())


def add_groups(
    lab: LabStore, groups: Iterable[Group], name: str, *, rules: str = "exact", replace: bool = False
) -> GeneratedSuites:
    """Store groups of one's own as a suite, each once; a group without a test belongs to a test of the suite's name.

    Where their pictures are is set with `locate_pictures`, by the namespace of their addresses.
    """
    tally = Tally()
    kept = list(drop_repetitions(((group.test or name, group) for group in _checked(groups)), tally))
    if not kept:
        raise CounterpointError(f"there are no groups for the suite {name}", hint="pass at least one group")
    for _, group in kept:
        tally.keep(group)
    table = groups_table(kept, name)
    manifest = Manifest.of(table, generator="", seed=0, rules=rule_set(rules).name)
    lab.put_suite(manifest, table, replace=replace)
    return GeneratedSuites((GeneratedSuite(name, manifest, tally, _tests(table)),), lab.address)


def _checked(groups: Iterable[Group]) -> Iterator[Group]:
    """Groups made by hand; a CounterpointError names the first that holds something else than groups do."""
    if isinstance(groups, Group):
        raise CounterpointError("one group is no list of groups", hint="write [group]")
    for place, group in enumerate(groups):
        fact, hint = _problem(group)
        if fact:
            raise CounterpointError(f"group {place}: {fact}", hint=hint)
        yield group


def _problem(group: object) -> tuple[str, str]:
    """What is wrong with a group, and what to write instead; empty where nothing is."""
    if not isinstance(group, Group):
        return f"{shorten(repr(group))} is no group", "write Group(relation, queries, gold)"
    if group.relation not in set(Relation):
        return f"{group.relation!r} is no relation", f"there are {', '.join(Relation)}"
    for query in group.queries:
        if not isinstance(query, Query):
            return f"{shorten(repr(query))} is no query", "write Query(picture, text)"
        if not isinstance(query.picture, Picture | None):
            return f"{shorten(repr(query.picture))} is no picture", 'write Picture("mine:a.jpg"), or None'
        if isinstance(query.choices, str) or not all(isinstance(text, str) for text in (query.text, *query.choices)):
            return f"{shorten(repr(query))} has no texts", 'a text is one, and choices are several: ("red", "blue")'
    if not all(isinstance(own, tuple | list) and all(map(_is_tag, own)) for own in group.tags):
        return f"{shorten(repr(group.tags))} are no tags", 'each query has pairs of texts: (("weather", "rain"),)'
    for gold in group.gold:
        if not isinstance(gold, Gold | None):
            return f"{shorten(repr(gold))} is no gold", 'write Gold.of("red"), or None'
        if gold is not None and not (gold.answers and all(isinstance(answer, str) for answer, _ in gold.answers)):
            return f"{shorten(repr(gold))} has no texts", 'write Gold.of("red", "crimson")'
    return "", ""


def _is_tag(tag: object) -> bool:
    return isinstance(tag, tuple | list) and len(tag) == 2 and all(isinstance(text, str) for text in tag)


def _put_restored(lab: LabStore, restored: RestoredSuite, request: GenerateRequest) -> GeneratedSuites:
    """Store a suite that was exported, under its own name or a new one, and the pictures that its rows hold."""
    manifest, table, tally = restored.manifest, restored.table, Tally()
    if request.name and request.name != manifest.suite:
        names = pa.array([request.name] * table.num_rows, pa.string())
        table = table.set_column(0, table.schema.field(0), names)
        manifest = replace(manifest, suite=request.name, fingerprint=fingerprint(table, "groups"))
    lab.put_suite(manifest, table, replace=request.replace)
    addresses = table["picture"].drop_null().unique().to_pylist()
    drawn = find_worlds(lab, table)
    absent = [address for address in addresses if Picture(address).namespace not in {*lab.roots, *drawn}]
    for address, content in restored.pictures(absent):
        lab.storage.put(f"pictures/{Picture(address).namespace}/{Picture(address).path}", content)
    for name in sorted({Picture(address).namespace for address in absent}):
        if lab.storage.names(f"pictures/{name}/"):
            lab.set_root(name, lab.storage.describe(f"pictures/{name}"))
    bases = table.filter(pc.equal(table["role"], 0))
    for kind, best in zip(bases["kind"].to_pylist(), best_answers(bases["gold"]).to_pylist(), strict=True):
        tally.kept[kind, best or ""] += 1
    return GeneratedSuites((GeneratedSuite(manifest.suite, manifest, tally, _tests(table)),), lab.address)


def _family(name: str) -> SuiteFamily:
    """The family of this name; a suite by itself is a family without a name."""
    if name in catalog.rows("families"):
        named = catalog.find("families", name)
        assert isinstance(named, SuiteFamily), f"{name} is no family of suites"
        return named
    suite = catalog.resolve("suites", name)
    if not isinstance(suite, Suite | SuiteFamily):
        raise CounterpointError(f"{name} is no suite", hint="see how-to/add-a-suite")
    return suite if isinstance(suite, SuiteFamily) else SuiteFamily("", "", (name,), renamable=True)


def _check_renamable(family: SuiteFamily, name: str) -> None:
    if name and not family.renamable:
        raise CounterpointError(f"the suites of {family.name} keep their names", hint="leave the name out")


def suite_names(suite: str, name: str = "") -> list[str]:
    """What a suite, or each suite of a family, is called in a lab where it is generated by itself.

    >>> suite_names("order"), suite_names("order", "mine"), suite_names("questions", "mine")[0]
    (['order'], ['mine'], 'mine-plain')
    """
    family = _family(suite)
    _check_renamable(family, name)
    members = [str(catalog.resolve("suites", member).name) for member in family.suites]
    return [f"{name}-{member}" if family.name else name for member in members] if name else members


@dataclass(frozen=True, slots=True)
class _Job:
    """One suite to generate, ready to propose groups from items of a kind."""

    generator: str
    suite: Suite[Any, Any]  # takes items of one kind
    rules: RuleSet
    limit: Limit
    stored_as: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Groups:
    """The groups of a job as a table, before they are stored."""

    job: _Job
    table: pa.Table | None
    tally: Tally
    items: ItemCollection
    entries: Mapping[str, Any] = field(default_factory=dict)  # further parameters of the manifest


class _Generator:
    """Generates and stores the suites of one request."""

    def __init__(self, lab: LabStore, request: GenerateRequest, progress: ProgressCallback) -> None:
        self._lab, self._request, self._progress = lab, request, progress
        self._items = SourceItems(request.reading, texts=request.texts, progress=progress)
        self._options = {key: value for key, value in request.options.items() if value is not None}
        if isinstance(folder := self._options.get(MEANS), str | Path):
            self._options[MEANS] = folder_means(Path(folder))
        model = self._options.pop(MASKED_LM, None)
        self._fill_mask = load_fill_mask(model) if model else None
        self._addresses: dict[str, None] = {}  # of the pictures that the suites show

    def family(self, family: SuiteFamily) -> list[GeneratedSuite]:
        """Generate all suites of a family, or the one that was named by itself."""
        _check_renamable(family, self._request.name)
        limits = {name: group_limit(name, self._request) for name in family.suites}
        self._items.source()  # an error of the source is not one of each suite
        if not family.name:
            return [self._named(name, limit) for name, limit in limits.items()]
        walk = self._single_pass if family.single_pass else self._in_turn
        suites = [replace(suite, family=family) for suite in walk(family, limits)]
        if not any(suite.manifest for suite in suites):
            hint = "; ".join(dict.fromkeys(suite.obstacle for suite in suites if suite.obstacle))
            raise CounterpointError(f"no suite of {family.name} can be made of {self._request.source}", hint=hint)
        return suites

    def search_pictures(self) -> tuple[PictureLocation, ...]:
        """Where the pictures of the suites are, and how many of them are found."""
        drawn = find_worlds(self._lab, pa.table({"picture": pa.array(list(self._addresses), pa.string())}))
        source = self._items.source()
        is_local = isinstance(source, Source) and not source.address
        searched = picture_places(source.folder)[:_PLACES_SHOWN] if is_local else []
        return tuple(search_pictures(self._lab.roots, self._addresses, drawn, searched))

    def _named(self, name: str, limit: Limit) -> GeneratedSuite:
        """A suite that must be made."""
        job = self._job(name, limit)
        if job.suite.takes == "grounded" and job.suite.kinds_of and has_only_questions(source := self._items.source()):
            fact = f"{self._request.source} has no scene graphs here, and {name} changes questions by them"
            raise CounterpointError(fact, hint=_matched_kinds(job.suite.kinds_of, source.questions()))
        (groups,) = self._generate([job])
        if groups.table is None:
            raise CounterpointError(self._nothing(groups), hint=_reason(groups))
        return self._store(groups)

    def _in_turn(self, family: SuiteFamily, limits: Mapping[str, Limit]) -> Iterator[GeneratedSuite]:
        """One suite after the other; those that follow `questions_from` take only the questions that it kept."""
        only: Collection[str] | None = None
        for name in family.suites:
            if name == family.questions_from:
                first = self._named(name, limits[name])
                assert first.manifest is not None, "a suite that is named is an error where nothing can be made"
                only = None if limits[name] is None else _questions(self._lab, first.manifest.suite)
                yield first
                continue
            try:
                (groups,) = self._generate([self._job(name, limits[name])], only)
            except CounterpointError as problem:
                yield _obstacle(name, problem)
                continue
            yield self._store(groups)

    def _single_pass(self, family: SuiteFamily, limits: Mapping[str, Limit]) -> Iterator[GeneratedSuite]:
        """All suites that take the same items in one walk over these."""
        jobs, obstacles = dict[str, _Job](), dict[str, CounterpointError]()
        for name in family.suites:
            try:
                jobs[name] = self._job(name, limits[name])
            except CounterpointError as problem:
                obstacles[name] = problem
        alike = group_pairs(((job.suite.takes, job.rules, job.suite.reads_whole_source), job) for job in jobs.values())
        made = {groups.job.generator: groups for members in alike.values() for groups in self._generate(members)}
        for name in family.suites:
            yield _obstacle(name, obstacles[name]) if name in obstacles else self._store(made[name])

    def _job(self, name: str, limit: Limit) -> _Job:
        """A suite with the options that it takes; the source may know an option that is not given."""
        suite = self._items.fitting(catalog.resolve("suites", name))
        whole = suite.reads_whole_source
        source = self._items.source(whole=whole)
        kind = self._items.kind(suite.takes, suite.prefers, whole=whole)
        known = {key: self._options.get(key, getattr(source, key, None)) for key in suite.options if key != MASKED_LM}
        options = {key: value for key, value in known.items() if value is not None}
        rules = rule_set(self._request.rules or suite.rules or source_rules(source))
        stored_as = self._request.name or suite.name
        if self._request.name and self._request.suites != (name,):
            stored_as = f"{stored_as}-{suite.name}"
        return _Job(name, replace(suite.configured(options), takes=kind), rules, limit, stored_as, options)

    def _generate(self, jobs: Sequence[_Job], only: Collection[str] | None = None) -> list[_Groups]:
        """Make suites of the same items: of all, or of those with these ids, whose groups are then all kept."""
        first = jobs[0].suite
        collection = self._items.read(first.takes, jobs[0].rules, whole=first.reads_whole_source)
        surveys, tasks, entries = dict[Any, Any](), list[SuiteTask](), list[Mapping[str, Any]]()
        for job in jobs:
            suite, proposer = propose_foils(job.suite, self._fill_mask, collection.items, self._progress)
            if suite.survey is not None and not suite.merges and suite.survey not in surveys:
                surveys[suite.survey] = suite.survey(collection.items)
            survey = surveys.get(suite.survey)
            if suite.extend_survey:
                survey = suite.extend_survey(survey, partial(items_about, collection.source))
            tasks.append(SuiteTask(suite, job.stored_as, survey, job.limit if only is None else None))
            entries.append(proposer | dict(suite.manifest_entries(survey) if suite.manifest_entries else {}))
        items = collection.sized if only is None else ItemSpool.of(item for item in collection if item.id in only)
        workers, engine = self._workers(collection, first.takes), self._request.engine
        built = build_suites(tasks, items, self._request.seed, processes=workers, engine=engine)
        self._items.log_skips(collection.source)
        rows = zip(jobs, built, entries, strict=True)
        return [_Groups(job, own.table if own.tally.groups else None, own.tally, collection, e) for job, own, e in rows]

    def _workers(self, items: ItemCollection, takes: str) -> int:
        """How many processes make the suites: as many as asked for, or as pay.

        Without being asked only suites that look at scenes get several: of others, reading takes longer than proposing.
        """
        if self._request.engine == "ray":
            return self._request.workers or 1
        paying = min(usable_cores(), len(items) // _ITEMS_PER_PROCESS) if takes in _OF_SCENES else 1
        return usable_processes(self._request.workers or max(1, paying))

    def _store(self, groups: _Groups) -> GeneratedSuite:
        """Put a suite and its manifest into the lab, and record where its pictures are."""
        job, table = groups.job, groups.table
        if table is None:
            return GeneratedSuite(job.generator, None, groups.tally, obstacle=_reason(groups) or self._nothing(groups))
        manifest = Manifest.of(
            table,
            generator=catalog.rows("suites").get(job.generator, job.generator),
            seed=self._request.seed,
            parameters=self._parameters(job, groups.items.source)
            | {"dropped": groups.tally.reasons}
            | dict(groups.items.entries)
            | dict(groups.entries),
            source=groups.items.fingerprint,
            rules=job.rules.name,
        )
        addresses: list[str] = table["picture"].drop_null().unique().to_pylist()
        roots = picture_roots(groups.items.source, addresses, self._request.pictures)
        self._lab.put_suite(manifest, table, replace=self._request.replace)
        for namespace, root in roots.items():
            self._lab.set_root(namespace, root)
        unpack_pictures(self._lab, groups.items.source, addresses)
        self._addresses |= dict.fromkeys(addresses)
        return GeneratedSuite(job.generator, manifest, groups.tally, _tests(table))

    def _parameters(self, job: _Job, source: Any) -> dict[str, Any]:
        """The parameters of a manifest, under the keys that labs on disk have."""
        request = self._request
        limit = asdict(job.limit) if isinstance(job.limit, Quota) else job.limit
        plain = {"source": request.source, "split": getattr(source, "split", request.split)}
        plain |= {"scenes": request.items, "groups": limit}
        columns = {"columns": dict(request.columns)} if request.columns else {}
        return {**plain, **columns, **job.options}

    def _nothing(self, groups: _Groups) -> str:
        job = groups.job
        return f"{job.generator} made nothing of {len(groups.items)} {job.suite.takes} of {self._request.source}"


def _matched_kinds(kinds_of: Callable[[Question], Iterable[str]], questions: Iterable[Question]) -> str:
    """How many questions each kind would match, were their scenes there."""
    counts, asked = Counter[str](), 0
    for question in questions:
        counts.update(kinds_of(question))
        asked += 1
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(counts.items()))
    return f"of {counted(asked, 'question')} these are matched, and none is changed: {kinds}"


def group_limit(name: str, request: GenerateRequest) -> Limit:
    """How many groups of a suite are kept; in its paper a suite has as many pairs as groups, or five times as many."""
    if request.pairs is None:
        return request.limit
    if request.limit is not None:
        raise CounterpointError("pairs and limit both set how much is kept", hint="give one of them")
    if isinstance(request.pairs, tuple):
        return Quota(*request.pairs)
    if not isinstance(request.pairs, str):
        return request.pairs
    families: list[SuiteFamily] = [family for _, family in catalog.find_all("families")]
    sizes = {suite: size for family in families for suite, size in family.sizes.items()}
    if name not in sizes:
        raise CounterpointError(f"the paper has no sizes for {name}", hint=f"it has them for {', '.join(sizes)}")
    return sizes[name]


def _reason(groups: _Groups) -> str:
    """Why most candidates were rejected where nothing was made; empty where there were none."""
    dropped = [(-n, kind, why) for (kind, why), n in groups.tally.dropped.items() if n]
    _, kind, why = min(dropped, default=(0, "", ""))
    return f"{kind}: {why}" if kind else why


def _obstacle(name: str, problem: CounterpointError) -> GeneratedSuite:
    obstacle = f"{problem}; {problem.hint}" if problem.hint else str(problem)
    return GeneratedSuite(name, None, Tally(), obstacle=obstacle)


def _questions(lab: LabStore, suite: str) -> frozenset[str]:
    """The ids of the questions that a suite asks."""
    table = lab.suite(suite).table
    tags = table.filter(pc.equal(table["role"], 0))["tags"].to_pylist()
    return frozenset(str(dict(row)["question"]) for row in tags)


def _tests(table: pa.Table) -> dict[str, int]:
    """The number of groups of each test."""
    tests = table.filter(pc.equal(table["role"], 0))["test"].to_pylist()
    return dict(sorted(Counter(str(test) for test in tests).items()))

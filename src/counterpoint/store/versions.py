"""Models of a lab: each has a name and versions, told apart by fingerprint and put in an order."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from counterpoint.core.costs import Cost, total_cost
from counterpoint.core.errors import StoreError, UnknownName, shorten
from counterpoint.store.answers import slug
from counterpoint.store.documents import put_object, read_object
from counterpoint.store.storage import Storage

LATEST, PREVIOUS, BASELINE = "latest", "previous", "baseline"
"""The versions that can be selected by their place in the order, and the one that was marked."""

BASELINES = "baselines.json"
"""The document with the fingerprint of each model's baseline."""
IMPORTED = "imported "
"""How the fingerprint of a model begins whose predictions were imported."""

_NUMBER = re.compile(r"(\d+(?:\.\d+)*)$")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(-\d+)?")


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run: which model it asked, and whatever else is worth knowing of it."""

    run: str  # its time and random digits, so that names sort by time
    model: str  # the name of the model in the lab
    fingerprint: str
    details: Mapping[str, Any] = field(default_factory=dict)  # suites, device, batch size, package versions, …
    version: str = ""  # the tag of the model's version; records of older labs have none

    @property
    def date(self) -> str:
        """The day on which it began, as 2026-11-16; nothing where the name of the run does not tell."""
        stamp = re.match(r"(\d{4})(\d\d)(\d\d)T", self.run)
        return "-".join(stamp.groups()) if stamp else ""

    @property
    def cost(self) -> Cost:
        """What its answers cost; nothing where that is not known."""
        return Cost.of_record(self.details.get("cost"))


def run_files(storage: Storage) -> list[str]:
    """The names of the files of all runs of a lab, the oldest first."""
    return [name for name in storage.names("runs/") if name.endswith(".json")]


def run_file(run: str) -> str:
    """The name of the file of a run."""
    return f"runs/{run}.json"


def read_run(storage: Storage, name: str) -> RunRecord:
    """The record of a run in a file."""
    content = {"version": ""} | read_object(storage, name)
    kinds = {"run": str, "model": str, "fingerprint": str, "details": dict, "version": str}
    for key, kind in kinds.items():
        if not isinstance(content.get(key), kind):
            fact = f"{storage.describe(name)}: {key} is {content.get(key)!r}"
            raise StoreError(fact, hint="restore the file from a copy, or run the model again")
    if name != run_file(content["run"]):
        fact = f"{storage.describe(name)} is the record of run {shorten(repr(content['run']))}"
        raise StoreError(fact, hint="a record has the name of its run; restore the file from a copy")
    return RunRecord(**{key: content[key] for key in kinds})


def put_run(storage: Storage, record: RunRecord) -> None:
    """Write the record of a run; put again, it replaces what was known."""
    put_object(storage, run_file(record.run), asdict(record))


@dataclass(frozen=True, slots=True)
class ModelVersion:
    """One version of a model: a fingerprint with the tag under which it was run first."""

    name: str
    version: str
    fingerprint: str
    runs: tuple[RunRecord, ...]  # the oldest first
    aliases: tuple[str, ...] = ()  # other tags that were given to the same fingerprint
    single: bool = True  # the model has no other version in the lab
    is_latest: bool = True  # the last in the order of its versions
    former: tuple[str, ...] = ()  # fingerprints under which older releases kept its answers
    is_baseline: bool = False  # marked as what later versions are compared with

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        names = ("name", "version", "fingerprint", "title", "is_latest", "is_baseline", "first_date", "last_date")
        return {name: getattr(self, name) for name in names} | {"aliases": list(self.aliases)}

    @property
    def title(self) -> str:
        """How tables call it: its name, with the tag where there are several versions."""
        return self.name if self.single else f"{self.name}@{self.version}"

    @property
    def slug(self) -> str:
        """How addresses and folders call it."""
        return slug(self.fingerprint)

    @property
    def details(self) -> Mapping[str, Any]:
        """What the latest run says of itself."""
        return self.runs[-1].details

    @property
    def first_date(self) -> str:
        """The day of its first run, or of the first import of its predictions, as 2026-11-16."""
        return self.runs[0].date

    @property
    def last_date(self) -> str:
        """The day of its last run or import."""
        return self.runs[-1].date

    @property
    def is_imported(self) -> bool:
        """Whether its answers are predictions that were imported, so that its dates are not those of the model."""
        return self.fingerprint.startswith(IMPORTED)

    @property
    def dates_text(self) -> str:
        """When it was run or imported: one day, or the first and the last; nothing where no run tells.

        >>> runs = [RunRecord(f"202611{day}T080000", "qwen", "imported qwen") for day in (14, 16)]
        >>> model_versions(runs)[0].dates_text, model_versions(runs[:1])[0].dates_text
        ('imported 2026-11-14 to 2026-11-16', 'imported 2026-11-14')
        """
        days = " to ".join(dict.fromkeys(filter(None, (self.first_date, self.last_date))))
        return f"{'imported' if self.is_imported else 'run'} {days}" if days else ""

    @property
    def cost(self) -> Cost:
        """What its runs cost together, at the prices that were named last."""
        return total_cost(record.cost for record in self.runs)


def model_versions(runs: Iterable[RunRecord], baselines: Collection[str] = ()) -> tuple[ModelVersion, ...]:
    """Every version of every model, by name and in the order of its versions; `baselines` are marked fingerprints.

    The order is that of the number that ends each tag (`step-1000`, `v1.10`), where all tags of a model have one;
    otherwise that of the first runs. A run without a tag, from an older lab, is tagged with its date.
    """
    by_name: dict[str, dict[str, list[RunRecord]]] = {}
    former: dict[str, tuple[str, ...]] = {}
    for record in sorted(runs, key=lambda record: record.run):
        by_name.setdefault(record.model, {}).setdefault(record.fingerprint, []).append(record)
        former[record.fingerprint] = tuple(record.details.get("former_fingerprints", ()))
    adopted = {old for own in former.values() for old in own}
    return tuple(
        replace(version, is_baseline=True) if version.fingerprint in baselines else version
        for name in sorted(by_name)
        for version in _ordered(name, {key: own for key, own in by_name[name].items() if key not in adopted}, former)
    )


def select_versions(versions: Sequence[ModelVersion], names: Sequence[str]) -> list[ModelVersion]:
    """The versions that names mean: `qwen` (its latest), `qwen@step-1000`, `qwen@latest`, `@previous`, `@baseline`.

    A fingerprint means its version. Without any name, all versions.
    """
    if not names:
        return list(versions)
    return list({version.fingerprint: version for version in (_select(versions, name) for name in names)}.values())


def tag_version(versions: Sequence[ModelVersion], name: str, fingerprint: str, tag: str, date: str) -> str:
    """The tag under which a run of a model is recorded; an unchanged model keeps its own unless another is given.

    Raises a StoreError where the tag belongs to another fingerprint of the same model.
    """
    if not name.strip():
        raise StoreError("a model without a name cannot be stored", hint="--name gives it one")
    if tag in (LATEST, PREVIOUS, BASELINE):
        hint = f"{name}@{tag} stands for the version in this place: give it another tag"
        raise StoreError(f"{tag} cannot be the tag of a version", hint=hint)
    if "@" in tag or "@" in name:
        raise StoreError(f"{name}@{tag} cannot be the name of a version", hint="use a name and a tag without @")
    own = [version for version in versions if version.name == name]
    same = next((version for version in own if version.fingerprint == fingerprint), None)
    used = {alias: version for version in own for alias in (version.version, *version.aliases)}
    if tag:
        if tag in used and used[tag].fingerprint != fingerprint:
            fact = f"{name} has a version {tag} already, with another fingerprint"
            raise StoreError(fact, hint="what can change an answer has changed: give it another --version")
        return tag
    if same is not None:
        return same.version
    return _free_tag(date, used)


def _free_tag(date: str, used: Collection[str]) -> str:
    return next(tag for tag in (date, *(f"{date}-{count}" for count in range(2, len(used) + 3))) if tag not in used)


def _ordered(
    name: str, by_fingerprint: Mapping[str, Sequence[RunRecord]], former: Mapping[str, tuple[str, ...]]
) -> list[ModelVersion]:
    tags: dict[str, list[str]] = {}
    taken: set[str] = set()
    for fingerprint, own in by_fingerprint.items():
        given = list(dict.fromkeys(record.version for record in own if record.version))
        tags[fingerprint] = given or [_free_tag(own[0].date or own[0].run, taken)]
        taken.update(tags[fingerprint])
    numbers = {fingerprint: _number(own[0]) for fingerprint, own in tags.items()}
    by_number = all(number is not None for number in numbers.values())
    order = sorted(
        by_fingerprint, key=lambda key: (numbers[key] or () if by_number else (), by_fingerprint[key][0].run)
    )
    return [
        ModelVersion(
            name, tag, key, tuple(by_fingerprint[key]), tuple(aliases), len(order) == 1, key == order[-1], former[key]
        )
        for key, (tag, *aliases) in ((key, tags[key]) for key in order)
    ]


def _number(tag: str) -> tuple[int, ...] | None:
    """The number that ends a tag, part by part; a date is not such a number."""
    match = None if _DATE.fullmatch(tag) else _NUMBER.search(tag)
    return tuple(map(int, match[1].split("."))) if match else None


def _select(versions: Sequence[ModelVersion], name: str) -> ModelVersion:
    whole = [version for version in versions if name in (version.fingerprint, version.slug)]
    if whole:
        return whole[-1]
    if own := [version for version in versions if version.name == name]:
        return own[-1]
    model, _, tag = name.rpartition("@")
    own = [version for version in versions if version.name == model]
    if not own:
        raise UnknownName("model that was run in this lab", name, [version.title for version in versions])
    if tag == LATEST:
        return own[-1]
    if tag == PREVIOUS:
        if len(own) < 2:
            raise StoreError(f"{model} has one version in this lab, and none before it", hint="run another one first")
        return own[-2]
    if tag == BASELINE:
        if marked := [version for version in own if version.is_baseline]:
            return marked[-1]
        raise StoreError(f"no version of {model} is marked as its baseline", hint="counterpoint baseline LAB MODEL@TAG")
    for version in own:
        if tag in (version.version, *version.aliases):
            return version
    raise UnknownName(f"version of {model}", tag, [version.version for version in own])


def read_baselines(storage: Storage) -> dict[str, str]:
    """The fingerprints of the baselines, by model; FileMissing where none was marked."""
    content = read_object(storage, BASELINES)
    if not all(isinstance(own, str) for own in content.values()):
        raise StoreError(f"{storage.describe(BASELINES)} holds no fingerprints", hint="mark the baselines again")
    return content

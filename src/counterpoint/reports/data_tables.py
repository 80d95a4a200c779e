"""What is known of data sets, as tables and lines for a terminal, and as plain values for JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from counterpoint import catalog
from counterpoint.metrics.answer_spaces import AnswerSpaceOverlap
from counterpoint.metrics.data_statistics import DataSetCounts, NumberHistogram, WordFrequencies
from counterpoint.reports.tables import ResultTable, percent
from counterpoint.sources.dataset import DataSet
from counterpoint.sources.file_checks import ExpectedFile, FileStatus, expected_files, format_size
from counterpoint.studies.dataset_description import DatasetDescription, ItemDescription, kinds_of

Block: TypeAlias = ResultTable | str
"""A table, or lines that stand by themselves."""
BAR = 24
"""Letters in the longest bar of a histogram."""


def listing() -> list[dict[str, Any]]:
    """Every source of the catalog: its name and title, what it is read as, and its splits."""
    rows = []
    for name in catalog.rows("sources"):
        found = catalog.find("sources", name)
        title = getattr(found, "title", getattr(found, "__name__", name))
        splits = list(getattr(found, "splits", ()))
        rows.append({"name": name, "title": title, "kinds": list(kinds_of(found)), "splits": splits})
    return rows


def listing_table(rows: list[dict[str, Any]]) -> ResultTable:
    """The same as a table."""
    lines = [(row["name"], row["title"], ", ".join(row["kinds"]), ", ".join(row["splits"]) or "any") for row in rows]
    return ResultTable("Data sets that can be read", ("name", "title", "kinds", "splits"), lines, names=4)


def expected_file_blocks(name: str, dataset: DataSet) -> Iterator[Block]:
    """Which files belong in one folder, and where people get them."""
    files = expected_files(dataset)
    if files:
        lines = [
            (one.name, ", ".join(one.splits), _kinds(one), "yes" if one.needed else "no", one.origin) for one in files
        ]
        heads = ("file", "splits", "read as", "needed", "from")
        yield ResultTable(f"{dataset.title}: files that are expected in one folder", heads, lines, names=5)
    else:
        yield f"{dataset.title}: any file with {' or '.join(dataset.read)}; --data names it, or the folder it is in."
    yield "\n".join(_remarks(name, dataset))


def _kinds(one: ExpectedFile | FileStatus) -> str:
    return ", ".join(one.kinds) if one.part in one.kinds else f"{', '.join(one.kinds)} ({one.part})"


def _remarks(name: str, dataset: DataSet) -> Iterator[str]:
    if not dataset.files:
        yield "Pictures are in its rows, or beside it under the paths that its rows say."
        yield f"counterpoint data {name} --data FILE checks what is there, and describes it."
        return
    folders = " or ".join(f"{one}/" for one in dataset.pictures if one != ".") or "the folder itself"
    within = f", with {' or '.join(f'{one}/' for one in dataset.holds)} in it" if dataset.holds else ""
    yield f"Pictures are in {folders}{within}; nothing but running a model needs them. They come from {dataset.origin}."
    yield f"Answers are compared by the rule set {dataset.rules}."
    if dataset.withheld:
        yield f"Its makers keep the answers of these splits: {', '.join(dataset.withheld)}."
    yield f"counterpoint data {name} --data FOLDER checks what is there, and describes it."


def description_blocks(found: DatasetDescription, top: int) -> Iterator[Block]:
    """A description from its files to its overlaps."""
    if found.files:
        yield files_table(found)
    yield ResultTable(
        f"{found.title}, {found.split}: what was read{_sample(found)}",
        ("kind", "items", "pictures", "left out"),
        [
            (
                part.counts.kind,
                f"{part.counts.items:,}",
                f"{len(part.counts.pictures):,}",
                f"{sum(left.count for left in part.left):,}",
            )
            for part in found.parts
        ],
    )
    remarks = [line for part in found.parts for line in _left(part)]
    yield "\n".join([*remarks, pictures_line(found)])
    for part in found.parts:
        yield from _counts(part.counts, top)
    if found.overlaps:
        yield overlaps_table(found)
        yield "\n".join(absent_lines(found))


def files_table(found: DatasetDescription) -> ResultTable:
    """Each file that is expected, with where it is and how large, or that it is missing."""
    lines = [
        (
            file.name,
            _kinds(file),
            _there(file, found.request.folder),
            format_size(file.size) if file.path else "–",
        )
        for file in found.files
    ]
    return ResultTable(f"{found.title}, {found.split}: files", ("file", "read as", "there", "size"), lines, names=3)


def _there(file: FileStatus, folder: Path | None) -> str:
    if file.path is None:
        return "MISSING" if file.needed else "missing, not needed"
    within = folder is not None and file.path.is_relative_to(folder) and file.path != folder
    shown = file.path.relative_to(folder).as_posix() if within and folder else file.path.name
    return "yes" if shown == file.name else shown


def _sample(found: DatasetDescription) -> str:
    limit = found.request.limit
    if limit is None:
        return ""
    return f", of {limit:,} scenes" if found.pictures.drawn else f", at most {limit:,} of each kind"


def _left(part: ItemDescription) -> Iterator[str]:
    if part.problem:
        yield f"{part.counts.kind} could not be read{' further' if part.counts.items else ''}: {part.problem}"
    for left in part.left:
        places = "; ".join(left.places[:3]) + ("; …" if left.count > 3 else "")
        remedy = f": {left.remedy}" if left.remedy else ""
        yield f"{left.count:,} left out of {part.counts.kind}: {left.reason} ({places}){remedy}"


def pictures_line(found: DatasetDescription) -> str:
    """How many pictures there are, and how many of them are files."""
    pictures = found.pictures
    if pictures.drawn:
        return f"{pictures.distinct:,} pictures, which are drawn when they are shown."
    if pictures.there is None:
        return f"{pictures.distinct:,} pictures; the folder of pictures is missing."
    share = percent(pictures.there / pictures.distinct) if pictures.distinct else "–"
    return f"{pictures.distinct:,} pictures; the files of {pictures.there:,} are there ({share} %)."


def _counts(counts: DataSetCounts, top: int) -> Iterator[ResultTable]:
    title = counts.kind.capitalize()
    if counts.spreads:
        lines = [
            (name, f"{s.mean:.1f}", str(s.median), str(s.least), str(s.most)) for name, s in counts.spreads.items()
        ]
        yield ResultTable(f"{title}: in numbers", ("", "mean", "median", "least", "most"), lines)
    words = next((name for name in counts.spreads if name.startswith("words per ")), None)
    if words:
        yield _histogram(f"{title}: {words}", counts.spreads[words])
    rankings = {name: ranking for name, ranking in counts.rankings.items() if ranking.total}
    if rankings:
        heads = ("", "in all", "different", "entropy, bits", "effective number")
        lines = [
            (name, f"{r.total:,}", f"{r.distinct:,}", f"{r.entropy:.2f}", f"{r.effective:,.1f}")
            for name, r in rankings.items()
        ]
        yield ResultTable(f"{title}: in words", heads, lines)
    for name, ranking in rankings.items():
        yield _ranking(title, name, ranking, top)


def _histogram(title: str, spread: NumberHistogram) -> ResultTable:
    bins = spread.bins()
    highest = max((one.count for one in bins), default=1)
    lines = [
        (one.label, f"{one.count:,}", percent(one.count / spread.total), "▇" * round(BAR * one.count / highest))
        for one in bins
    ]
    wide = max((len(line[3]) for line in lines), default=0)
    return ResultTable(title, ("words", "times", "%", ""), [(*line[:3], line[3].ljust(wide)) for line in lines])


def _ranking(title: str, name: str, ranking: WordFrequencies, top: int) -> ResultTable:
    shown = ranking.top(top)
    lines = [(one.word, f"{one.count:,}", percent(one.share)) for one in shown]
    rest = ranking.total - sum(one.count for one in shown)
    if rest:
        others = ranking.distinct - len(shown)
        lines.append((f"{others:,} other{'s' * (others > 1)}", f"{rest:,}", percent(rest / ranking.total)))
    return ResultTable(f"{title}: {name}", (name, "times", "%"), lines)


def overlaps_table(found: DatasetDescription) -> ResultTable:
    """What the answer space shares with each of the others."""
    lines = [
        (
            one.name,
            f"{one.answers:,}",
            f"{one.others:,}",
            f"{one.shared:,}",
            f"{one.jaccard:.3f}",
            percent(one.covered),
            percent(one.covers),
            percent(one.ceiling),
        )
        for one in found.overlaps
    ]
    heads = ("with", "answers", "theirs", "shared", "Jaccard", "% answerable", "% of theirs", "best accuracy")
    return ResultTable(f"{found.title}, {found.split}: answers shared, by the rule set {found.rules}", heads, lines)


def absent_lines(found: DatasetDescription) -> Iterator[str]:
    """What the columns of the overlaps mean, and the answers that others lack."""
    yield "% answerable: questions whose best answer the other has; % of theirs: the other way round;"
    yield "best accuracy: what one who can say nothing else could earn here, in per cent."
    for one in found.overlaps:
        if one.absent:
            yield f"{one.name} lacks {', '.join(f'{word} ({count:,})' for word, count in one.absent)}" + (
                ", …" if one.answers - one.shared > len(one.absent) else ""
            )


def description_to_dict(found: DatasetDescription, top: int) -> dict[str, Any]:
    """A description as plain values; shares are from 0 to 1."""
    request = found.request
    return {
        "name": found.name,
        "title": found.title,
        "split": found.split,
        "folder": str(request.folder) if request.folder else None,
        "rules": found.rules,
        "limit": request.limit,
        "seed": request.seed,
        "whole": found.whole,
        "files": [_file(file) for file in found.files],
        "pictures": {
            "distinct": found.pictures.distinct,
            "folder": str(found.pictures.root) if found.pictures.root else None,
            "there": found.pictures.there,
            "drawn": found.pictures.drawn,
        },
        "kinds": {part.counts.kind: _kind(part, top) for part in found.parts},
        "overlaps": [_overlap(one) for one in found.overlaps],
    }


def _file(file: FileStatus) -> dict[str, Any]:
    about = {"part": file.part, "file": file.name, "kinds": list(file.kinds), "needed": file.needed}
    path = str(file.path) if file.path else None
    return {**about, "from": file.origin, "path": path, "bytes": file.size if file.path else None}


def _kind(part: ItemDescription, top: int) -> dict[str, Any]:
    return {
        "items": part.counts.items,
        "pictures": len(part.counts.pictures),
        "problem": part.problem or None,
        "left_out": [
            {"reason": left.reason, "count": left.count, "places": list(left.places), "remedy": left.remedy}
            for left in part.left
        ],
        "words": {name: _words(ranking, top) for name, ranking in part.counts.rankings.items()},
        "numbers": {name: _numbers(spread) for name, spread in part.counts.spreads.items()},
    }


def _words(ranking: WordFrequencies, top: int) -> dict[str, Any]:
    shown = [asdict(one) for one in ranking.top(top)]
    ends = {"entropy": ranking.entropy, "effective": ranking.effective}
    return {"total": ranking.total, "distinct": ranking.distinct, **ends, "top": shown}


def _numbers(spread: NumberHistogram) -> dict[str, Any]:
    counts: Mapping[str, int] = {str(number): count for number, count in spread.counts.items()}
    ends = {"least": spread.least, "most": spread.most}
    return {"total": spread.total, "mean": spread.mean, "median": spread.median, **ends, "counts": counts}


def _overlap(one: AnswerSpaceOverlap) -> dict[str, Any]:
    numbers = {name: getattr(one, name) for name in ("answers", "others", "shared", "jaccard", "covered", "covers")}
    absent = [{"answer": word, "count": count} for word, count in one.absent]
    return {"with": one.name, **numbers, "ceiling": one.ceiling, "absent": absent}

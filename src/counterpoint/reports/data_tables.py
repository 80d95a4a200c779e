"""Descriptions of data sets as tables and remarks, and as plain values for JSON."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from counterpoint.core.quantities import counted
from counterpoint.metrics.data_statistics import AnswerSpaceOverlap, ItemTally, NumberHistogram, WordFrequencies
from counterpoint.reports.tables import ResultTable, percent
from counterpoint.sources.dataset import DataSet
from counterpoint.sources.file_checks import ExpectedFile, FileStatus, expected_files, format_size
from counterpoint.studies.dataset_description import DatasetDescription, ItemDescription

BAR = 24
"""Characters in the longest bar of a histogram."""


def expected_files_table(dataset: DataSet) -> ResultTable:
    """The files that a data set expects in one folder, with their origins."""
    lines = [
        (file.name, ", ".join(file.splits), _kinds(file), "yes" if file.needed else "no", file.origin)
        for file in expected_files(dataset)
    ]
    heads = ("file", "splits", "read as", "needed", "from")
    return ResultTable(f"{dataset.title}: files expected in one folder", heads, lines, names=5)


def _kinds(file: ExpectedFile | FileStatus) -> str:
    return ", ".join(file.kinds) if file.part in file.kinds else f"{', '.join(file.kinds)} ({file.part})"


def file_remarks(name: str, dataset: DataSet) -> Iterator[str]:
    """What there is to know of the files of a data set: pictures, rules, and splits without answers."""
    if not dataset.files:
        yield "Pictures are in its rows, or beside it under the paths in its rows."
        yield f"counterpoint data {name} --data FILE checks what is there, and describes it."
        return
    folders = " or ".join(f"{folder}/" for folder in dataset.pictures if folder != ".") or "the folder itself"
    within = f", with {' or '.join(f'{folder}/' for folder in dataset.holds)} in it" if dataset.holds else ""
    origin = f" They come from {dataset.origin}." if dataset.origin else ""
    yield f"Pictures are in {folders}{within}; only running a model needs them.{origin}"
    yield f"Answers are compared by the rule set {dataset.rules}."
    if dataset.withheld:
        yield f"The answers of these splits are not public: {', '.join(dataset.withheld)}."
    yield f"counterpoint data {name} --data FOLDER checks what is there, and describes it."


def description_tables(data: DatasetDescription, top: int) -> list[ResultTable]:
    """The tables of a description, from its files to its overlaps, with remarks as notes."""
    sample = ""
    if (limit := data.request.limit) is not None:
        sample = f", of {counted(limit, 'scene')}" if data.pictures.drawn else f", at most {limit:,} of each kind"
    kinds = ResultTable(
        f"{data.title}, {data.split}: what was read{sample}",
        ("kind", "items", "pictures", "skipped"),
        [
            (
                part.counts.kind,
                f"{part.counts.items:,}",
                f"{len(part.counts.pictures):,}",
                f"{sum(skipped.count for skipped in part.left):,}",
            )
            for part in data.parts
        ],
        note="\n".join([*(line for part in data.parts for line in _skipped_lines(part)), pictures_line(data)]),
    )
    files = [files_table(data)] if data.files else []
    overlaps = [replace(overlaps_table(data), note="\n".join(absent_lines(data)))] if data.overlaps else []
    return [*files, kinds, *(table for part in data.parts for table in _counts(part.counts, top)), *overlaps]


def files_table(data: DatasetDescription) -> ResultTable:
    """The expected files, each with its path and size, or as missing."""
    lines = [
        (
            file.name,
            _kinds(file),
            _location(file, data.request.folder),
            format_size(file.size) if file.path else "–",
        )
        for file in data.files
    ]
    return ResultTable(f"{data.title}, {data.split}: files", ("file", "read as", "there", "size"), lines, names=3)


def _location(file: FileStatus, folder: Path | None) -> str:
    if file.path is None:
        return "✗ missing" if file.needed else "missing, not needed"
    is_within = folder is not None and file.path.is_relative_to(folder) and file.path != folder
    name = file.path.relative_to(folder).as_posix() if is_within and folder else file.path.name
    return "✓ yes" if name == file.name else f"✓ {name}"


def _skipped_lines(part: ItemDescription) -> Iterator[str]:
    if part.problem:
        yield f"{part.counts.kind} could not be read{' further' if part.counts.items else ''}: {part.problem}"
    for skipped in part.left:
        places = "; ".join(skipped.places[:3]) + ("; …" if skipped.count > 3 else "")
        remedy = f": {skipped.remedy}" if skipped.remedy else ""
        items = counted(skipped.count, part.counts.kind.removesuffix("s"))
        yield f"{items} skipped: {skipped.reason} ({places}){remedy}"


def pictures_line(data: DatasetDescription) -> str:
    """The number of pictures, and how many of their files are present."""
    pictures = data.pictures
    if pictures.drawn:
        return f"{counted(pictures.distinct, 'picture')}, drawn on demand."
    if pictures.there is None:
        return f"{counted(pictures.distinct, 'picture')}; the folder of pictures is missing."
    share = percent(pictures.there / pictures.distinct) if pictures.distinct else "–"
    return f"{counted(pictures.distinct, 'picture')}; {counted(pictures.there, 'file', 'are')} present ({share} %)."


def _counts(counts: ItemTally, top: int) -> Iterator[ResultTable]:
    title = counts.kind.capitalize()
    if counts.spreads:
        lines = [
            (name, f"{s.mean:.1f}", str(s.median), str(s.least), str(s.most)) for name, s in counts.spreads.items()
        ]
        yield ResultTable(f"{title}: numbers", ("", "mean", "median", "least", "most"), lines)
    words = next((name for name in counts.spreads if name.startswith("words per ")), None)
    if words:
        yield _histogram(f"{title}: {words}", counts.spreads[words])
    rankings = {name: ranking for name, ranking in counts.rankings.items() if ranking.total}
    if rankings:
        heads = ("", "total", "distinct", "entropy, bits", "effective number")
        lines = [
            (name, f"{r.total:,}", f"{r.distinct:,}", f"{r.entropy:.2f}", f"{r.effective:,.1f}")
            for name, r in rankings.items()
        ]
        yield ResultTable(f"{title}: words", heads, lines)
    for name, ranking in rankings.items():
        yield _ranking(title, name, ranking, top)


def _histogram(title: str, spread: NumberHistogram) -> ResultTable:
    bins = spread.bins()
    highest = max((bin_.count for bin_ in bins), default=1)
    lines = [
        (bin_.label, f"{bin_.count:,}", percent(bin_.count / spread.total), "▇" * round(BAR * bin_.count / highest))
        for bin_ in bins
    ]
    width = max((len(bar) for *_, bar in lines), default=0)
    return ResultTable(title, ("words", "times", "%", ""), [(*cells, bar.ljust(width)) for *cells, bar in lines])


def _ranking(title: str, name: str, ranking: WordFrequencies, top: int) -> ResultTable:
    words = ranking.top(top)
    lines = [(word.word, f"{word.count:,}", percent(word.share)) for word in words]
    rest = ranking.total - sum(word.count for word in words)
    if rest:
        others = ranking.distinct - len(words)
        lines.append((f"{others:,} other{'s' * (others > 1)}", f"{rest:,}", percent(rest / ranking.total)))
    return ResultTable(f"{title}: {name}", (name, "times", "%"), lines)


def overlaps_table(data: DatasetDescription) -> ResultTable:
    """The overlap of the answer space with each of the others."""
    lines = [
        (
            overlap.name,
            f"{overlap.answers:,}",
            f"{overlap.others:,}",
            f"{overlap.shared:,}",
            f"{overlap.jaccard:.3f}",
            percent(overlap.covered),
            percent(overlap.covers),
            percent(overlap.ceiling),
        )
        for overlap in data.overlaps
    ]
    heads = ("with", "answers", "theirs", "shared", "Jaccard", "% answerable", "% of theirs", "best accuracy")
    return ResultTable(f"{data.title}, {data.split}: answers shared, by the rule set {data.rules}", heads, lines)


def absent_lines(data: DatasetDescription) -> Iterator[str]:
    """The meaning of the columns of overlaps, and the answers that other spaces lack."""
    yield "% answerable: questions whose best answer the other space has; % of theirs: the reverse;"
    yield "best accuracy: the accuracy possible with the answers of the other space alone, in per cent."
    for overlap in data.overlaps:
        if overlap.absent:
            yield f"{overlap.name} lacks {', '.join(f'{word} ({count:,})' for word, count in overlap.absent)}" + (
                ", …" if overlap.answers - overlap.shared > len(overlap.absent) else ""
            )


def skipped_table(data: DatasetDescription) -> ResultTable:
    """The skipped records by reason, with the first places of each."""
    rows = [
        (skipped.reason, skipped.remedy, part.counts.kind, "; ".join(skipped.places), f"{skipped.count:,}")
        for part in data.parts
        for skipped in part.left
    ]
    return ResultTable("", ("reason", "remedy", "kind", "first places", "records"), rows, names=4)


def description_to_dict(data: DatasetDescription, top: int) -> dict[str, Any]:
    """A description as plain values for JSON; shares are from 0 to 1."""
    request = data.request
    return {
        "name": data.name,
        "title": data.title,
        "split": data.split,
        "folder": str(request.folder) if request.folder else None,
        "rules": data.rules,
        "limit": request.limit,
        "seed": request.seed,
        "whole": data.whole,
        "files": [_file(file) for file in data.files],
        "pictures": {
            "distinct": data.pictures.distinct,
            "folder": str(data.pictures.root) if data.pictures.root else None,
            "there": data.pictures.there,
            "drawn": data.pictures.drawn,
        },
        "kinds": {part.counts.kind: _kind(part, top) for part in data.parts},
        "overlaps": [_overlap(overlap) for overlap in data.overlaps],
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
        "left_out": [asdict(skipped) | {"places": list(skipped.places)} for skipped in part.left],
        "words": {name: _words(ranking, top) for name, ranking in part.counts.rankings.items()},
        "numbers": {name: _numbers(spread) for name, spread in part.counts.spreads.items()},
    }


def _words(ranking: WordFrequencies, top: int) -> dict[str, Any]:
    names = ("total", "distinct", "entropy", "effective")
    return {name: getattr(ranking, name) for name in names} | {"top": [asdict(word) for word in ranking.top(top)]}


def _numbers(spread: NumberHistogram) -> dict[str, Any]:
    counts = {str(number): count for number, count in spread.counts.items()}
    names = ("total", "mean", "median", "least", "most")
    return {name: getattr(spread, name) for name in names} | {"counts": counts}


def _overlap(overlap: AnswerSpaceOverlap) -> dict[str, Any]:
    values = asdict(overlap)
    absent = [{"answer": word, "count": count} for word, count in values.pop("absent")]
    return {"with": values.pop("name"), **values, "absent": absent}

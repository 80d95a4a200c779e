"""A suite as a data set of VLMEvalKit: one table with tabs, a row a query, with its picture as base64 text."""

import csv
from base64 import b64encode
from pathlib import Path

import pyarrow.compute as pc

from counterpoint.core.errors import StoreError
from counterpoint.core.ids import hex_id
from counterpoint.exports.datasets_folder import ExportedSuite
from counterpoint.exports.lmms_task import refuse_unspoken, task_name
from counterpoint.exports.rows import PictureExporter
from counterpoint.store.folder import atomic_folder
from counterpoint.store.groups import read_queries
from counterpoint.store.pictures import LabPictures
from counterpoint.store.suites import StoredSuite

_LETTERS = "ABCDEFGHIJ"


def export_vlmevalkit(suite: StoredSuite, folder: Path, pictures: LabPictures) -> ExportedSuite:
    """Write each query of a suite once, atomically; a picture that an earlier row has is given by its index."""
    manifest, name, out = suite.manifest, f"{task_name(suite.manifest.suite)}.tsv", PictureExporter(pictures)
    refuse_unspoken(suite.table, manifest.suite, "VLMEvalKit")
    if suite.table["picture"].null_count:
        fact = f"{manifest.suite} has queries without a picture"
        raise StoreError(fact, hint="VLMEvalKit shows a picture with each question; export it --layout datasets")
    most = max((len(choices) for choices in suite.table["choices"].to_pylist()), default=0)
    if most > len(_LETTERS):
        raise StoreError(f"{manifest.suite} offers {most} choices", hint=f"VLMEvalKit has columns to {_LETTERS[-1]}")
    letters, golds = _LETTERS[:most], suite.table["gold"].to_pylist()
    seen, shown = set[int](), dict[object, int]()
    with atomic_folder(folder) as draft:
        with (draft / name).open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, delimiter="\t", lineterminator="\n")
            table.writerow(["index", "query_id", "image", "question", "hint", *letters, "answer", "category", "split"])
            rows = zip(read_queries(suite.table), suite.table["query"].to_pylist(), golds, strict=True)
            kinds = suite.table["kind"].to_pylist()
            for place, (query, own, gold) in enumerate(rows):
                if own in seen:
                    continue
                seen.add(own)
                index = len(seen) - 1
                first = shown.setdefault(query.picture, index)
                assert query.picture is not None, "suites with text-only queries are refused"
                content = out.file(query.picture)["bytes"] if first == index else b""
                assert isinstance(content, bytes), "a picture is exported as bytes"
                image = b64encode(content).decode() if first == index else str(first)
                answer = gold[0]["answer"] if gold else ""
                if answer in query.choices:
                    answer = letters[query.choices.index(answer)]
                offered = [*query.choices, *[""] * (most - len(query.choices))]
                row = [query.text, query.context, *offered, answer, kinds[place] or manifest.suite, "test"]
                table.writerow([index, hex_id(own), image, *row])
        size = (draft / name).stat().st_size
    groups = int(pc.sum(pc.equal(suite.table["role"], 0)).as_py())
    return ExportedSuite(manifest.suite, str(folder), len(seen), groups, len(out.seen), size, (name,))

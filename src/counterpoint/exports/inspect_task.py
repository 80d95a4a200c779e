"""A suite as a task of Inspect: a Python file that defines it, with its samples as JSON lines and their pictures."""

import json
from pathlib import Path

from counterpoint.core.ids import hex_id
from counterpoint.exports.datasets_folder import ExportedSuite
from counterpoint.exports.lmms_functions import doc_to_text
from counterpoint.exports.lmms_task import refuse_unspoken, task_name
from counterpoint.exports.rows import PictureExporter
from counterpoint.store.folder import atomic_folder
from counterpoint.store.groups import read_queries
from counterpoint.store.pictures import LabPictures
from counterpoint.store.suites import StoredSuite

_TASK = '''"""The suite {suite} of Counterpoint, seed {seed}, fingerprint {fingerprint}.

Run it with `inspect eval {name}.py --model …`; `counterpoint import LAB LOG --name …` takes the log, which has the ids.
"""

import json
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, scorer, stderr
from inspect_ai.solver import generate

HERE = Path(__file__).parent


def read_sample(row):
    """One query: its picture, if it has one, before its text."""
    picture = [ContentImage(image=str(HERE / row["image"]))] if row["image"] else []
    message = ChatMessageUser(content=[*picture, ContentText(text=row["prompt"])])
    about = {{key: row[key] for key in ("query_id", "group_id", "role", "relation", "test", "kind")}}
    choices = row["choices"] or None
    return Sample(id=row["query_id"], input=[message], target=row["answers"], choices=choices, metadata=about)


@scorer(metrics=[accuracy(), stderr()])
def right_answer():
    """Whether the reply is a right answer, apart from capitals and a full stop; the import scores with care."""

    async def score(state, target):
        reply = state.output.completion.strip().rstrip(".").lower()
        is_right = reply in [answer.lower() for answer in target]
        return Score(value=CORRECT if is_right else INCORRECT, answer=reply)

    return score


@task
def {name}():
    """The queries of the suite, each asked once."""
    with (HERE / "{name}.jsonl").open(encoding="utf-8") as file:
        samples = [read_sample(json.loads(line)) for line in file]
    return Task(dataset=MemoryDataset(samples, name="{name}"), solver=generate(), scorer=right_answer())
'''


def export_inspect(suite: StoredSuite, folder: Path, pictures: LabPictures) -> ExportedSuite:
    """Write a task with each query of a suite once, and each picture once, atomically."""
    manifest, name, out = suite.manifest, task_name(suite.manifest.suite), PictureExporter(pictures)
    refuse_unspoken(suite.table, manifest.suite, "Inspect")
    about = suite.table.select(["group_id", "role", "relation", "test", "kind", "gold"]).to_pylist()
    ids, seen, size = suite.table["query"].to_pylist(), set[int](), 0
    with atomic_folder(folder) as draft:
        (draft / "pictures").mkdir()
        with (draft / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for query, query_id, row in zip(read_queries(suite.table), ids, about, strict=True):
                if query_id in seen:
                    continue
                seen.add(query_id)
                image = ""
                if query.picture is not None:
                    picture = out.file(query.picture)
                    content, image = picture["bytes"], f"pictures/{picture['path']!s}"
                    assert isinstance(content, bytes), "a picture is exported as bytes"
                    if not (draft / image).exists():
                        size += (draft / image).write_bytes(content)
                doc = {"question": query.text, "context": query.context, "choices": query.choices}
                answers = [gold["answer"] for gold in row.pop("gold") or () if gold["credit"] >= 0.5]
                sample = row | {"group_id": hex_id(row["group_id"]), "query_id": hex_id(query_id), "image": image}
                sample |= {"prompt": doc_to_text(doc), "choices": list(query.choices), "answers": answers}
                file.write(json.dumps(sample, ensure_ascii=False) + "\n")
        source = _TASK.format(suite=manifest.suite, name=name, seed=manifest.seed, fingerprint=manifest.fingerprint)
        (draft / f"{name}.py").write_text(source, encoding="utf-8")
        size += sum((draft / f"{name}.{ending}").stat().st_size for ending in ("py", "jsonl"))
    files = (f"{name}.jsonl", f"{name}.py", "pictures")
    return ExportedSuite(manifest.suite, str(folder), len(seen), manifest.groups, len(out.seen), size, files)

"""A causal language model ranks captions and foils in a lab that has no pictures, as in the rows of VALSE for GPT-2."""

import json
from pathlib import Path

import tiny_generative
from click.testing import CliRunner

from counterpoint import catalog
from counterpoint.cli.main import commands
from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Scale
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest

TEXTS = ("There is a dog to the left of the car.", "There is a dog to the right of the car.")


def test_captions_are_ranked_by_perplexity_and_no_picture_is_wanted(tmp_path: Path) -> None:
    tiny_generative.gpt2(tmp_path / "gpt2")
    groups = []
    for number in range(12):
        picture = Picture(f"coco:val2017/{number:012}.jpg")  # of which there is no file, nor a root
        queries = tuple(Query(picture, f"{text} {number}", Mode.SCORE) for text in TEXTS)
        groups.append(("relations", Group(Relation.RANKS, queries, (None, None))))
    table, lab = groups_table(groups, "foils"), LabStore(tmp_path / "lab")
    lab.put_suite(Manifest.of(table, generator="tests", seed=0), table)
    name = f"hf/{tmp_path / 'gpt2'}"
    done = CliRunner().invoke(
        commands, ["study", "blind", str(lab.folder), "--model", name, "--json"], catch_exceptions=False
    )
    ((found,),) = json.loads(done.stdout).values()
    (info,) = lab.versions()
    assert info.details["counts"]["failed"] == 0
    said = dict(zip(*(lab.read_answers(info.fingerprint)[one].to_pylist() for one in ("query", "score")), strict=True))
    won = [said[group.queries[0].id] > said[group.queries[1].id] for _, group in groups]
    assert (found["value"], found["n"]) == (sum(won) / 12, 12)
    model = catalog.model(name, tiny_generative.Blocks())
    assert getattr(model, "scale", None) is Scale.SIMILARITY

"""Two models that only score captions are compared without a measure being named."""

import json
from pathlib import Path

from click.testing import CliRunner
from labs import captions_lab

from counterpoint.cli.compare import command


def test_models_that_only_rank_are_compared_by_their_ranking(tmp_path: Path) -> None:
    lab = captions_lab(tmp_path / "lab")
    done = CliRunner().invoke(command, [str(lab.folder), "sharp", "dull", "--json"], catch_exceptions=False)
    rows = {row["metric"]: row for row in json.loads(done.output)["differences"]}
    assert {"acc_r", "auroc"} <= set(rows)
    row = rows["acc_r"]
    assert (row["metric"], row["n"], row["verdict"]) == ("acc_r", 40, "sharp")
    assert (row["first"], row["second"]) == (0.8, 0.4)

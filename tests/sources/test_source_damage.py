"""No damaged file gives a traceback; `python -m benchmarks.damage` reads thousands more of them."""

from pathlib import Path

import pytest
from proving import scaled
from source_samples import SAMPLES, Sample, put
from trials import Ending, damaged_endings, data_sets, ending, missing

from counterpoint.sources.dataset import Source

READ = [(name, number, sample) for name, samples in SAMPLES.items() for number, sample in enumerate(samples)]
EACH = pytest.mark.parametrize(
    ("name", "sample"), [(name, sample) for name, _, sample in READ], ids=[f"{n}-{s.kind}-{i}" for n, i, s in READ]
)


def test_every_data_set_in_the_catalog_has_a_sample_that_can_be_damaged() -> None:
    assert not missing(), "; ".join(missing())
    assert set(SAMPLES) <= set(data_sets()), "these samples belong to no data set of the catalog"


@EACH
def test_a_sample_is_read_whole_as_long_as_nothing_is_damaged(name: str, sample: Sample, tmp_path: Path) -> None:
    put(sample.contents, tmp_path)
    source = Source(data_sets()[name], tmp_path, sample.split)
    assert len(list(getattr(source, sample.kind)())) > 1
    assert not source.skips.total, source.skips.lines()


@EACH
def test_damaged_files_give_sound_values_and_counted_skips_or_our_error(
    name: str, sample: Sample, tmp_path: Path
) -> None:
    endings = damaged_endings(
        sample, tmp_path, scaled(60), lambda version: ending(data_sets()[name], sample, tmp_path, version)
    )
    assert Ending.REFUSED in endings
    assert endings - {Ending.REFUSED}, "not all damage is the end of a file"

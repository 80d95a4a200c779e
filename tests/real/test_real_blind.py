"""Blind baselines on the captions and foils of VALSE, as they were released."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from real_data import real

from counterpoint import catalog
from counterpoint.core.groups import Answer, Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Scorer
from counterpoint.pictures.folders import PictureFolders
from counterpoint.store.answers import AnswerRows
from counterpoint.store.groups import groups_table, read_queries
from counterpoint.studies.blind_baselines import NGramTraining, blind_findings, captions_of, fit_cross_validated

FILES = {
    "existence": "existence",
    "plurals": "plurals",
    "counting-balanced": "counting-hard",
    "counting-small": "counting-small-quant",
    "counting-adversarial": "counting-adversarial",
    "relations": "relations",
    "action-replacement": "action-replacement",
    "actant-swap": "actant-swap",
    "coreference-standard": "coreference-standard",
    "coreference-clean": "coreference-hard",
    "foil-it": "foil-it",
}
TRIGRAMS = dict(zip(FILES, (48.5, 53.8, 50.6, 55.6, 15.3, 63.2, 45.1, 62.3, 45.3, 42.3, 63.7), strict=True))
"""acc_r in per cent of the trigrams of pocketsphinx on what at least two of three people found valid."""


@cache
def valse() -> Any:
    """The valid pairs of all eleven files as one table."""
    return groups_table(_pairs(), "released")


def _pairs() -> Iterator[tuple[str, Group]]:
    for test, name in FILES.items():
        for record in json.loads(real(f"valse/{name}.json").read_text("utf-8")).values():
            if record["mturk"]["caption"] >= 2:
                foil = record["foil"][0] if isinstance(record["foil"], list) else record["foil"]
                picture = Picture(f"{record['dataset'].split('_')[0]}:{record['image_file']}")
                texts = tuple(Query(picture, text, Mode.SCORE) for text in (record["caption"], foil))
                yield test, Group(Relation.RANKS, texts, (None, None))


def ranked(model: Scorer) -> dict[str, float]:
    """acc_r of each test, in per cent."""
    rows = AnswerRows(model.fingerprint)
    said = zip(valse()["query"].to_pylist(), model.score(read_queries(valse())), strict=True)
    rows.extend((query, 0, Answer.scored(float(score)), "", 0.0) for query, score in dict(said).items())
    found = blind_findings(valse(), rows.drain())
    assert sum(one.n for one in found) == 7702
    return {one.test: 100 * (one.value or 0) for one in found}


@pytest.mark.prove
def test_cross_fitted_captions_tell_two_thirds_of_relations_and_told_ones_all() -> None:
    captions = captions_of(valse())
    fitted = ranked(fit_cross_validated(NGramTraining(captions)))
    told = ranked(fit_cross_validated(NGramTraining(captions, folds=1)))
    assert fitted["relations"] == pytest.approx(65.0, abs=3)
    assert told["relations"] > 99
    assert all(told[test] > fitted[test] + 5 for test in FILES)
    assert fitted["counting-adversarial"] < 45
    assert sum(fitted.values()) / len(FILES) == pytest.approx(65, abs=2)


def test_general_trigrams_tell_what_was_measured() -> None:
    pytest.importorskip("pocketsphinx")
    model = catalog.model("trigram", PictureFolders({}))
    assert isinstance(model, Scorer)
    found = ranked(model)
    assert found == pytest.approx(TRIGRAMS, abs=0.7), "a few texts are split into words otherwise"

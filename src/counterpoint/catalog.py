"""The tables of everything that has a name, each row a name and where it is: "module:object".

Rows are literal strings, so listing them loads nothing. Other packages add rows in the same form by entry points in the
groups `counterpoint.models`, `counterpoint.sources` and so on.
"""

import logging
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import cache, partial
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterpoint.core.errors import CounterpointError, ModelError, UnknownName
from counterpoint.core.ports import Model, Pictures

if TYPE_CHECKING:
    from counterpoint.metrics.metric import Metric

logger = logging.getLogger(__name__)
TABLES: Mapping[str, Mapping[str, str]] = {
    "models": {
        "cnn-lstm": "counterpoint.models.builtin.models:cnn_lstm",
        "constant": "counterpoint.models.builtin.sanity:constant",
        "fusion": "counterpoint.models.builtin.models:fusion",
        "ngram": "counterpoint.models.text.ngram:ngram",
        "picture-only": "counterpoint.models.builtin.models:picture_only",
        "question-only": "counterpoint.models.builtin.models:question_only",
        "random": "counterpoint.models.builtin.sanity:random",
        "trigram": "counterpoint.models.text.ngram:trigram",
        "two-tower": "counterpoint.models.builtin.models:two_tower",
    },
    "ways": {
        "anthropic": "counterpoint.models.endpoint.chat:anthropic",
        "google": "counterpoint.models.endpoint.chat:google",
        "hf": "counterpoint.models.hf.checkpoint:load",
        "openai": "counterpoint.models.endpoint.chat:chat",
    },
    "sources": {
        "carets": "counterpoint.sources.formats.carets:carets",
        "clevr": "counterpoint.sources.formats.clevr:clevr",
        "coco": "counterpoint.sources.formats.coco:coco",
        "cs-convqa": "counterpoint.sources.formats.convqa:cs_convqa",
        "foil": "counterpoint.sources.formats.foil:foil",
        "gqa": "counterpoint.sources.formats.gqa:gqa",
        "gqa-ood": "counterpoint.sources.formats.gqa:gqa_ood",
        "hf": "counterpoint.sources.formats.hf_datasets:hf",
        "l-convqa": "counterpoint.sources.formats.convqa:l_convqa",
        "okvqa": "counterpoint.sources.formats.vqa:okvqa",
        "plain": "counterpoint.sources.formats.own_files:plain",
        "swig": "counterpoint.sources.formats.swig:swig",
        "textvqa": "counterpoint.sources.formats.textvqa:textvqa",
        "valse": "counterpoint.sources.formats.valse:valse",
        "vg": "counterpoint.sources.formats.visual_genome:visual_genome",
        "visdial": "counterpoint.sources.formats.visdial:visdial",
        "visual7w": "counterpoint.sources.formats.visual7w:visual7w",
        "vqa-cp": "counterpoint.sources.formats.vqa:vqa_cp",
        "vqa-rephrasings": "counterpoint.sources.formats.vqa:vqa_rephrasings",
        "vqa2": "counterpoint.sources.formats.vqa:vqa2",
        "world": "counterpoint.world.source:World",
        "world-vqa": "counterpoint.world.source:VqaWorld",
    },
    "suites": {
        "actions": "counterpoint.suites.valse.actions:suite",
        "actions-unpaired": "counterpoint.suites.valse.actions:unpaired",
        "antonym": "counterpoint.suites.carets.antonym:suite",
        "antonym-colors": "counterpoint.suites.carets.antonym:with_colors",
        "antonym-sex": "counterpoint.suites.carets.antonym:with_sex",
        "antonym-questions": "counterpoint.suites.questions.suites:antonyms",
        "blind-controls": "counterpoint.suites.bias.modality_bias:blind_controls",
        "contrast": "counterpoint.suites.contrast.contrast_sets:suite",
        "coreference": "counterpoint.suites.valse.coreference:suite",
        "coreference-with-scenes": "counterpoint.suites.valse.coreference:with_scenes",
        "counting": "counterpoint.suites.valse.counting:suite",
        "existence": "counterpoint.suites.valse.existence:suite",
        "feature-noise": "counterpoint.suites.robustness.feature_noise:suite",
        "feature-picture-bias": "counterpoint.suites.bias.modality_bias:feature_picture_bias",
        "feature-question-bias": "counterpoint.suites.bias.modality_bias:feature_question_bias",
        "groups": "counterpoint.suites.own:groups",
        "negated-questions": "counterpoint.suites.questions.suites:negated",
        "negation": "counterpoint.suites.carets.negation:suite",
        "noise": "counterpoint.suites.robustness.picture_changes:noise",
        "noise-severities": "counterpoint.suites.robustness.picture_changes:noise_severities",
        "objects": "counterpoint.suites.valse.objects:suite",
        "ontology": "counterpoint.suites.carets.ontology:suite",
        "order": "counterpoint.suites.carets.order:suite",
        "picture-bias": "counterpoint.suites.bias.modality_bias:picture_bias",
        "pictures-changed": "counterpoint.suites.robustness.picture_changes:suite",
        "pictures-changed-severities": "counterpoint.suites.robustness.picture_changes:with_severities",
        "plain": "counterpoint.suites.own:plain",
        "plurality": "counterpoint.suites.valse.plurality:suite",
        "question-bias": "counterpoint.suites.bias.modality_bias:question_bias",
        "rad-back-translations": "counterpoint.suites.rad.question_sets:back_translations",
        "rad-counterfactuals": "counterpoint.suites.rad.counterfactuals:suite",
        "rad-cs-convqa": "counterpoint.suites.rad.question_sets:common_sense_sets",
        "rad-dialogues": "counterpoint.suites.rad.dialogues:suite",
        "rad-l-convqa": "counterpoint.suites.rad.question_sets:logical_sets",
        "rad-open-dialogues": "counterpoint.suites.rad.dialogues:open_suite",
        "rad-rephrasings": "counterpoint.suites.rad.question_sets:rephrasings",
        "relations": "counterpoint.suites.valse.relations:suite",
        "released": "counterpoint.suites.own:released",
        "reordered-questions": "counterpoint.suites.questions.suites:reordered",
        "rephrase": "counterpoint.suites.carets.rephrase:suite",
        "rephrased-questions": "counterpoint.suites.questions.suites:rephrased",
        "sears": "counterpoint.suites.robustness.word_noise:sears",
        "visual": "counterpoint.suites.carets.visual:suite",
        "word-noise": "counterpoint.suites.robustness.word_noise:suite",
        "word-noise-severities": "counterpoint.suites.robustness.word_noise:severities",
    },
    "families": {
        "beyond-accuracy": "counterpoint.suites.families:beyond_accuracy",
        "carets": "counterpoint.suites.families:carets",
        "questions": "counterpoint.suites.families:questions",
        "valse": "counterpoint.suites.families:valse",
    },
    "metrics": {
        "acc": "counterpoint.metrics.ranking:acc",
        "acc_r": "counterpoint.metrics.ranking:acc_r",
        "acc_r_over_text": "counterpoint.metrics.ranking:acc_r_over_text",
        "accuracy": "counterpoint.metrics.accuracy:accuracy",
        "all_right": "counterpoint.metrics.accuracy:all_right",
        "answer_accuracy": "counterpoint.metrics.accuracy:answer_accuracy",
        "answer_entropy": "counterpoint.metrics.uncertainty:answer_entropy",
        "aurc": "counterpoint.metrics.calibration:aurc",
        "auroc": "counterpoint.metrics.ranking:auroc",
        "base_accuracy": "counterpoint.metrics.accuracy:base_accuracy",
        "brier": "counterpoint.metrics.calibration:brier",
        "comprehensive_accuracy": "counterpoint.metrics.accuracy:comprehensive_accuracy",
        "confidence": "counterpoint.metrics.calibration:confidence",
        "confidence_gap": "counterpoint.metrics.calibration:confidence_gap",
        "contrast_consistency_1": "counterpoint.metrics.contrast:consistency_1",
        "contrast_consistency_1_full": "counterpoint.metrics.contrast:full_1",
        "contrast_consistency_3": "counterpoint.metrics.contrast:consistency_3",
        "contrast_consistency_3_full": "counterpoint.metrics.contrast:full_3",
        "contrast_consistency_5": "counterpoint.metrics.contrast:consistency_5",
        "contrast_consistency_5_full": "counterpoint.metrics.contrast:full_5",
        "ece": "counterpoint.metrics.calibration:ece",
        "ece_chance": "counterpoint.metrics.calibration:ece_chance",
        "ece_mass": "counterpoint.metrics.calibration:ece_mass",
        "ece_mass_chance": "counterpoint.metrics.calibration:ece_mass_chance",
        "ece_squared": "counterpoint.metrics.calibration:ece_squared",
        "group_score": "counterpoint.metrics.crossed:group_score",
        "image_score": "counterpoint.metrics.crossed:image_score",
        "literal_consistency": "counterpoint.metrics.accuracy:literal_consistency",
        "mean_entropy": "counterpoint.metrics.uncertainty:mean_entropy",
        "mean_robustness": "counterpoint.metrics.robustness:mean_robustness",
        "min_p": "counterpoint.metrics.ranking:min_p",
        "no_recall": "counterpoint.metrics.yes_no:no_recall",
        "owed_to_picture": "counterpoint.metrics.bias:owed_to_picture",
        "owed_to_question": "counterpoint.metrics.bias:owed_to_question",
        "p_c": "counterpoint.metrics.ranking:p_c",
        "p_f": "counterpoint.metrics.ranking:p_f",
        "picture_accuracy": "counterpoint.metrics.crossed:picture_accuracy",
        "picture_bias": "counterpoint.metrics.bias:picture_bias",
        "picture_chance": "counterpoint.metrics.bias:picture_chance",
        "picture_feature_robustness": "counterpoint.metrics.robustness:picture_feature_robustness",
        "question_accuracy": "counterpoint.metrics.crossed:question_accuracy",
        "question_bias": "counterpoint.metrics.bias:question_bias",
        "question_chance": "counterpoint.metrics.bias:question_chance",
        "question_feature_robustness": "counterpoint.metrics.robustness:question_feature_robustness",
        "rad_backward": "counterpoint.metrics.robustness:rad_backward",
        "rad_forward": "counterpoint.metrics.robustness:rad_forward",
        "rad_ordered": "counterpoint.metrics.robustness:rad_ordered",
        "recall_gap": "counterpoint.metrics.yes_no:recall_gap",
        "right_to_wrong": "counterpoint.metrics.robustness:right_to_wrong",
        "robustness": "counterpoint.metrics.robustness:robustness",
        "sampling_agreement": "counterpoint.metrics.uncertainty:sampling_agreement",
        "selective_accuracy_50": "counterpoint.metrics.calibration:selective_accuracy_50",
        "selective_accuracy_80": "counterpoint.metrics.calibration:selective_accuracy_80",
        "self_consistency": "counterpoint.metrics.accuracy:self_consistency",
        "survived": "counterpoint.metrics.bias:survived",
        "text_score": "counterpoint.metrics.crossed:text_score",
        "ties": "counterpoint.metrics.ranking:ties",
        "uncertainty": "counterpoint.metrics.uncertainty:uncertainty",
        "variant_accuracy": "counterpoint.metrics.accuracy:variant_accuracy",
        "whole_brier": "counterpoint.metrics.calibration:whole_brier",
        "worst_case": "counterpoint.metrics.accuracy:worst_case",
        "wrong_to_right": "counterpoint.metrics.robustness:wrong_to_right",
        "yes_excess": "counterpoint.metrics.yes_no:yes_excess",
        "yes_f1": "counterpoint.metrics.yes_no:yes_f1",
        "yes_precision": "counterpoint.metrics.yes_no:yes_precision",
        "yes_ratio": "counterpoint.metrics.yes_no:yes_ratio",
        "yes_recall": "counterpoint.metrics.yes_no:yes_recall",
    },
    "outputs": {
        "json": "counterpoint.lab.evaluation.outputs:write_json",
        "junit": "counterpoint.lab.evaluation.outputs:write_junit",
        "markdown": "counterpoint.lab.evaluation.outputs:write_markdown",
        "report": "counterpoint.lab.evaluation.outputs:write_page",
        "site": "counterpoint.explorer.server:write_site_output",
    },
    "checks": {
        "distribution": "counterpoint.checks.distribution:check",
        "duplicates": "counterpoint.checks.text_checks:duplicates",
        "entailment": "counterpoint.checks.model_checks:entailment",
        "grammar": "counterpoint.checks.model_checks:grammar",
        "length": "counterpoint.checks.text_checks:length",
        "minimality": "counterpoint.checks.text_checks:minimality",
        "plausibility": "counterpoint.checks.model_checks:plausibility",
    },
}
"""Our own rows."""


@cache
def rows(table: str) -> Mapping[str, str]:
    """All rows of a table, ours and those of installed plug-ins, by name; ours win.

    >>> rows("sources")["world"]
    'counterpoint.world.source:World'
    """
    if table not in TABLES:
        raise UnknownName("table of the catalog", table, TABLES)
    plugged = {point.name: point.value for point in entry_points(group=f"counterpoint.{table}")}
    return dict(sorted((plugged | dict(TABLES[table])).items()))


def find(table: str, name: str) -> Any:
    """The object of a name in a table: ours, or an installed plug-in's; a place in a module is no name."""
    place = TABLES.get(table, {}).get(name) or rows(table).get(name)  # looking for plug-ins takes a while
    if place is None:
        raise UnknownName("family" if table == "families" else table.removesuffix("s"), name, rows(table))
    return _load(place, name)


def resolve(table: str, typed: str) -> Any:
    """The object that a user typed: a name in a table, or a place in code, `package.module:object`.

    Only what a person typed comes here, never what a file or an address names, since modules of the working directory
    are imported.
    """
    if ":" not in typed:
        return find(table, typed)
    with importable(Path.cwd()):
        return _load(typed, typed)


@contextmanager
def importable(folder: Path) -> Iterator[None]:
    """A folder as the last entry of the import path, in place of folders that were there before.

    Modules of a folder whose turn is over are forgotten, so that `mine.py` of one project is not taken for that of the
    next in the same process.
    """
    place = str(folder.resolve())
    _FOLDERS.add(place)
    sys.path.append(place)
    over = _FOLDERS.difference(os.path.realpath(entry) for entry in sys.path)
    for name in [name for name in sys.modules if _folder_of(name) in over]:
        del sys.modules[name]
    try:
        yield
    finally:
        sys.path.reverse()
        sys.path.remove(place)
        sys.path.reverse()


_FOLDERS: set[str] = set()  # whose modules were importable at some time


def _folder_of(module: str) -> str | None:
    """The folder from which a module, or the package that it is in, was imported."""
    file = getattr(sys.modules.get(module.partition(".")[0]), "__file__", None)
    if not isinstance(file, str):
        return None
    path = Path(file)
    return str((path.parent if path.stem == "__init__" else path).parent)


def _load(place: str, name: str) -> Any:
    module, _, path = place.partition(":")
    if not module or module.startswith(".") or not path:
        raise CounterpointError(f"{place!r} is not a place", hint="a place looks like package.module:object")
    try:
        loaded: Any = import_module(module)
        for part in path.split("."):
            loaded = getattr(loaded, part)
    except (ImportError, AttributeError) as problem:
        typed = "modules of the current folder and installed packages are found"
        hint = typed if place == name else f"it is named by {name!r}"
        raise CounterpointError(f"{place} cannot be loaded: {problem}", hint=hint) from problem
    except Exception as problem:  # what a module does when it is imported may raise anything
        frame = traceback.extract_tb(problem.__traceback__)[-1]
        line = "" if isinstance(problem, SyntaxError) else f" ({Path(frame.filename).name}, line {frame.lineno})"
        fact = f"{place} cannot be loaded: {type(problem).__name__}: {problem}{line}"
        raise CounterpointError(fact, hint=f"python -c 'import {module}' shows more") from problem
    return loaded


def find_all(table: str, find_one: Callable[[str], Any] | None = None) -> Iterator[tuple[str, Any]]:
    """Every object of a table with its name; a plug-in that cannot be loaded is left out, with a warning."""
    for name in rows(table):
        try:
            loaded = (find_one or partial(find, table))(name)
        except CounterpointError as problem:
            if name in TABLES[table]:
                raise
            logger.warning("the plug-in %s is left out: %s", name, problem)
        else:
            yield name, loaded


@cache
def metrics() -> "tuple[Metric, ...]":
    """Every metric, ours and those of installed plug-ins.

    >>> [metric.title for metric in metrics()][:2]
    ['Accuracy at the threshold', 'Ranking accuracy']
    """
    return tuple(found for _, found in find_all("metrics", metric))


def metric(name: str) -> "Metric":
    """The metric of this name.

    >>> metric("self_consistency").title
    'Self-consistency'
    """
    return _metric(find("metrics", name), name)


def resolve_metric(typed: str) -> "Metric":
    """The metric that a user typed: its name, or its place in code."""
    return _metric(resolve("metrics", typed), typed)


def _metric(loaded: Any, name: str) -> "Metric":
    from counterpoint.metrics.metric import Ratio, Statistic  # listing names loads no metric

    if not isinstance(loaded, Ratio | Statistic):
        raise CounterpointError(f"{name} is no metric", hint="see how-to/add-a-metric")
    return loaded


def model(name: str, pictures: Pictures, settings: Mapping[str, Any] | None = None) -> Model:
    """The model of this name, which takes its pixels from `pictures`; settings are as people type them.

    A name is one of the table of models, a place in your own code (`package.module:object`), or a way of reaching
    models and a name that is known there (`hf/openai/clip-vit-base-patch32`).
    """
    from counterpoint.models.settings import convert_settings  # listing what there is loads no model

    make = _model_factory(name)
    with importable(Path.cwd()) if ":" in name else nullcontext():
        made = make(pictures, **convert_settings(make, settings or {}, name))
    if not isinstance(made, Model):
        raise ModelError(f"{name} gave no model", hint="a model has a fingerprint, and answers or scores")
    return made


def check_model_settings(name: str, settings: Mapping[str, str]) -> None:
    """Raise an error where a model takes no such setting, or not such a value; the model is not made.

    >>> check_model_settings("openai/gpt", {"temprature": "0"})
    Traceback (most recent call last):
    counterpoint.core.errors.UnknownName: no setting of openai/gpt is called 'temprature'
    """
    from counterpoint.models.settings import convert_settings

    convert_settings(_model_factory(name), settings, name)


def _model_factory(name: str) -> Callable[..., Any]:
    from counterpoint.models.own.functions import load_own_model

    way, slash, known_there = name.partition("/")
    if slash and (way in TABLES["ways"] or way in rows("ways")):
        return partial(find("ways", way), known_there)
    if ":" in name:
        return partial(load_own_model, resolve("models", name), name)
    factory: Callable[..., Any] = find("models", name)
    return factory

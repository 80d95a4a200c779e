"""Counterpoint tells whether a vision-language model understands, or only answers.

>>> import counterpoint as cp
>>> world = cp.World("test", scenes=3)
>>> [scene.place for scene in world.scenes()]
['street', 'kitchen', 'garden']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from counterpoint._version import __version__

if TYPE_CHECKING:
    from counterpoint.catalog import model
    from counterpoint.checks.check import Check, Rejections
    from counterpoint.core.costs import Usage
    from counterpoint.core.errors import CounterpointError, SourceError, UnknownName
    from counterpoint.core.extras import install_command
    from counterpoint.core.groups import Answer, Gold, Group, Mode, Query, Relation, State
    from counterpoint.core.ids import hex_id
    from counterpoint.core.items import Caption, Dialogue, Frame, Question
    from counterpoint.core.pictures import Box, Edit, Picture, Size
    from counterpoint.core.ports import Answerer, FeatureModel, Sampler, Scale, Scorer
    from counterpoint.core.scenes import Link, Scene, SceneObject
    from counterpoint.explorer.page import PageEntry, PageRequest, PageView
    from counterpoint.explorer.server import export_site, serve
    from counterpoint.lab.asking import ask
    from counterpoint.lab.augmentation import augment
    from counterpoint.lab.comparison import Comparison, Coverage
    from counterpoint.lab.contents import verify_folder
    from counterpoint.lab.descriptions import describe_data
    from counterpoint.lab.diagnosis import Diagnosis, diagnose
    from counterpoint.lab.evaluation.evaluation import EvaluationFile, load_evaluation
    from counterpoint.lab.evaluation.report import EvaluationEstimate, EvaluationReport
    from counterpoint.lab.failures import FailedGroup, Failures
    from counterpoint.lab.findings import Finding, Findings
    from counterpoint.lab.gating import GateReport
    from counterpoint.lab.generated_suites import GeneratedSuites
    from counterpoint.lab.group_notes import GroupNote, GroupNotes
    from counterpoint.lab.lab import Lab
    from counterpoint.lab.listing import catalog_names, list_catalog
    from counterpoint.lab.memory_evaluation import Evaluation, evaluate
    from counterpoint.lab.progress import ProgressEvent
    from counterpoint.lab.reader import LabReader
    from counterpoint.lab.results import LabResult, LabTable
    from counterpoint.lab.run_estimates import RunEstimate
    from counterpoint.lab.running import RunReport
    from counterpoint.lab.saved_slices import SavedSlice
    from counterpoint.lab.scores import ModelScore, Scores
    from counterpoint.lab.source_items import open_source
    from counterpoint.lab.studies import study
    from counterpoint.lab.translation import translate
    from counterpoint.lab.world_files import draw_contact_sheet, write_world
    from counterpoint.language import english
    from counterpoint.language.answers.extraction import extract_answer
    from counterpoint.metrics.contrast import contrast_consistency
    from counterpoint.metrics.metric import Ratio, Statistic
    from counterpoint.metrics.units import Pairs, Sets, Singles
    from counterpoint.models.hf.regions import RegionFile
    from counterpoint.models.settings import parse_settings
    from counterpoint.pictures.folders import PictureFolders
    from counterpoint.sources.dataset import DataSet, File, Source
    from counterpoint.sources.reading.records import clip_box
    from counterpoint.store.versions import ModelVersion
    from counterpoint.suites.robustness.picture_changes import noise_suite
    from counterpoint.suites.suite import Rejection, Suite, generate_groups
    from counterpoint.world.source import World

__all__ = [
    "Answer",
    "Answerer",
    "Box",
    "Caption",
    "Check",
    "Comparison",
    "CounterpointError",
    "Coverage",
    "DataSet",
    "Diagnosis",
    "Dialogue",
    "Edit",
    "Evaluation",
    "EvaluationEstimate",
    "EvaluationFile",
    "EvaluationReport",
    "FailedGroup",
    "Failures",
    "FeatureModel",
    "File",
    "Finding",
    "Findings",
    "Frame",
    "GateReport",
    "GeneratedSuites",
    "Gold",
    "Group",
    "GroupNote",
    "GroupNotes",
    "Lab",
    "LabReader",
    "LabResult",
    "LabTable",
    "Link",
    "Mode",
    "ModelScore",
    "ModelVersion",
    "PageEntry",
    "PageRequest",
    "PageView",
    "Pairs",
    "Picture",
    "PictureFolders",
    "ProgressEvent",
    "Query",
    "Question",
    "Ratio",
    "RegionFile",
    "Rejection",
    "Rejections",
    "Relation",
    "RunEstimate",
    "RunReport",
    "Sampler",
    "SavedSlice",
    "Scale",
    "Scene",
    "SceneObject",
    "Scorer",
    "Scores",
    "Sets",
    "Singles",
    "Size",
    "Source",
    "SourceError",
    "State",
    "Statistic",
    "Suite",
    "UnknownName",
    "Usage",
    "World",
    "__version__",
    "ask",
    "augment",
    "catalog_names",
    "clip_box",
    "contrast_consistency",
    "describe_data",
    "diagnose",
    "draw_contact_sheet",
    "english",
    "evaluate",
    "export_site",
    "extract_answer",
    "generate_groups",
    "hex_id",
    "install_command",
    "list_catalog",
    "load_evaluation",
    "model",
    "noise_suite",
    "open_source",
    "parse_settings",
    "serve",
    "study",
    "translate",
    "verify_folder",
    "write_world",
]

_HOMES = {
    "catalog": ("model",),
    "checks.check": ("Check", "Rejections"),
    "core.costs": ("Usage",),
    "core.errors": ("CounterpointError", "SourceError", "UnknownName"),
    "core.extras": ("install_command",),
    "core.groups": ("Answer", "Gold", "Group", "Mode", "Query", "Relation", "State"),
    "core.items": ("Caption", "Dialogue", "Frame", "Question"),
    "core.pictures": ("Box", "Edit", "Picture", "Size"),
    "core.ports": ("Answerer", "FeatureModel", "Sampler", "Scale", "Scorer"),
    "core.scenes": ("Link", "Scene", "SceneObject"),
    "core.ids": ("hex_id",),
    "language.answers.extraction": ("extract_answer",),
    "metrics.contrast": ("contrast_consistency",),
    "models.hf.regions": ("RegionFile",),
    "sources.reading.records": ("clip_box",),
    "suites.robustness.picture_changes": ("noise_suite",),
    "explorer.page": ("PageEntry", "PageRequest", "PageView"),
    "explorer.server": ("export_site", "serve"),
    "lab.asking": ("ask",),
    "lab.augmentation": ("augment",),
    "lab.comparison": ("Comparison", "Coverage"),
    "lab.contents": ("verify_folder",),
    "lab.descriptions": ("describe_data",),
    "lab.evaluation.evaluation": ("EvaluationFile", "load_evaluation"),
    "lab.evaluation.report": ("EvaluationEstimate", "EvaluationReport"),
    "lab.diagnosis": ("Diagnosis", "diagnose"),
    "lab.failures": ("FailedGroup", "Failures"),
    "lab.findings": ("Finding", "Findings"),
    "lab.gating": ("GateReport",),
    "lab.generated_suites": ("GeneratedSuites",),
    "lab.lab": ("Lab",),
    "lab.listing": ("catalog_names", "list_catalog"),
    "lab.memory_evaluation": ("Evaluation", "evaluate"),
    "lab.progress": ("ProgressEvent",),
    "lab.reader": ("LabReader",),
    "lab.results": ("LabResult", "LabTable"),
    "lab.run_estimates": ("RunEstimate",),
    "lab.running": ("RunReport",),
    "lab.group_notes": ("GroupNote", "GroupNotes"),
    "lab.saved_slices": ("SavedSlice",),
    "lab.scores": ("ModelScore", "Scores"),
    "lab.source_items": ("open_source",),
    "lab.studies": ("study",),
    "lab.translation": ("translate",),
    "lab.world_files": ("draw_contact_sheet", "write_world"),
    "language": ("english",),
    "metrics.metric": ("Ratio", "Statistic"),
    "metrics.units": ("Pairs", "Sets", "Singles"),
    "models.settings": ("parse_settings",),
    "pictures.folders": ("PictureFolders",),
    "sources.dataset": ("DataSet", "File", "Source"),
    "store.versions": ("ModelVersion",),
    "suites.suite": ("Rejection", "Suite", "generate_groups"),
    "world.source": ("World",),
}


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used, so that `import counterpoint` costs nothing."""
    for home, names in _HOMES.items():
        if name in names:
            module = f"counterpoint.{home}"
            found = getattr(import_module(module), name, None)
            return import_module(f"{module}.{name}") if found is None else found
    raise AttributeError(f"module 'counterpoint' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

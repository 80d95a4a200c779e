"""Studies by name: experiments on a lab or on the built-in world."""

from collections.abc import Mapping
from typing import Any

from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.lab.blind_study import blind_study
from counterpoint.lab.plain_study import plain_study
from counterpoint.lab.progress import ProgressCallback, ignore_progress
from counterpoint.lab.rad_study import rad_coverage, rad_study
from counterpoint.lab.results import LabResult
from counterpoint.store.lab import LabStore

STUDIES = ("blind", "plain", "rad", "rad-coverage")
"""Text-only baselines of a lab, accuracy on plain questions, RAD as a predictor, and the coverage of augmentations."""


def study(name: str, *, progress: ProgressCallback = ignore_progress, **request: Any) -> LabResult[Any]:
    """Run a study that needs no lab: plain (accuracy on the built-in world), rad, rad-coverage.

    >>> study("rad").records()[0]["intercept"]
    False
    """
    return run_study(None, name, request, progress)


def run_study(
    lab: LabStore | None, study: str, request: Mapping[str, Any], progress: ProgressCallback
) -> LabResult[Any]:
    """Run a study; `rad` takes the models of the lab where no other place is given."""
    match study:
        case "blind" if lab is None:
            raise CounterpointError("the study blind needs a lab", hint="Lab(FOLDER).study('blind') ranks its captions")
        case "blind":
            assert lab is not None, "the case above is that of no lab"
            return blind_study(lab, **request, progress=progress)
        case "plain":
            return plain_study(**request, progress=progress)
        case "rad":
            return rad_study(**{"place": lab.folder if lab else None, **request})
        case "rad-coverage":
            return rad_coverage(**request, progress=progress)
    raise UnknownName("study", study, STUDIES)

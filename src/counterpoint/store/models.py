"""The models of a lab, each with the name that people read and the slug that addresses and tables use."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from counterpoint.store.lab import LabStore


@dataclass(frozen=True, slots=True)
class LabModel:
    """A version of a model in a lab: its display name, its slug, its fingerprint, and a remark about it."""

    name: str
    slug: str
    fingerprint: str
    detail: str = ""


def list_models(lab: LabStore) -> tuple[LabModel, ...]:
    """Return every version of every model of a lab, in the order of the lab; no two have the same slug."""
    models: list[LabModel] = []
    slugs: set[str] = set()
    for version in lab.versions():
        slug = _slug(version.title)
        slug = slug if slug not in slugs else f"{slug}-{len(slugs)}"
        slugs.add(slug)
        models.append(LabModel(version.title, slug, version.fingerprint, _remark(version.details)))
    return tuple(models)


def _slug(name: str) -> str:
    """Replace what is not fit for an address: letters, digits and `._@-` stay."""
    return re.sub(r"[^A-Za-z0-9._@-]+", "-", name).strip("-.") or "model"


def _remark(details: Mapping[str, Any]) -> str:
    """Say how often a model's answers depend on the batch, if its run has measured that."""
    share = details.get("disagreement")
    return f"{share:.1%} of answers change with the batch" if share else ""

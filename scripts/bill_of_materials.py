"""The packages of an environment with versions and licences, as a CycloneDX 1.6 document."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

PERMISSIVE = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "LicenseRef-WordNet",
    "MIT",
    "MIT-CMU",
    "PSF-2.0",
    "Zlib",
}
"""Licences that a package may have without being named in NOTICE."""
SPELLINGS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "MIT License": "MIT",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: MIT License": "MIT",
}
"""What packages without a licence expression say, as the SPDX identifier."""


@dataclass(frozen=True, slots=True)
class Component:
    """A package: name, version, licence as an SPDX expression, and the packages that it needs and that are there."""

    name: str
    version: str
    licence: str
    needs: tuple[str, ...] = ()

    @property
    def purl(self) -> str:
        """The package URL."""
        return f"pkg:pypi/{self.name}@{self.version}"


def read_components(packages: Path) -> list[Component]:
    """The packages in a folder such as `site-packages`, by name."""
    found = {_name(own.name): own for own in distributions(path=[str(packages)])}
    return [
        Component(name, own.version, _licence(own), tuple(sorted(_needs(own) & set(found))))
        for name, own in sorted(found.items())
    ]


def find_unlisted(components: Iterable[Component], notice: str) -> list[str]:
    """The packages whose licence is neither permissive nor named in the notice, with their licence.

    >>> find_unlisted([Component("a", "1", "MIT"), Component("b", "1", "GPL-3.0-only")], "")
    ['b: GPL-3.0-only']
    """
    return [
        f"{own.name}: {own.licence or 'no licence told'}"
        for own in components
        if not set(re.split(r" AND | OR ", own.licence)) <= PERMISSIVE and own.name not in notice.lower()
    ]


def make_bill(components: Sequence[Component], main: str, digests: Mapping[str, str], timestamp: str) -> dict[str, Any]:
    """The CycloneDX document of a package; digests are by file name, and the serial number follows from them."""
    (root,) = (own for own in components if own.name == main)
    hashes = [{"alg": "SHA-256", "content": digest} for _, digest in sorted(digests.items())]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, root.purl + ''.join(sorted(digests.values())))}",
        "version": 1,
        "metadata": {"timestamp": timestamp, "component": _entry(root, "application") | {"hashes": hashes}},
        "components": [_entry(own, "library") for own in components if own is not root],
        "dependencies": [
            {"ref": own.purl, "dependsOn": [other.purl for other in components if other.name in own.needs]}
            for own in components
        ],
    }


def _entry(own: Component, kind: str) -> dict[str, Any]:
    entry = {"type": kind, "bom-ref": own.purl, "name": own.name, "version": own.version, "purl": own.purl}
    return entry | ({"licenses": [{"expression": own.licence}]} if own.licence else {})


def _licence(own: Distribution) -> str:
    about = own.metadata
    if expression := about.get_all("License-Expression"):
        return str(expression[0])
    texts = [text for key in ("License", "Classifier") for text in about.get_all(key) or ()]
    told = [SPELLINGS.get(text, text if text in PERMISSIVE else "") for text in texts]
    return next(filter(None, told), "")


def _needs(own: Distribution) -> set[str]:
    """The names of its requirements without those of extras."""
    lines = [line for line in own.requires or () if "extra ==" not in line]
    return {_name(re.split(r"[\s;<>=!~\[(]", line)[0]) for line in lines}


def _name(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text).lower()

"""The lock file and the software bill of materials: ``make lock`` and ``make sbom``.

``requirements.lock`` has each distribution that the program needs, at the tested version, with the hashes of
its files and no URL: ``pip install --require-hashes -r requirements.lock`` accepts nothing else. The bill of
materials is CycloneDX 1.5 in JSON, created from the lock file: https://cyclonedx.org/docs/1.5/json/
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
SBOM = ROOT / "dist" / "narrowcast.cdx.json"
_ENTRY = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)(?:\s*;\s*([^\\\n]+?))?\s*\\?$")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def locked(text: str) -> dict[str, tuple[str, list[str]]]:
    """Returns version and SHA-256 hashes of the files, by the name of each distribution in a lock file."""
    found: dict[str, tuple[str, list[str]]] = {}
    name = ""
    for line in text.splitlines():
        if entry := _ENTRY.match(line):
            name = entry.group(1)
            found[name] = (entry.group(2), [])
        elif digest := _HASH.search(line):
            found[name][1].append(digest.group(1))
    return found


def bill_of_materials(text: str, version: str) -> dict[str, Any]:
    """Returns the components of a lock file, as CycloneDX."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "narrowcast",
                "version": version,
                "bom-ref": f"pkg:pypi/narrowcast@{version}",
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": [
            {
                "type": "library",
                "name": name,
                "version": number,
                "bom-ref": f"pkg:pypi/{name}@{number}",
                "purl": f"pkg:pypi/{name}@{number}",
                "externalReferences": [
                    {
                        "type": "distribution",
                        "url": f"pkg:pypi/{name}@{number}",
                        "hashes": [{"alg": "SHA-256", "content": digest} for digest in digests],
                    }
                ],
            }
            for name, (number, digests) in locked(text).items()
        ],
    }


def write_lock() -> None:
    """Resolves the dependencies again, for every supported platform and Python. Needs uv."""
    command = [
        "uv",
        "pip",
        "compile",
        "--universal",
        "--python-version",
        "3.11",
        "--generate-hashes",
        "--upgrade",
    ]
    quiet = [
        "--quiet",
        "--no-header",
        "--no-annotate",
        "--no-emit-index-url",
        "--extra",
        "images",
        "--extra",
        "keyring",
        "--extra",
        "socks",
    ]
    subprocess.run([*command, *quiet, "--output-file", str(LOCK), "pyproject.toml"], cwd=ROOT, check=True)


def write_sbom() -> None:
    from narrowcast_api.version import VERSION

    SBOM.parent.mkdir(exist_ok=True)
    bill = bill_of_materials(LOCK.read_text(encoding="utf-8"), VERSION)
    SBOM.write_text(json.dumps(bill, indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(f"{SBOM}: {len(bill['components'])} components\n")


if __name__ == "__main__":
    {"lock": write_lock, "sbom": write_sbom}[sys.argv[1]]()

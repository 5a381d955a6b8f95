"""The lock file and the bill of materials match the program's dependencies."""

from __future__ import annotations

import tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from inventory import LOCK, ROOT, bill_of_materials, locked

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
NEEDED = [Requirement(text) for text in (*PROJECT["dependencies"], *EXTRAS["images"], *EXTRAS["keyring"])]


def test_the_lock_has_what_the_project_asks_for_and_nothing_outside_its_bounds() -> None:
    have = locked(LOCK.read_text())
    for requirement in NEEDED:
        version, _ = have[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), requirement


def test_every_distribution_of_the_lock_has_hashes_and_no_address() -> None:
    text = LOCK.read_text()
    have = locked(text)
    assert len(have) > len(NEEDED)
    assert all(digests for _, digests in have.values())
    assert "://" not in text


def test_the_list_of_components_is_that_of_the_lock() -> None:
    text = LOCK.read_text()
    bill = bill_of_materials(text, "1.2.3")
    assert bill["metadata"]["component"]["version"] == "1.2.3"
    assert [(one["name"], one["version"]) for one in bill["components"]] == [
        (name, version) for name, (version, _) in locked(text).items()
    ]
    references = [one["bom-ref"] for one in bill["components"]]
    assert len(set(references)) == len(references)

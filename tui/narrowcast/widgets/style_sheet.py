"""The style sheets of the widgets: `.tcss` files beside their modules."""

from __future__ import annotations

from importlib import resources


def style_sheet(module: str) -> str:
    """Returns the text of the `.tcss` file with the name of the module, beside it."""
    # Not CSS_PATH: its rules would win over those of every widget's class, also of extensions; and it cannot be read
    # from a zip file.
    package, _, name = module.rpartition(".")
    return resources.files(package).joinpath(f"{name}.tcss").read_text(encoding="utf-8")

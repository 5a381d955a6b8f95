"""The reason why the current user may not do something."""

from __future__ import annotations


class Refusal(str):
    """A sentence that says who may do something; empty, and so false, if the current user may.

    `short` is the shortest form, for display beside a disabled item: 'only organization owners'. By default
    it is the sentence itself.
    """

    __slots__ = ("short",)
    short: str

    def __new__(cls, sentence: str = "", short: str | None = None) -> Refusal:
        refusal = super().__new__(cls, sentence)
        refusal.short = sentence if short is None else short
        return refusal


ALLOWED = Refusal()
"""The result of a rule if the current user may do it."""

"""The archive that a Zulip server exports and imports, written from a data folder and read into a new one.

`writing` makes it, `reading` takes it in; both know the format by `layout` (files, levels) and `numbers`.
"""

"""The archive that Zulip servers export and import: written from a data folder, and read into a new one.

`writing` and `reading` share the format: `layout` (files, levels), `numbers` and `emoji`.
"""

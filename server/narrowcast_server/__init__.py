"""The embedded server: one process, one SQLite file, every feature level of the contract.

Layers, each calling only those below it: `routes` (parameters, levels, answers), `actions` (who may, what changes,
which events follow) with `queries` and `snapshot` (what is read), `core` (the open organization: people, channels,
groups, the hub of event queues), `store` (SQLite). `markdown` renders, `uploads` keeps files, `demo` fills an
organization and brings it to life; `serve` starts it all.
"""

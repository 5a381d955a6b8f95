"""The embedded server: one process, one SQLite file, every feature level of the contract.

Layers, each calling only those below it: `routes` (parameters, levels, responses), `actions` (permissions,
changes, events) with `queries` (reads, including snapshots), `organization` (the running organization: users,
channels, groups, event queues), `storage` (SQLite). `markdown` renders, `uploads` stores files, `demo` fills
an organization and simulates its people; `serve` starts everything.
"""

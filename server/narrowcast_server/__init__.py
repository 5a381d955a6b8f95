"""The embedded server: one process, one SQLite file, every feature level of the contract.

Layers, each calling only those below it: `routes` (all operations, and those of no resource), `resources` (each with
its operations, changes and events), `actions` (what several of them share), `queries` (reads, including snapshots),
`rules` (permissions), `organization` (the running organization: users, channels, groups, event queues), `storage`
(SQLite). `markdown` renders, `uploads` stores files, `demo` fills an organization and simulates its people; `serve`
starts everything.
"""

"""The state machines of a live account: what must be sent to the server, when, and what happens if that
fails.

None of them knows HTTP: requests are passed in as callables and time as a `Clock`; what must survive a
restart is kept in the journal, and changes are published through a `changed` callback. Cheap to import.
"""

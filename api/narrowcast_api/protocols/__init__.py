"""The state machines of a live account: what has to be said to the server, when, and what if it fails.

None of them knows HTTP: requests are passed in as callables, time as a `Clock`, what has to survive goes
through the journal, and what changed is published through a `changed` callback. Cheap to import.
"""

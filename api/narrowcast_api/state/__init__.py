"""The live account: a snapshot, the events applied to it, and what each of them changed.

`state.State` is the whole, `apply_*` have a handler for each kind of event, `changes` says what changed; the other
modules are the parts: people, channels, topics, messages, unreads and so on. No input or output.
"""

"""The live account: a snapshot, the events applied to it, and what each of them changed."""

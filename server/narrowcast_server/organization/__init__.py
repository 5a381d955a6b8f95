"""The organization: its in-memory records, its settings, its clock, and the event queues of its clients."""

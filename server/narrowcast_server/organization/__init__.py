"""What an organization is: its records in memory, its settings, its clock, and the events of its changes."""

"""The table of all commands with their keys, users' changes to them, and keys as shown."""

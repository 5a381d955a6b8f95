"""User groups: their members and permissions."""

"""The user's files: the configuration and its themes, the stored accounts."""

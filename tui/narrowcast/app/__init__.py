"""The app: its life cycle, accounts, configuration and themes."""

"""The app: its life from start to end, its account, configuration and themes."""

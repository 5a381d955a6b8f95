"""A live account: session, synchronizer, change bus, message views, startup cache."""

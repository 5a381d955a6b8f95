"""One live account kept true: session, synchronizer, change bus, message lists, startup cache."""

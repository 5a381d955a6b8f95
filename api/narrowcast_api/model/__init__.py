"""One frozen record type per kind of object of the service, with one reader for snapshots, events and responses."""

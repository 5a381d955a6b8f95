"""One frozen record per thing of the service, each with the one reader of it: for snapshots, events and answers."""

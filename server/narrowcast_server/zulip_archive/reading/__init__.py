"""From an archive to a new data folder: all of it, or nothing."""

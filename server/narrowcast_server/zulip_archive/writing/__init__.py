"""From a data folder to an archive, also while it is served."""

"""The operator's tools, run from the command line of the server's machine."""

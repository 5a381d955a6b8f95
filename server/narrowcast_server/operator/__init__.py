"""What the operator does from the command line of the server's machine."""

"""Message content: the server's rendered HTML as blocks, and blocks as rows of the terminal."""

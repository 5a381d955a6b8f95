"""Recent conversations and the inbox: all conversations as full views."""

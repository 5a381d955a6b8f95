"""The user's account: muted users, two-factor authentication, the accounts on this machine, and the server."""

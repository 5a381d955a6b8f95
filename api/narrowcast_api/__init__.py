"""The async client library of a team-chat service: no terminal, no user interface."""

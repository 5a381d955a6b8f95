"""Outgoing email: settings, message format, SMTP. Independent of the organization and its store."""

"""Screens about messages: versions, pictures, preview, drafts, outbox."""

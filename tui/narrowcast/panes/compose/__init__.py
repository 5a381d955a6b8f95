"""The compose pane: target, draft, completion, uploads."""

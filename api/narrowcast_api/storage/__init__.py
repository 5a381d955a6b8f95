"""What one account keeps on disk: a journal that must not be lost, and a disposable cache. Cheap to import.

`journal` has drafts and unsent messages, durable when a write's future resolves with True; `cache` has
messages, views and the last snapshot, and may be deleted at any time; `account_storage` opens both behind a
lock.
"""

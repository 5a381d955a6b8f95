"""What one account keeps on disk: a journal that is precious and a cache that is not. Cheap to import.

`journal` has drafts and messages on their way, durable when a write is promised; `cache` has messages, views and the
last snapshot, and may be deleted at any time; `account_storage` opens both behind a lock.
"""

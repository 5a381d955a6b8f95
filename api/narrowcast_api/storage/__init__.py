"""What one account keeps on disk: a journal that is precious and a cache that is not. Cheap to import."""

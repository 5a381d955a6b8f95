"""Rules: permissions, access to channels and messages, which users are visible to whom, quotas."""

"""Who may do what: permissions, access to channels and messages, who knows of whom, quotas."""

"""Settings of oneself, of newcomers and of the organization: what they are called and how they are changed."""

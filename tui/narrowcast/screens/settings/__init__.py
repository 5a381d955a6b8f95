"""Settings of the user, of new users and of the organization: their titles and values, and how they are changed."""

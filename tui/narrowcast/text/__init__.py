"""Text for users: filtering, names, dates and times, matching; without a screen."""

"""Text for people: filtering, names, dates and times, matching. No screen."""

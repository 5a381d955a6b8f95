"""What an organization configures: invitations, linkifiers, playgrounds, emoji, profile fields, domains."""

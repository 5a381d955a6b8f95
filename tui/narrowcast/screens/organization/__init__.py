"""The organization's configuration: invitations, linkifiers, playgrounds, emoji, profile fields, domains, exports."""

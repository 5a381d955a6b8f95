"""Mail as it leaves the server: settings, letters, SMTP. Knows neither the organization nor its store."""

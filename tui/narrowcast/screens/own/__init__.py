"""What is one's own: alert words, views, files, the status."""

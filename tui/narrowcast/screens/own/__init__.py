"""The user's own alert words, views, files and status."""

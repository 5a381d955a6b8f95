"""Uploads and downloads of files: streamed from and to the disk, never held in memory as a whole."""

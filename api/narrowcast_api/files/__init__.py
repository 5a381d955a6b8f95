"""Files up and down: streamed from and to the disk, never held whole in memory."""

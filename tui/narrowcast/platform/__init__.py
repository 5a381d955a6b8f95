"""What differs from machine to machine: folders, logs, signals, the terminal, editors, clipboards."""

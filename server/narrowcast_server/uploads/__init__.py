"""Files that people send: kept below the data folder, seen by those who can see a message with the link."""

"""Small resources, one file each: queries, rules, actions and events, the part of the snapshot, routes."""

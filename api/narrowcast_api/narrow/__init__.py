"""What a view shows and where a message goes: narrows, their terms, destinations, dates."""

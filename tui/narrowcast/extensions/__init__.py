"""Extensions at work: found, loaded, watched. `narrowcast.extend` is what they are written with."""

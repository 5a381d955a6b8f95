"""Types and words as they travel between client and server.

``vocabulary`` is import-light; the other modules hold models, which msgspec makes. Nothing here knows HTTP.
"""

"""Types and words as they travel between client and server.

``vocabulary`` is import-light; the other modules hold pydantic models. Nothing here knows HTTP.
"""

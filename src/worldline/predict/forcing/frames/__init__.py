"""Teacher forcing in Meta's format, frame by frame."""

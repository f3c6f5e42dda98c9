"""`worldline step`: stepping through a scene in the terminal."""

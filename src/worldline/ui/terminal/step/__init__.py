"""`worldline step`: step through a session in the terminal."""

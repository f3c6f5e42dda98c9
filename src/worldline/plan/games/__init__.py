"""Games as plain Python classes: the rules of six games, and the loader for a user's own."""

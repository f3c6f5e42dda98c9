"""Games as plain Python classes: the rules of six, and how a user's own is taken."""

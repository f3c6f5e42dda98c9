"""Mine real functions from packages and files: extract them, make them self-contained, call them in sandboxes."""

"""Real functions out of installed packages and files: found, made self-contained, called in boxes."""

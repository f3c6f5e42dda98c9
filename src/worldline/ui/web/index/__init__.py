"""A run's directory as an index: read once, filtered, searched, listed."""

"""An index of a run's directory: read once, then filtered, searched and listed."""

"""Programs of one's own as a suite, and a suite asked in one call from Python."""

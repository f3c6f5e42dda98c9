"""Learning from failures: measure a model on fresh drills, and adjust what it trains on."""

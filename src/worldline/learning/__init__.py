"""Learning from failures: what a model fails at on fresh drills, and what it should see more of."""

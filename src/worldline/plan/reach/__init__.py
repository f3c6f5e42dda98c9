"""Search in a model's own state: which commands bring a small machine to a goal, in the fewest real executions."""

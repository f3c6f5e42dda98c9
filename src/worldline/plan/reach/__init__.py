"""Search in a model's own state: which commands bring a small machine to a goal, with the fewest executions."""

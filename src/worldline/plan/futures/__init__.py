"""What could happen: the distribution over a program's futures, and a model's belief beside it."""

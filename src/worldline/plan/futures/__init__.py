"""What could happen: the distribution over a program's futures, compared with a model's belief."""

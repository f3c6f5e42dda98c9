"""What a program's text does not determine: decided by a seed, by a record or by the machine, and told."""

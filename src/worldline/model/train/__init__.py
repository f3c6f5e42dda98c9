"""Training: the loop, what it minimises, how it steps, starts, is fed and measured."""

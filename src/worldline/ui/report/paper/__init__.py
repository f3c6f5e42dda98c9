"""Published tables for any model: which runs each needs, how its rows are made, and the figures beside it."""

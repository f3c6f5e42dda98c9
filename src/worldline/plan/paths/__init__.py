"""The paths that a function can take: classes of inputs, found at random and by a solver, each recorded."""

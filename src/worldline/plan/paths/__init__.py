"""The paths through a function: classes of inputs, found at random and by a solver, each recorded."""

"""Language coverage: the constructs that a set of programs executed, and those that it must execute."""

"""Expected values of tests: read from a file, executed in the sandbox, then checked or filled in."""

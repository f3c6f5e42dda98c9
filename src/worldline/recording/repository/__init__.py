"""Record the tests of a repository: its environment, its licence and its tests in the sandbox."""

"""Expected values of tests: found in a file, run in the box, checked or filled in; a model has a second opinion."""

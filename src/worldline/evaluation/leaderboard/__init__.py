"""Runs of many models as one board: rows are models and ways of asking, columns are suites on the same programs."""

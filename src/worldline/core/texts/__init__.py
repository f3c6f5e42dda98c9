"""The texts of a trace, where large values are kept as changes."""

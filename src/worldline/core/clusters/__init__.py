"""Rates of values that come in clusters, such as the values of one program."""

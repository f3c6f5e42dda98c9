"""Suites of programs in other languages than Python, and readers of the literals and calls in their tests."""

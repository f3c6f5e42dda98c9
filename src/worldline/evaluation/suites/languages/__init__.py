"""Suites of programs in other languages than Python, and what their own files say: literals, calls, functions."""

"""Stepping through runs, true and imagined, two of them row by row, and branches that grow from them."""

"""Datasets of recorded tests: what the functions of repositories did when their own tests called them."""

"""Compares the traces of one test on two revisions of its repository."""

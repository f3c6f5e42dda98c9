"""Predictions that look up recorded steps of the same code."""

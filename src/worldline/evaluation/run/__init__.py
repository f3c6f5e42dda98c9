"""Runs a suite on a predictor, and stores the run as an append-only directory."""

"""Predictors: everything that continues a trace, behind one protocol (`predictor`)."""

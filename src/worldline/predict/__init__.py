"""Anything that continues a trace: one seam (`predictor`), and those who stand behind it."""

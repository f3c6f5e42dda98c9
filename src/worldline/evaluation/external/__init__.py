"""Predictions made elsewhere: their files, the programs they are of, and how they are judged."""

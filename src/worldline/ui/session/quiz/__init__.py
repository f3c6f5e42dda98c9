"""Exercises: questions about the next step of a recorded run, and the verdicts on their answers."""

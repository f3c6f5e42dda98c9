"""Inputs that reach a goal: typed draws, constants, climbing, CrossHair; every answer is confirmed by a run."""

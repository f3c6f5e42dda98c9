"""Inputs that reach a goal: random, from constants, by climbing, by CrossHair; each is confirmed by an execution."""

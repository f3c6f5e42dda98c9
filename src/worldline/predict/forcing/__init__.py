"""Rollouts with a part of the truth put in the model's way: actions, states, edits, queries."""

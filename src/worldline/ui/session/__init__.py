"""Debugging sessions: true and predicted runs, compared row by row, with branches. Shared by all front ends."""

"""Forced rollouts of a model that writes Meta's format: frame by frame, a part of each being the true one."""

"""Teacher forcing: rollouts that are given part of the true trace."""

"""The zoo of small functions that the composition suite chains, and what reads it."""

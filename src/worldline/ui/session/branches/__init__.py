"""Branches of a session: the edit that creates one, the request that continues it, and its actual continuation."""

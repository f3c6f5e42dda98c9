"""Threads take turns at the accesses to what they may share: which accesses there are, and who is next."""

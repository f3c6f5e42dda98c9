"""A till whose tests fail: each wrong value is written by the line that is marked."""

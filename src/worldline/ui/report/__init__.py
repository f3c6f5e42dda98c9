"""Runs and debugged programs as self-contained pages: no script, no network, everything escaped."""

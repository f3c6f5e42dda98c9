"""Executes programs in a sandbox and records what they do; one guest per language speaks the wire format."""

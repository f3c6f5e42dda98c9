"""Traces into text or bytes, and back."""

"""Stored traces as expectations: recorded again, compared, and replaced where a change is meant."""

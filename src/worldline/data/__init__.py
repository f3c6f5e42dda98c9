"""Datasets on disk."""

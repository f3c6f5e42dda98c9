"""Puts this folder on the path, so that every test finds `strategies`, and keeps Hypothesis from timing anything."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("worldline", deadline=None, max_examples=100)
settings.load_profile("worldline")

"""The fixtures that the browser tests share."""

from browser import chromium

__all__ = ["chromium"]

"""Climb out by dots."""

import os

from outside import CANARY, MARK, attempt, read

up = "../" * 40
attempt(read, up + CANARY.lstrip("/"))
attempt(os.mkdir, up + MARK.lstrip("/"))

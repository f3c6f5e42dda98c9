"""A pytest plugin for speed.py: hunter prints every call with its arguments, every line and every result to a file."""

import os

import hunter

root, printed = os.environ["HUNTED_ROOT"], os.environ["HUNTED_FILE"]
hunter.trace(
    hunter.Q(filename_startswith=root, action=hunter.CallPrinter(stream=open(printed, "w", encoding="utf-8")))  # noqa: SIM115
)

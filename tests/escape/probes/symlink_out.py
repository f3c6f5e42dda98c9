"""Reach out through a symbolic link."""

import os

from outside import CANARY, MARK, attempt, read

os.symlink(os.path.dirname(MARK), "out")
attempt(read, os.path.join("out", os.path.basename(CANARY)))
attempt(os.mkdir, os.path.join("out", os.path.basename(MARK)))

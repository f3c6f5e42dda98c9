"""Read a file that lies beside the test."""

from outside import CANARY, attempt, read

attempt(read, CANARY)

"""Read the host's users."""

from outside import attempt, read

attempt(read, "/etc/passwd")

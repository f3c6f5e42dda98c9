"""Read the host's password hashes."""

from outside import attempt, read

attempt(read, "/etc/shadow")

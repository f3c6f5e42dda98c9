"""Execute a script in the sandbox over a copy of a folder, and decode what it did."""

"""The commands that record a program, or read what was recorded."""

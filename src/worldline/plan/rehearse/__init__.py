"""What a script would touch: executed in the sandbox over a copy of a folder, or predicted if that is impossible."""

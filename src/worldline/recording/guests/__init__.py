"""What runs beside the program, in its own interpreter. Imports nothing of the package."""

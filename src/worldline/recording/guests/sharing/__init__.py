"""Which names and values of a program are one object, for the readable core."""

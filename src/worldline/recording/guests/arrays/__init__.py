"""Read NumPy arrays and scalars without calling a method of the program. The readable twin of native/arrays.h."""

"""Decoding without torch: `reference` in NumPy is the specification, `native` its fast twin in C."""

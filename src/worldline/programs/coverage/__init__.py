"""Which constructs of the language a set of programs has really run, and which it must have run."""

"""The byte-level world model: its shape, its layers, its training, and the engine that runs it without torch."""

"""A branch of a scene: what made it, the ask that goes on from it, the interpreter's own continuation."""

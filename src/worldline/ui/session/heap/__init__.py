"""The values of a run as a graph: frames, boxes for objects, and arrows, at any step. Pure."""

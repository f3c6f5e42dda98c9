"""What a script would touch: from a run in the box over a copy of a folder, and imagined where it cannot be run."""

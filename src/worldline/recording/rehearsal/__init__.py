"""A script run in the box over a copy of a folder: the folder copied, the run, and what came back, decoded."""

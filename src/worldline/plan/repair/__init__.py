"""Repair: small changes of a program, the likeliest first, each verified by running its tests in the box."""

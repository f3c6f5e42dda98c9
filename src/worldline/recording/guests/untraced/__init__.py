"""Guests that run a program's code and record none of it: many calls of a function, or its paths by CrossHair."""

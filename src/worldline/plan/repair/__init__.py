"""Repair: small changes of a program, the most likely first, each verified by executing its tests in the sandbox."""

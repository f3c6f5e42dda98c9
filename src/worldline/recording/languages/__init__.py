"""Languages other than Python, on the host: their toolchains, what was prepared of a program, a call's arguments."""

"""Read the environment of process 1."""

from outside import attempt, read


def look():
    if read("/proc/1/environ") and b"CANARY" in open("/proc/1/environ", "rb").read():
        return "secret"
    raise OSError("nothing in it")


attempt(look)

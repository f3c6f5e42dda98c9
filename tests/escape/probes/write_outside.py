"""Write a file where the host would find it."""

from outside import MARK, attempt


def write():
    with open(MARK, "w") as file:
        return file.write("here")


attempt(write)

"""System V semaphores, 64 bytes of the kernel's memory each."""

from hoard import called, hoard, libc


def sizes():
    while True:
        called(libc.semget(0, 32_000, 0o1600))
        yield 32_000 * 64


hoard(sizes())

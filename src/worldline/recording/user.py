"""Whom root becomes for a box: a user that nobody else is, claimed for as long as the box stands.

The kernel counts pipe buffers, files in flight, epoll watches and pending signals by user, over all boxes that are
one: what a program uses up, another box would lack. A claim is an abstract socket's name, so that it ends with its
holder, however that ends. Boxes of other network namespaces do not see it; numbers are drawn from so many that they
do not meet. Only root needs this: anybody else stays who they are.
"""

from __future__ import annotations

import errno
import os
import socket
from dataclasses import dataclass
from pathlib import Path

# No account, service or container is given these: systemd's list of numbers leaves 1879048192 to 2147352575 to nobody.
FIRST, COUNT = 1_900_000_000, 200_000_000
SHARED = 65_533  # where a container maps few numbers: one for all boxes, and still nobody's but ours
_MAPS = ("/proc/self/uid_map", "/proc/self/gid_map")


@dataclass(frozen=True)
class BoxUser:
    """A user and, where it is one box's alone, the claim on it."""

    uid: int
    claim: socket.socket | None = None

    def release(self) -> None:
        """The box is gone: the number is free."""
        if self.claim is not None:
            self.claim.close()


def claim(*, maps: tuple[str, ...] = _MAPS) -> BoxUser:
    """A user of one's own, or the shared one where this user namespace has no others."""
    if not all(_maps(Path(path).read_text()) for path in maps):
        return BoxUser(SHARED)
    while True:
        uid = FIRST + int.from_bytes(os.urandom(8), "little") % COUNT
        name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            name.bind(f"\0worldline-box-{uid}")
        except OSError as error:
            name.close()
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            return BoxUser(uid, name)


def _maps(table: str) -> bool:
    """Whether a user namespace has all our numbers: lines of first number inside, first outside, how many."""
    ranges = (tuple(map(int, line.split())) for line in table.splitlines())
    return any(first <= FIRST and first + count >= FIRST + COUNT for first, _, count in ranges)

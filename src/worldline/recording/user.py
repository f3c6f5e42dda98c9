"""Claim a user for one sandbox: the unprivileged user that root becomes.

The kernel counts pipe buffers, files in flight, epoll watches and pending signals per user, so two
sandboxes with the same user would exhaust each other's resources. A claim is the name of an abstract
socket, which disappears with its holder. Sandboxes in other network namespaces do not see it, but
the range is so large that numbers do not collide. Only root needs this.
"""

from __future__ import annotations

import errno
import os
import socket
from dataclasses import dataclass
from pathlib import Path

# No account, service or container has these: systemd reserves 1879048192 to 2147352575 for nobody.
FIRST, COUNT = 1_900_000_000, 200_000_000
SHARED = 65_533  # for all sandboxes, if a container maps few numbers
_MAPS = ("/proc/self/uid_map", "/proc/self/gid_map")


@dataclass(frozen=True)
class SandboxUser:
    """A user and, if it belongs to one sandbox alone, the claim on it."""

    uid: int
    claim: socket.socket | None = None

    def release(self) -> None:
        """Release the number when the sandbox is gone."""
        if self.claim is not None:
            self.claim.close()


def claim(*, maps: tuple[str, ...] = _MAPS) -> SandboxUser:
    """Claim an unused user, or return the shared one if this user namespace has no others."""
    if not all(_maps(Path(path).read_text()) for path in maps):
        return SandboxUser(SHARED)
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
            return SandboxUser(uid, name)


def _maps(table: str) -> bool:
    """Tell whether a user namespace contains our range: lines of first inside, first outside, count."""
    ranges = (tuple(map(int, line.split())) for line in table.splitlines())
    return any(first <= FIRST and first + count >= FIRST + COUNT for first, _, count in ranges)

"""Where clients come from: standard input, or a port of this machine, one client at a time.

On standard streams the protocol has them for itself: whatever else would be printed goes to standard error. A port is
of the loopback only, and takes connections of the user who opened it and of nobody else: the kernel says whose a local
connection is. A stream that is not framed as the protocol wants is closed there, so that an HTTP request, which any
web page may send, is never taken for one.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.ui.dap.adapter import Adapter, InboxItem, SharedResources
from worldline.ui.dap.launching import ModelCache
from worldline.ui.dap.wire import BadMessage, MessageDecoder, frame
from worldline.ui.session.rollout_worker import RolloutWorker

PATIENCE = 5.0  # seconds for a model to notice that nobody listens any more
CHUNK = 1 << 16
WAITING = 256  # messages that were read and not answered


def serve_dap(
    port: int | None = None, *, host: str = "127.0.0.1", ready: Callable[[int], None] | None = None
) -> None:
    """Serve the Debug Adapter Protocol: editors step through what a model predicts.

    Args:
        port: Listen there for one client after the other, without an end; 0 takes any free port. By default one
            client is served on standard input and output.
        host: An address of the loopback.
        ready: Called with the port when it listens.

    Raises:
        UsageError: The address is not of the loopback.
    """
    if port is None:
        serve_stdio()
    else:
        serve_port(port, host=host, ready=ready)


def serve_stdio() -> None:
    """One client, on standard input and output."""
    ours, theirs = os.dup(0), os.dup(1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # the wire is not for prints
    thread = RolloutWorker()
    try:
        serve(
            lambda: os.read(ours, CHUNK),
            lambda data: _write(theirs, data),
            SharedResources(thread, ModelCache()),
            is_strict=False,
        )
    finally:
        thread.end(PATIENCE)


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def serve_port(port: int, *, host: str = "127.0.0.1", ready: Callable[[int], None] | None = None) -> None:
    """One client after the other, on a port of the loopback; 0 takes any. `ready` is told which. Never returns."""
    shared = SharedResources(RolloutWorker(), ModelCache())
    with _listening(host, port) as listener:
        if ready is not None:
            ready(listener.getsockname()[1])
        while True:
            connection, peer = listener.accept()
            with connection:
                if not is_own(connection.getsockname()[:2], peer[:2]):
                    continue
                serve(
                    lambda: connection.recv(CHUNK), connection.sendall, shared, is_strict=True  # noqa: B023
                )  # fmt: skip
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)  # whoever still reads it would keep it open


def _listening(host: str, port: int) -> socket.socket:
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        raise UsageError(f"--host {host}: an address of the loopback is wanted") from None
    if not address.is_loopback:
        raise UsageError(
            f"--host {host}: the port is of the loopback only; others may not step through your programs"
        )
    if not Path("/proc/net/tcp").exists():
        raise UsageError(
            "a port needs Linux, which tells whose a connection is; use standard input and output"
        )
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    try:
        return socket.create_server((str(address), port), family=family)
    except (OSError, OverflowError) as error:
        raise UsageError(f"--port {port}: {error}") from None


def is_own(ours: tuple[str, int], theirs: tuple[str, int]) -> bool:
    """Whether the other end of a local connection belongs to the user who runs this."""
    table = Path("/proc/net/tcp6" if ":" in theirs[0] else "/proc/net/tcp")
    with contextlib.suppress(OSError, ValueError, IndexError):
        wanted = _hexed(theirs), _hexed(ours)
        for line in table.read_text("ascii").splitlines()[1:]:
            fields = line.split()
            if (fields[1], fields[2]) == wanted:
                return int(fields[7]) == os.getuid()
    return False


def _hexed(end: tuple[str, int]) -> str:
    """An address and a port as the kernel's table has them: words of the machine's own byte order."""
    data = ipaddress.ip_address(end[0]).packed
    words = (data[i : i + 4] for i in range(0, len(data), 4))
    shown = "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)
    return f"{shown}:{end[1]:04X}"


def serve(
    read: Callable[[], bytes], write: Callable[[bytes], None], shared: SharedResources, *, is_strict: bool
) -> None:
    """One client, from the first byte to the last. `is_strict`: a stream that is lost is not read on."""
    numbers = iter(range(1, sys.maxsize))

    def send(message: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # a client that is gone says so where it is read
            write(frame({"seq": next(numbers), **message}))

    waiting = threading.Semaphore(WAITING)
    adapter = Adapter(send, shared, waiting.release)
    over = threading.Event()

    def put(item: InboxItem) -> bool:
        """Where too many wait, the client does as well; false when nobody answers any more."""
        while not waiting.acquire(timeout=1):
            if over.is_set():
                return False
        adapter.inbox.put(item)
        return True

    threading.Thread(target=_read, args=(read, put, is_strict), daemon=True).start()
    try:
        adapter.run()
    finally:
        over.set()


def _read(read: Callable[[], bytes], put: Callable[[InboxItem], bool], is_strict: bool) -> None:
    """Messages for the adapter, until there are no more."""
    frames = MessageDecoder()
    try:
        while data := read():
            for item in frames.feed(data):
                is_lost = is_strict and isinstance(item, BadMessage) and item.is_framing
                if not put(item) or is_lost:
                    return
    except OSError:
        pass
    finally:
        put(None)

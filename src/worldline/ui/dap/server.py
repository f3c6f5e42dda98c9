"""Serve clients on standard streams or on a loopback port, one at a time.

On standard streams everything else that is printed goes to standard error. A port listens on the loopback and accepts
connections of the same user only, by the kernel's table. A stream that is not framed as the protocol requires is closed
there: it may be an HTTP request from a web page.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.ui.dap.adapter import Adapter, InboxItem, SharedResources
from worldline.ui.dap.launching import ModelCache
from worldline.ui.dap.wire import BadMessage, MessageDecoder, frame
from worldline.ui.session.rollout_worker import RolloutWorker

STOP_SECONDS = 5.0  # for a model, after the client is gone
READ_BYTES = 1 << 16
MAX_UNANSWERED = 256  # messages that are read ahead


def serve_dap(port: int | None = None, *, host: str = "127.0.0.1", ready: Callable[[int], None] | None = None) -> None:
    """Serve the Debug Adapter Protocol: editors step through what a model predicts.

    Args:
        port: Serve one client after another on this port, without an end; 0 takes any free port. By default one
            client is served on standard input and output.
        host: A loopback address.
        ready: Called with the port when the server listens.

    Raises:
        UsageError: The address is not a loopback address, or the port is not available.
    """
    if port is None:
        serve_stdio()
    else:
        serve_port(port, host=host, ready=ready)


def serve_stdio() -> None:
    """Serve one client on standard input and output."""
    ours, theirs = os.dup(0), os.dup(1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)  # prints must not mix with the protocol
    thread = RolloutWorker()
    try:
        serve(
            lambda: os.read(ours, READ_BYTES),
            lambda data: _write(theirs, data),
            SharedResources(thread, ModelCache()),
            is_strict=False,
        )
    finally:
        thread.end(STOP_SECONDS)


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def serve_port(port: int, *, host: str = "127.0.0.1", ready: Callable[[int], None] | None = None) -> None:
    """Serve one client after another on a loopback port. Never returns."""
    shared = SharedResources(RolloutWorker(), ModelCache())
    with _listening(host, port) as listener:
        if ready is not None:
            ready(listener.getsockname()[1])
        while True:
            connection, peer = listener.accept()
            with connection:
                if not is_own(connection.getsockname()[:2], peer[:2]):
                    continue
                serve(partial(connection.recv, READ_BYTES), connection.sendall, shared, is_strict=True)
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)  # ends the thread that reads it


def _listening(host: str, port: int) -> socket.socket:
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        raise UsageError(f"--host {host}: not an address; use 127.0.0.1, ::1 or localhost") from None
    if not address.is_loopback:
        raise UsageError(f"--host {host}: only loopback addresses are allowed; use 127.0.0.1, ::1 or localhost")
    if not Path("/proc/net/tcp").exists():
        raise UsageError("--port needs Linux, which names the user of a connection; use standard streams instead")
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    try:
        return socket.create_server((str(address), port), family=family)
    except (OSError, OverflowError) as error:
        raise UsageError(f"--port {port}: {error}") from None


def is_own(ours: tuple[str, int], theirs: tuple[str, int]) -> bool:
    """Whether the other end of a local connection belongs to the current user."""
    table = Path("/proc/net/tcp6" if ":" in theirs[0] else "/proc/net/tcp")
    with contextlib.suppress(OSError, ValueError, IndexError):
        wanted = _hexed(theirs), _hexed(ours)
        for line in table.read_text("ascii").splitlines()[1:]:
            fields = line.split()
            if (fields[1], fields[2]) == wanted:
                return int(fields[7]) == os.getuid()
    return False


def _hexed(end: tuple[str, int]) -> str:
    """An address and a port as in the kernel's table: words in native byte order."""
    data = ipaddress.ip_address(end[0]).packed
    words = (data[i : i + 4] for i in range(0, len(data), 4))
    shown = "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)
    return f"{shown}:{end[1]:04X}"


def serve(
    read: Callable[[], bytes], write: Callable[[bytes], None], shared: SharedResources, *, is_strict: bool
) -> None:
    """Serve one client. `is_strict`: stop reading at a framing error."""
    numbers = iter(range(1, sys.maxsize))

    def send(message: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # reading notices that the client is gone
            write(frame({"seq": next(numbers), **message}))

    waiting = threading.Semaphore(MAX_UNANSWERED)
    adapter = Adapter(send, shared, waiting.release)
    over = threading.Event()

    def put(item: InboxItem) -> bool:
        """Wait while too many messages are unanswered; False when nobody answers any more."""
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
    """Pass messages to the adapter until the stream ends."""
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

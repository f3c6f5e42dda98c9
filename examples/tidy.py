"""Tidies its folder up, and tells a server of it: `worldline rehearse` shows what it would do, and does none of it."""

import socket
from pathlib import Path

for path in Path().glob("gree*.py"):
    path.unlink()
Path("tidied.txt").write_text("tidied up\n")
socket.create_connection(("192.0.2.1", 80), timeout=1).close()

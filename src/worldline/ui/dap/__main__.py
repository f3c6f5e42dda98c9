"""`python -m worldline.ui.dap [PORT]`: the adapter on standard streams, or on a port of the loopback."""

from __future__ import annotations

import sys

from worldline.ui.dap.server import serve_port, serve_stdio

if __name__ == "__main__":
    if len(sys.argv) > 1:
        serve_port(int(sys.argv[1]), ready=lambda port: print(f"listening on 127.0.0.1:{port}", flush=True))
    else:
        serve_stdio()

"""Ask for the address of a name."""

import socket

from outside import attempt

attempt(socket.getaddrinfo, "example.com", 80)
attempt(socket.gethostbyname, "host.docker.internal")

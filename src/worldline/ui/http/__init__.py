"""Shared by the servers: sockets, connections with deadlines, access checks, refusals and strict JSON."""

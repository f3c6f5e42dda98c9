"""Traces, reports and debugged runs in a terminal: tables and colours. Holds no logic but that of showing."""

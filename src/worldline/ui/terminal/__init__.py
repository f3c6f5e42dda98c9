"""Traces, reports and predictions in a terminal: tables and colours."""

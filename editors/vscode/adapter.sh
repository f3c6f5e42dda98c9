#!/bin/sh
# Starts the adapter on standard streams: the command in WORLDLINE, or worldline from the path.
exec "${WORLDLINE:-worldline}" dap

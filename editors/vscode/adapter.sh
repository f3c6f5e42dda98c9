#!/bin/sh
# Starts the adapter on standard streams: the one named by WORLDLINE, else the one on the path.
exec "${WORLDLINE:-worldline}" dap

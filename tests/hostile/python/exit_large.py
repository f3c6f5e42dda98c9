# outcome: exited 1
# item: 30
# arg: exit 257
raise SystemExit(257)

#!/usr/bin/env bash
# wait.sh SECONDS: wait for the trainer to end, at most so long, and say how it goes.
for _ in $(seq 1 "$1"); do [ -e /tmp/ended ] && break; sleep 1; done
grep 'held out' /tmp/run.log | tail -n 5; tail -n 3 /tmp/run.log; uptime
[ -e /tmp/ended ] && echo ended || echo "still running"

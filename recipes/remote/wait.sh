#!/usr/bin/env bash
# wait.sh SECONDS [OUT]: wait for the trainer to end, at most so long, say how it goes, bring its newest checkpoint to OUT.
for _ in $(seq 1 "$1"); do [ -e /tmp/ended ] && break; sleep 1; done
grep 'held out' /tmp/run.log | tail -n 5; tail -n 3 /tmp/run.log; uptime
[ -e /tmp/ended ] && echo ended || echo "still running"
[ -z "${2:-}" ] || ! ls -d /tmp/run/step-* > /dev/null 2>&1 || bash "$(dirname "${BASH_SOURCE[0]}")"/bring.sh "$2"

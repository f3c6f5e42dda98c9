#!/usr/bin/env bash
# go.sh MINUTES [SECONDS]: put the pieces in /tmp/pieces together, wait for the warm-up, start the trainer from those
# weights in a session of its own, watch it for so many seconds. Its log is /tmp/run.log, its run /tmp/run.
set -u
begun=$(date +%s); say() { echo "[$(($(date +%s) - begun))s] $*"; }
. /tmp/work/environment; cd /tmp/work/snap || exit 1
python3 recipes/remote/pieces.py join /tmp/pieces /tmp/work/begin || exit 1
for _ in $(seq 1 120); do [ -e /tmp/warmed ] && break; sleep 1; done
say warmed; cat /tmp/warm.log
export WORLDLINE_BEGIN=/tmp/work/begin WORLDLINE_MINUTES=$1
setsid nohup sh -c 'python3 -m worldline.model.train --recipe recipes/shipped.py --out /tmp/run --fresh
    touch /tmp/ended' > /tmp/run.log 2>&1 < /dev/null &
for _ in $(seq 1 "${2:-45}"); do sleep 1; grep -q "step  *[0-9]*40 " /tmp/run.log && break; done
say started; tail -n 5 /tmp/run.log
nvidia-smi --query-gpu=utilization.gpu,memory.used --format=csv,noheader; uptime

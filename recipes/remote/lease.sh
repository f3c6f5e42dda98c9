#!/usr/bin/env bash
# lease.sh MINUTES: on the GPU machine, .carry/base and .carry/keep (model.safetensors of the shipped model) carried: set-up,
# warm-up and a training from the shipped weights, in one process that no gap between two calls can interrupt:
#   setsid nohup bash recipes/remote/lease.sh 18 > /tmp/lease.log 2>&1 < /dev/null &
# then wait.sh as often as needed. WORLDLINE_WORKERS, WORLDLINE_MINERS, WORLDLINE_RATE, WORLDLINE_COOLDOWN as for the others.
set -u
export WORLDLINE_WORKERS=${WORLDLINE_WORKERS:-9} WORLDLINE_MINERS=${WORLDLINE_MINERS:-6}
bash recipes/remote/setup.sh > /tmp/setup.log 2>&1 || exit 1
mkdir -p /tmp/work/begin
cp src/worldline/model/shipped/manifest.json .carry/keep/model.safetensors /tmp/work/begin/ || exit 1
for _ in $(seq 1 120); do [ -e /tmp/warmed ] && break; sleep 1; done
. /tmp/work/environment; cd /tmp/work/snap || exit 1
export WORLDLINE_BEGIN=/tmp/work/begin WORLDLINE_MINUTES=$1
export WORLDLINE_RATE=${WORLDLINE_RATE:-0.2} WORLDLINE_COOLDOWN=${WORLDLINE_COOLDOWN:-0.9}
python3 -m worldline.model.train --recipe recipes/shipped.py --out /tmp/run --fresh > /tmp/run.log 2>&1
touch /tmp/ended

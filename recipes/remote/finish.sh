#!/usr/bin/env bash
# On the GPU machine: wait up to $1 seconds for the trainer; when it is done, its weights in pieces of 15 MB go to $2.
set -u
for _ in $(seq 1 "$1"); do pgrep -f worldline.model.train > /dev/null || break; sleep 1; done
tail -n 20 /tmp/run.log; grep 'held out' /tmp/run.log
pgrep -f worldline.model.train > /dev/null && { echo "still running"; exit 0; }
. /tmp/work/environment
rm -rf /tmp/export && python3 -c "
from pathlib import Path
from worldline.model import checkpoint
checkpoint.export(Path('/tmp/run'), Path('/tmp/export'))"
split -b 15000000 -d /tmp/export/model.safetensors "$2"/model.part.
cp /tmp/export/manifest.json /tmp/run/metrics.jsonl /tmp/run.log "$2"/

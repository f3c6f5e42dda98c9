#!/usr/bin/env bash
# bring.sh OUT: the average of the newest checkpoint in pieces that a lease lets through, and the logs.
set -eu
. /tmp/work/environment; cd /tmp/work/snap; rm -rf /tmp/export
python3 -c "
from pathlib import Path
from worldline.model import checkpoint
print('step', checkpoint.export(Path('/tmp/run'), Path('/tmp/export'), half=True)['step'])"
python3 recipes/remote/pieces.py split /tmp/export "$1"
tar cJf "$1"/logs.tar.xz -C /tmp run.log warm.log run/metrics.jsonl run/config.json \
    $(cd /tmp && ls run/curriculum.* 2>/dev/null || true)
tail -n 2 /tmp/run.log; ls -l "$1"

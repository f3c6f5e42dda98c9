#!/usr/bin/env bash
# On the GPU machine, in a checkout that holds .carry/: unpack to /tmp/work, check the kernels, start the trainer in
# a session of its own. Its log is /tmp/run.log, its run /tmp/run. WORLDLINE_MINUTES says how long.
set -u
carry=$PWD/.carry
shipped=$PWD/src/worldline/model/shipped
mkdir -p /tmp/work && cd /tmp/work
tar xJf "$carry"/py311.tar.xz && tar xJf "$carry"/site.tar.xz && tar xJf "$carry"/snap.tar.xz
home=$(cat py311/prefix) && mkdir -p "$(dirname "$home")" && { [ -e "$home" ] || cp -r py311 "$home"; }
for file in mined.docs.xz held.docs; do [ -f "$carry/$file" ] && cp "$carry/$file" .; done
[ -d "$shipped" ] && cp -r "$shipped" snap/src/worldline/model/
cd snap
cat > /tmp/work/environment <<END
export PYTHONUNBUFFERED=1 PYTHONPATH=/tmp/work/snap/src:/tmp/work/site
export WORLDLINE_STREAM_PYTHON=$home/bin/python3.11 WORLDLINE_WORKERS=${WORLDLINE_WORKERS:-14}
export TORCHINDUCTOR_CACHE_DIR=/tmp/inductor TRITON_CACHE_DIR=/tmp/triton
[ -f /tmp/work/mined.docs.xz ] && export WORLDLINE_MINED=/tmp/work/mined.docs.xz
[ -f /tmp/work/held.docs ] && export WORLDLINE_HELD_OUT=/tmp/work/held.docs
END
. /tmp/work/environment
timeout 120 python3 recipes/remote/check.py --environment /tmp/work/environment || exit 1
. /tmp/work/environment
setsid nohup python3 -m worldline.model.train --recipe recipes/shipped.py --function "${1:-training}" --out /tmp/run \
    > /tmp/run.log 2>&1 &

#!/usr/bin/env bash
# setup.sh: on the GPU machine, in a checkout with .carry/base: unpack to /tmp/work, check the kernels and warm the
# compilers in the background (/tmp/warm.log), try the streams. WORLDLINE_WORKERS and WORLDLINE_MINERS share the cores.
set -u
carry=$PWD/.carry/base; begun=$(date +%s); say() { echo "[$(($(date +%s) - begun))s] $*"; }
mkdir -p /tmp/work /tmp/pieces && cp "$carry"/held.docs "$carry"/left_out.jsonl /tmp/work/ && cd /tmp/work || exit 1
for name in py311 site snap; do tar xJf "$carry"/$name.tar.xz || exit 1; done
[ -d py311/libs ] && cp -P --update=none py311/libs/* /usr/lib/x86_64-linux-gnu/
home=$(cat py311/prefix) && mkdir -p "$(dirname "$home")" && { [ -e "$home" ] || cp -r py311 "$home"; }
cat > environment <<END
export PYTHONUNBUFFERED=1 PYTHONPATH=/tmp/work/snap/src:/tmp/work/site
export WORLDLINE_STREAM_PYTHON=$home/bin/python3.11
export WORLDLINE_WORKERS=${WORLDLINE_WORKERS:-7} WORLDLINE_MINERS=${WORLDLINE_MINERS:-9}
export TORCHINDUCTOR_CACHE_DIR=/tmp/inductor TRITON_CACHE_DIR=/tmp/triton
export WORLDLINE_HELD_OUT=/tmp/work/held.docs WORLDLINE_LEFT_OUT=/tmp/work/left_out.jsonl
export WORLDLINE_QUARRY=/tmp/work/quarry:stdlib WORLDLINE_TRUST_MINED=1
END
[ ! -f "$carry"/chance.docs.xz ] || { cp "$carry"/chance.docs.xz . && echo export WORLDLINE_CHANCE=/tmp/work/chance.docs.xz >> environment; }
[ ! -f "$carry"/foreign.docs.xz ] || { cp "$carry"/foreign.docs.xz . && echo export WORLDLINE_FOREIGN=/tmp/work/foreign.docs.xz >> environment; }
. ./environment; cd snap || exit 1
setsid nohup sh -c 'timeout 120 python3 recipes/remote/check.py --environment /tmp/work/environment
    . /tmp/work/environment
    timeout 200 python3 -m worldline.model.train --recipe recipes/shipped.py --function warm --out /tmp/warm --fresh
    touch /tmp/warmed' > /tmp/warm.log 2>&1 < /dev/null &
tar xJf "$carry"/quarry.tar.xz -C /tmp/work; say unpacked
nvidia-smi --query-gpu=name,memory.total --format=csv,noheader; nproc
few="--recipe recipes/shipped.py --seed 1 --trust"
time timeout 30 "$WORLDLINE_STREAM_PYTHON" -m worldline.data.stream $few --count 400 | wc -c
time timeout 30 "$WORLDLINE_STREAM_PYTHON" -m worldline.data.mine.stream /tmp/work/quarry stdlib $few --count 200 \
    --leave-out /tmp/work/left_out.jsonl | wc -c
say streams; tail -n 3 /tmp/warm.log

#!/usr/bin/env bash
# chance.sh [COUNT] [WORKERS]: generate and record COUNT stochastic programs here, each under a seed of its own, for a
# lent machine whose interpreter cannot control a run, into OUT, .carry/chance/ unless set (git ignores .carry):
#   train.docs.xz   framed documents of the split `train`, for WORLDLINE_CHANCE
#   valid.docs.xz   a fiftieth as many of the split `valid`: what such a training is measured by
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=${PYTHON:-.venv/bin/python}
count=${1:-30000} workers=${2:-$(nproc)}
out=${OUT:-.carry/chance}
. recipes/remote/documents.sh
written --recipe recipes/shipped.py --function stochastic --trust

#!/usr/bin/env bash
# foreign.sh [COUNT] [WORKERS]: generate and record COUNT programs in other languages, boxed, here, where gcc, g++, rustc,
# node and a JDK are (a lent machine may have none of them), into .carry/foreign/ (git ignores .carry):
#   train.docs.xz   framed documents of the split `train`, for WORLDLINE_FOREIGN
#   valid.docs.xz   a fiftieth as many of the split `valid`: what such a training is measured by
# WORLDLINE_LANGUAGES: only these (js,ts,java,c,cpp,rust). WORLDLINE_LEFT_OUT: benchmarks' files, `:` between them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=${PYTHON:-.venv/bin/python}
count=${1:-20000} workers=${2:-$(nproc)}
out=.carry/foreign
. recipes/remote/documents.sh
written --recipe recipes/languages.py

#!/usr/bin/env bash
# pack.sh [QUARRY]: what a GPU machine without a network needs beside torch, into .carry/base/ (git ignores .carry):
#   py311.tar.xz    a bare CPython 3.11 with msgspec: it generates, mines and records the programs. The lent machine is
#                   x86-64: where this one is not, cross.sh makes it and the native modules of Debian's packages
#   site.tar.xz     fla-core and einops, for the trainer
#   snap.tar.xz     this package with its native modules, without the shipped weights, and recipes/
#   quarry.tar.xz   the Python files of QUARRY (default: .carry/quarry), a folder of packages and clones that are mined
#   held.docs       held-out documents of the recipe
#   foreign.docs.xz documents of other languages, where foreign.sh has made some
#   chance.docs.xz  documents of stochastic programs, where chance.sh has made some
#   left_out.jsonl  programs of benchmarks (LEAVE_OUT, JSON lines, perhaps gzipped): nothing like them is mined
# What is there already and cannot have changed (py311, site, quarry) is kept: delete it to have it made anew.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=${PYTHON:-.venv/bin/python}
quarry=${1:-.carry/quarry}
out=.carry/base
mkdir -p $out
[ "$(uname -m)" = x86_64 ] || [ -d $out/native ] || bash recipes/remote/cross.sh $out

if [ ! -f $out/py311.tar.xz ]; then
    home=$("$python" -c 'import sys; print(sys.base_prefix)')
    work=$(mktemp -d) && mkdir -p "$work"/py311/bin "$work"/py311/lib
    cp "$home"/bin/python3.11 "$work"/py311/bin/
    cp "$home"/lib/libpython3.11.so.1.0 "$work"/py311/lib/ 2>/dev/null || true
    tar c -C "$home/lib" --exclude=test --exclude=tests --exclude=idlelib --exclude=ensurepip --exclude='config-*' \
        --exclude=tkinter --exclude=site-packages --exclude=lib2to3 --exclude=__pycache__ python3.11 |
        tar x -C "$work"/py311/lib
    msgspec=$("$python" -c 'import msgspec, pathlib; print(pathlib.Path(msgspec.__file__).parent)')
    cp -r "$msgspec" "$work"/py311/lib/python3.11/
    find "$work" -name __pycache__ -prune -exec rm -rf {} +
    find "$work" -name '*.so*' -exec strip {} + 2>/dev/null || true
    echo "$home" > "$work"/py311/prefix
    tar cJf $out/py311.tar.xz -C "$work" py311 && rm -rf "$work"
fi
if [ ! -f $out/site.tar.xz ]; then
    work=$(mktemp -d)
    "$python" -m pip install --quiet --no-deps --no-compile --target "$work"/site 'fla-core==0.6.0' einops
    tar cJf $out/site.tar.xz -C "$work" site && rm -rf "$work"
fi
if [ ! -f $out/quarry.tar.xz ] && [ -d "$quarry" ]; then
    (cd "$quarry/.." && find "$(basename "$quarry")" -name '*.py' -size -200k -print0 |
        tar cJf - --null --files-from - --transform "s,^$(basename "$quarry"),quarry,") > $out/quarry.tar.xz
fi

work=$(mktemp -d) && mkdir "$work"/snap && cp -r src recipes "$work"/snap/
find "$work" -name __pycache__ -prune -exec rm -rf {} +
cp $out/native/*.so "$work"/snap/src/worldline/ 2>/dev/null || true
rm -rf "$work"/snap/src/*.egg-info "$work"/snap/src/worldline/model/shipped
tar cJf $out/snap.tar.xz -C "$work" snap && rm -rf "$work"
"$python" -m worldline.data.stream --recipe recipes/shipped.py --split valid --seed 77 --count "${HELD:-640}" --trust \
    > $out/held.docs
zcat -f "${LEAVE_OUT:-/dev/null}" > $out/left_out.jsonl
[ ! -f .carry/chance/train.docs.xz ] || cp .carry/chance/train.docs.xz $out/chance.docs.xz
[ ! -f .carry/foreign/train.docs.xz ] || cp .carry/foreign/train.docs.xz $out/foreign.docs.xz
ls -l $out

#!/usr/bin/env bash
# Packs what a GPU machine without a network needs beside torch, into .carry/ (which git ignores):
#   py311.tar.xz   a bare CPython 3.11 with msgspec: it generates and records the programs
#   site.tar.xz    fla-core and einops, for the trainer
#   snap.tar.xz    this package with its native modules, without the shipped weights, and recipes/
# Documents of mined programs (`worldline data mine ... --documents`) lie beside them as mined.docs.xz, held-out ones as
# held.docs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=${PYTHON:-.venv/bin/python}
home=$("$python" -c 'import sys; print(sys.base_prefix)')
mkdir -p .carry && rm -rf .carry/py311 .carry/site .carry/snap

mkdir -p .carry/py311/bin .carry/py311/lib
cp "$home"/bin/python3.11 .carry/py311/bin/
cp "$home"/lib/libpython3.11.so.1.0 .carry/py311/lib/ 2>/dev/null || true
tar c -C "$home/lib" --exclude=test --exclude=tests --exclude=idlelib --exclude=ensurepip --exclude='config-*' \
    --exclude=tkinter --exclude=site-packages --exclude=lib2to3 --exclude=__pycache__ python3.11 | tar x -C .carry/py311/lib
cp -r "$("$python" -c 'import msgspec, pathlib; print(pathlib.Path(msgspec.__file__).parent)')" .carry/py311/lib/python3.11/
find .carry/py311 -name '*.so*' -exec strip {} + 2>/dev/null || true
echo "$home" > .carry/py311/prefix
tar cJf .carry/py311.tar.xz -C .carry py311

"$python" -m pip install --quiet --no-deps --target .carry/site 'fla-core==0.6.0' einops
find .carry -name __pycache__ -prune -exec rm -rf {} +
tar cJf .carry/site.tar.xz -C .carry site

mkdir .carry/snap && cp -r src recipes .carry/snap/
find .carry/snap -name __pycache__ -prune -exec rm -rf {} + && rm -rf .carry/snap/src/*.egg-info .carry/snap/src/worldline/model/shipped
tar cJf .carry/snap.tar.xz -C .carry snap
[ -f .carry/held.docs ] || "$python" -m worldline.data.stream --recipe recipes/shipped.py --split valid --seed 77 \
    --count 600 --trust > .carry/held.docs
rm -rf .carry/py311 .carry/site .carry/snap
ls -l .carry

#!/usr/bin/env bash
# cross.sh OUT: on a machine that is no x86-64 (Debian 12, root): the interpreter of Debian's amd64 packages as
# OUT/py311.tar.xz, with the libraries it needs beside it, and the native modules compiled for it into OUT/native/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=$(realpath "$1"); python=${PYTHON:-.venv/bin/python}
work=$(mktemp -d); chmod 755 "$work"
foreign=$(dpkg --print-foreign-architectures | grep -x amd64 || true)
[ -n "$foreign" ] || dpkg --add-architecture amd64
apt-get update -qq
packages="python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libpython3.11-dev libffi8 libexpat1 libbz2-1.0 liblzma5 zlib1g libuuid1"
(cd "$work" && apt-get download -q $(printf '%s:amd64 ' $packages) && for deb in *.deb; do dpkg -x "$deb" unpacked; done)
apt-get install -qq -y --no-install-recommends gcc-x86-64-linux-gnu libc6-dev-amd64-cross
[ -n "$foreign" ] || dpkg --remove-architecture amd64

mkdir -p "$work"/py311/{bin,lib,libs} "$out"/native
cp "$work"/unpacked/usr/bin/python3.11 "$work"/py311/bin/
tar c -C "$work"/unpacked/usr/lib --exclude=test --exclude=tests --exclude=idlelib --exclude=ensurepip --exclude='config-*' \
    --exclude=tkinter --exclude=lib2to3 --exclude=__pycache__ python3.11 | tar x -C "$work"/py311/lib
find "$work"/unpacked -regex '.*/lib\(expat\|z\|ffi\|bz2\|lzma\|uuid\)\.so\..*' -exec cp -P {} "$work"/py311/libs/ \;
version=$("$python" -c 'import msgspec; print(msgspec.__version__)')
"$python" -m pip install --quiet --no-deps --platform manylinux2014_x86_64 --only-binary=:all: --python-version 3.11 \
    --target "$work"/py311/lib/python3.11 "msgspec==$version"
echo /opt/py311 > "$work"/py311/prefix
tar cJf "$out"/py311.tar.xz -C "$work" py311
for unit in recorder wire engine; do
    x86_64-linux-gnu-gcc -shared -fPIC -s -O3 -DNDEBUG -fno-strict-aliasing -fvisibility=hidden -fno-math-errno -pthread \
        -I"$work"/unpacked/usr/include/python3.11 -I"$work"/unpacked/usr/include native/$unit.c -lm \
        -o "$out"/native/_$unit.cpython-311-x86_64-linux-gnu.so
done
rm -rf "$work"

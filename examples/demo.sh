#!/usr/bin/env bash
# What worldline does, on small programs. `make demo` sets up and runs this.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
run() { say "$@"; "$@"; }

run worldline record examples/count.py --call "count('berry', 'r')"
run worldline record examples/account.py --call "month('Ada')"
run worldline record examples/endless.py --steps 2000 --rows 8
run worldline record examples/factorial.py --call "fact(3)" -o "$work/traces"
run worldline verify "$work/traces"
run worldline show "$work/traces" --step 9
run worldline cost examples/count.py --call "count('berry', 'r')"

say "The shipped model imagines runs; the interpreter is the judge"
run worldline bench permutation --length 8,128 --limit 4
run worldline bench generated --limit 20

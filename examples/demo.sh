#!/usr/bin/env bash
# What worldline does, on small programs. `make demo` sets up and runs this.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
run() { say "$@"; "$@"; }

see() { say "$@"; "$@" || [ $? = 1 ]; } # 1 is a finding: the model was wrong somewhere

see worldline debug examples/count.py --call "count('berry', 'r')"
see worldline debug examples/paint.py --call "paint([[1, 2], [3, 4]])"
see worldline debug examples/parse.py --call "parse('42')"
run worldline imagine examples/factorial.py --call "fact(3)"
run worldline imagine examples/evens.py --call "total(6)" --scratchpad flatten --unfold
run worldline record examples/dice.py --call "throw(2)" --seed 3
run worldline futures examples/dice.py --call "throw(4)"
run worldline futures examples/race.py --call "race(1)" --preemptions 1
run worldline paths examples/grade.py --call grade --seconds 5
run worldline ask examples/count.py --call "count('berry', 'r')"
run worldline plan repair examples/depth.py --tests examples/depth_tests.py --executions 100
run worldline plan input examples/depth.py --goal "depth(text) == -3"
run worldline plan play kuhn --games 20 --simulations 100
run worldline rehearse examples/tidy.py --folder examples
run worldline bench permutation --length 8,128 --limit 4
run worldline bench generated --limit 20
run worldline rewrite examples/evens.py --flatten

say "What all of it stands on: real executions, recorded"
run worldline record examples/account.py --call "month('Ada')"
run worldline record examples/endless.py --steps 2000 --rows 8
run worldline record examples/factorial.py --call "fact(3)" -o "$work/traces"
run worldline verify "$work/traces"
run worldline show "$work/traces" --step 9
run worldline cost examples/count.py --call "count('berry', 'r')"

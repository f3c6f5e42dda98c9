#!/usr/bin/env bash
# A first look at worldline, in about half a minute. `make demo` installs it and runs this.
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
progress=$PWD/.ci/progress
# The commands write into a pipe, so they are told what the terminal is like.
if [ -t 1 ]; then COLUMNS=$(tput cols) FORCE_COLOR=1; else COLUMNS=110 FORCE_COLOR=; fi
export COLUMNS FORCE_COLOR

# part SENTENCE COMMAND...: introduces a command with one sentence, shows it and executes it.
number=0
part() {
  number=$((number + 1))
  printf '\n\033[1m%d. %s\033[0m\n' "$number" "$1"
  shift
  printf '\033[2m$ %s\033[0m\n' "$(echo "${@@Q}" | sed -E "s/'([A-Za-z0-9_.,/-]+)'/\1/g")"
  local status=0
  "$progress" --show "working" "$@" || status=$?
  # Exit status 1 is a finding: the model was wrong somewhere.
  [ "$status" -le 1 ] || exit "$status"
}

part "Record a program: every line it executes and every value it changes." \
  worldline record examples/paint.py --call 'paint([[1, 2], [3, 4]])'
part "Ask the model to predict the same run. Nothing is executed." \
  worldline imagine examples/paint.py --call 'paint([[1, 2], [3, 4]])'
part "See where the two diverge and why." \
  worldline debug examples/paint.py --call 'paint([[1, 2], [3, 4]])'
part "Measure the model: five names, one swap per line, is the final state exactly right?" \
  worldline bench permutation --length 8,32 --max-programs 4
part "List every outcome of a program that throws dice, with its probability." \
  worldline futures examples/dice.py --call 'throw(4)'
part "Repair a bug: search for an edit that makes the tests pass." \
  worldline plan repair examples/depth.py --tests examples/depth_tests.py --executions 100

printf '\n\033[1mNext\033[0m\n'
cat <<'TEXT'
Activate the environment first: source .venv/bin/activate
  worldline debug FILE.py --call "f(1)"    debug the model on your own function
  worldline --help                         all commands; README.md explains the main ones
TEXT

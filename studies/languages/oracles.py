"""Ordinary programs step by step beside debuggers: gdb, the JVM's debugger interface, V8's inspector, delve.

    python studies/languages/oracles.py [--language java] [--rules]

Each program of tests/languages/stepped/programs.txt is recorded, and stepped in the debugger of its language. The lines
must be the same in the same order, and the scalars that both show at each line equal. What rules leave out is counted
(--rules). The exit status is 1 where anything else differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests" / "languages" / "stepped"), str(ROOT / "benchmarks")]

from comparison import RULES, Comparison  # noqa: E402
from witnesses import PROGRAMS, WITNESSES, program_of  # noqa: E402

from worldline.core.language import LANGUAGES, language_of  # noqa: E402
from worldline.core.limits import Limits  # noqa: E402
from worldline.recording.recorder import SandboxWorker, prepare  # noqa: E402


def report(title: str, programs: int, found: Comparison) -> str:
    """One line of figures."""
    return (
        f"{title}: {programs} programs; lines {found.equal_lines:,} of {found.lines:,}, "
        f"scalars {found.equal_values:,} of {found.values:,}; {len(found.differences)} differences"
    )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", choices=tuple(WITNESSES), help="one language; all of them by default")
    parser.add_argument("--rules", action="store_true", help="also print what each rule left out, and why")
    options = parser.parse_args()
    totals: dict[str, Comparison] = defaultdict(Comparison)
    counts: dict[str, int] = defaultdict(int)
    worker = SandboxWorker(prepare(limits=Limits(wall=300), python=None, core="auto", trust=False))
    try:
        for path in PROGRAMS:
            language = language_of(path.name)
            witness = WITNESSES[language]
            if language != (options.language or language):
                continue
            if witness.missing:
                print(f"{path.name}: left out, there is no {witness.missing}")
                continue
            found = witness.compare(worker.record(program_of(path)))
            print(report(f"  {path.parent.name}/{path.name}", 1, found), flush=True)
            print("".join(f"    DIFFERENT {difference}\n" for difference in found.differences), end="")
            totals[language].add(found)
            counts[language] += 1
    finally:
        worker.close()
    whole = Comparison()
    for language, found in totals.items():
        print(report(f"{LANGUAGES[language].title} beside {WITNESSES[language].debugger}", counts[language], found))
        whole.add(found)
    print(report("all", sum(counts.values()), whole))
    if options.rules:
        print("\n".join(f"  {whole.rules[rule]:,} left out: {reason}" for rule, reason in RULES.items()))
    raise SystemExit(bool(whole.differences))


if __name__ == "__main__":
    main()

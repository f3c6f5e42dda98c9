"""Repair, measured: QuixBugs' 40 programs and real one-line fixes out of git histories, by the order of candidates.

`python studies/plan/repair.py --data QuixBugs --mirror FOLDER -o OUT [--imagine 12] [--pool 16] [--n 40] [--seed 0]`

Every candidate on a line that the failing test reaches is run once (`truth`), so that every order can be judged of the
same runs; a row a program is kept in OUT, and a second start goes on. What is imagined is imagined of a pool of
candidates of the programs with the shortest failing runs: one plausible fix (the likeliest), others drawn at random.
An execution here is one candidate run; the tests behind the failing one are run only of those that pass it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from math import exp, log
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import Any

from repair_mined import MinedFix, mined, program_of
from repair_truth import SECONDS, diagnosed, fuzzed, kept_tests, ranked_candidates, truth

from worldline.core.stats import Share
from worldline.evaluation.suites.quixbugs import ROWS, BuggyProgram, read_quixbugs
from worldline.plan.repair.imagine import predict_candidates
from worldline.plan.repair.order import RankedCandidate
from worldline.predict.models import load_model
from worldline.recording.calls import Caller, caller

FUZZED, JUDGED = 100, 5  # drawn inputs; patches of a program that are put to them
ROOM = 1_500  # bytes imagined of one candidate
REPOSITORIES = (
    "keon+algorithms", "prabhupant+python-ds", "OmkarPathak+pygorithm", "exercism+python", "TheAlgorithms+Python",
    "thuva4+Algorithms", "rootulp+exercism",
)  # fmt: skip


def rows_of(path: Path) -> list[dict[str, Any]]:
    """What was measured before."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.is_file() else []


def kept(path: Path, names: Sequence[str], measured: Callable[[str], dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each name, those that are there already as they are."""
    known = {row["name"]: row for row in rows_of(path)}
    for name in names:
        if name not in known:
            began = time.process_time()
            known[name] = {**measured(name), "cpu": time.process_time() - began}
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(known[name]) + "\n")
            print(name, flush=True)
    return [known[name] for name in names]


def fuzz_row(bug: BuggyProgram, row: dict[str, Any], data: Path, runs: Caller, seed: int) -> dict[str, Any]:
    """The shares of drawn inputs on which the first plausible patches, by the prior, agree with the right program."""
    if not bug.has_rows or not row.get("fixes"):
        return {"name": bug.name, "agreed": None}
    tests = [json.loads(line) for line in (data / ROWS / f"{bug.name}.json").read_text("utf-8").splitlines() if line]
    wrap = "list({})" if bug.tests.checks[0].call.startswith("list(") else "{}"
    small = [each for each in tests if len(json.dumps(each)) < 2_000]
    shares = fuzzed(small, bug.right, row["fixes"][:JUDGED], bug.name, wrap, runs, n=FUZZED, seed=seed)
    return {"name": bug.name, "agreed": shares}


def imagined_row(
    bug: BuggyProgram, row: dict[str, Any], runs: Caller, model: Any, pool: int, seed: int
) -> dict[str, Any]:
    """A pool of candidates of one program with what is imagined of each and what is true."""
    tests = kept_tests(bug.tests, bug.right, runs)
    known = diagnosed(bug.program, tests, runs)
    assert known is not None
    ranked, _ = ranked_candidates(known)
    true = {one.candidate.source: cells for one, cells in zip(ranked, row["candidates"], strict=True)}
    chosen = pooled(ranked, true, pool, Random(f"pool {bug.name} {seed}"))
    seen = predict_candidates(chosen, tests, known.first, known.trace, model, most=len(chosen), max_new_bytes=ROOM)
    found = [
        (one.prior, one.imagined, bool(true[one.candidate.source][2]), bool(true[one.candidate.source][3]))
        for one in seen.ranked
    ]
    return {"name": bug.name, "pool": found, "bytes": seen.bytes, "asked": seen.predicted}


def pooled(ranked: Sequence[RankedCandidate], true: dict[str, Any], size: int, rng: Random) -> list[RankedCandidate]:
    """One plausible fix, the likeliest by the prior, and others at random that are none."""
    fixes = [one for one in ranked if true[one.candidate.source][3]]
    others = [one for one in ranked if not true[one.candidate.source][3]]
    return [*fixes[:1], *rng.sample(others, min(size - 1, len(others)))]


def until(order: Sequence[bool]) -> int:
    """How many are run until the first fix."""
    return order.index(True) + 1


def at_random(n: int, fixes: int) -> float:
    """How many are run until the first of `fixes` among n in a random order, on average."""
    return (n + 1) / (fixes + 1)


def quixbugs_orders(row: dict[str, Any]) -> dict[str, float]:
    """Candidates run until the first fix, by order; `perfect` knows the failing test's outcome and nothing else."""
    cells = row["candidates"]
    fixes, passing = sum(each[3] for each in cells), sum(each[2] for each in cells)
    return {
        "random": at_random(row["every"], fixes),
        "only reached lines": at_random(len(cells), fixes),
        "prior": until([each[3] for each in cells]),
        "perfect": at_random(passing, fixes),
        "perfect x prior": until([each[3] for each in cells if each[2]]),
    }


def pool_orders(row: dict[str, Any]) -> dict[str, float]:
    """The same within a pool, and by what was imagined."""
    pool = [(p, 0.1 if i is None else i, first, fix) for p, i, first, fix in row["pool"]]
    passing = sum(each[2] for each in pool)
    by = {
        "prior": lambda each: -each[0],
        "imagined": lambda each: -each[1],
        "imagined x prior": lambda each: -each[0] * each[1],
    }
    found = {"random": at_random(len(pool), 1)}
    found |= {name: float(until([each[3] for each in sorted(pool, key=key)])) for name, key in by.items()}
    return {**found, "perfect": at_random(passing, 1)}


def summary(rows: Sequence[dict[str, float]]) -> Iterator[dict[str, Any]]:
    """Mean, median, geometric saving against random, and how many within ten, of each order."""
    for order in rows[0] if rows else ():
        counts = [row[order] for row in rows]
        saving = exp(mean(log(row["random"] / row[order]) for row in rows))
        within = sum(count <= 10 for count in counts)
        yield {
            "order": order, "n": len(rows), "mean": round(mean(counts), 1), "median": round(median(counts), 1),
            "saving": round(saving, 2), "within 10": within,
        }  # fmt: skip


def judged(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Of the programs and of all patches that were put to drawn inputs: how many agree everywhere."""
    told = [[share for share in row["agreed"] if share is not None] for row in rows if row["agreed"]]
    told = [shares for shares in told if shares]
    first = Share(sum(shares[0] == 1 for shares in told), len(told))
    every = Share(sum(share == 1 for shares in told for share in shares), sum(map(len, told)))
    any_ = Share(sum(1 in shares for shares in told), len(told))
    return {"first patch right": first.as_json(), "any patch right": any_.as_json(), "all patches": every.as_json()}


def mined_row(fix: MinedFix, runs: Caller) -> dict[str, Any]:
    """A real fix posed as QuixBugs' are; whether the very change of the commit is among the candidates."""
    row = truth(fix.origin, program_of(fix), fix.tests, fix.after, runs)
    fixes = row.pop("fixes", [])
    old, new = fix.before.splitlines(), fix.after.splitlines()
    changed = [[a, b] for a, b in zip(old, new, strict=True) if a != b]
    return {**row, "is_there": fix.after in fixes, "change": changed, "plausible": len(fixes)}


def mined_rows(out: Path, mirror: Path | None, runs: Caller, *, most: int, seed: int) -> list[dict[str, Any]]:
    """The real fixes; a repository that was searched through is not searched again."""
    path, through = out / "mined.jsonl", out / "mined_repositories.jsonl"
    done = {row["name"] for row in rows_of(through)}
    for name in REPOSITORIES if mirror is not None else ():
        git = mirror / name / "repo" if mirror else Path()
        if name in done or not git.is_dir():
            continue
        for fix in mined(git, runs, most=most, seed=seed):
            kept(path, [fix.origin], lambda _, fix=fix: mined_row(fix, runs))
        with through.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"name": name}) + "\n")
    return [row for row in rows_of(path) if row.get("failing")]


def main() -> None:
    """All stages, and the tables as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--mirror", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--n", type=int, default=40)
    parser.add_argument("--imagine", type=int, default=12)
    parser.add_argument("--pool", type=int, default=16)
    parser.add_argument("--commits", type=int, default=800)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    bugs = {bug.name: bug for bug in read_quixbugs(asked.data)[: asked.n]}
    with caller() as runs:
        told = _measured(asked, bugs, runs)
    (asked.out / "summary.json").write_text(json.dumps(told, indent=1), "utf-8")
    print(json.dumps(told, indent=1))


def _measured(asked: argparse.Namespace, bugs: dict[str, BuggyProgram], runs: Caller) -> dict[str, Any]:
    def one(name: str) -> dict[str, Any]:
        bug = bugs[name]
        return truth(name, bug.program, bug.tests, bug.right, runs)

    rows = kept(asked.out / "truth.jsonl", list(bugs), one)
    by_name = {row["name"]: row for row in rows}
    solved = [row for row in rows if row.get("fixes")]
    fuzz = kept(
        asked.out / "fuzz.jsonl", [row["name"] for row in solved],
        lambda name: fuzz_row(bugs[name], by_name[name], asked.data, runs, asked.seed),
    )  # fmt: skip
    real = mined_rows(asked.out, asked.mirror, runs, most=asked.commits, seed=asked.seed)
    short = sorted((row for row in solved if bugs[row["name"]].has_rows), key=lambda row: row["steps"])
    model = load_model("default") if asked.imagine else None
    imagined = kept(
        asked.out / "imagined.jsonl", [row["name"] for row in short[: asked.imagine]],
        lambda name: imagined_row(bugs[name], by_name[name], runs, model, asked.pool, asked.seed),
    )  # fmt: skip
    posed = [row for row in real if any(each[3] for each in row["candidates"])]
    return {
        "programs": len(rows), "candidates": sum(len(row.get("candidates", ())) for row in rows),
        "seconds of a test": SECONDS, "repaired": Share(len(solved), len(rows)).as_json(),
        "plausible patches": sum(len(row["fixes"]) for row in solved), "fuzzed": judged(fuzz),
        "orders": list(summary([quixbugs_orders(row) for row in solved])),
        "pools": list(summary([pool_orders(row) for row in imagined])),
        "bytes imagined": sum(row["bytes"] for row in imagined),
        "agreement": agreement(imagined),
        "real fixes": {
            "posed": len(real), "repaired": Share(len(posed), len(real)).as_json(),
            "the commit's own change found": sum(row["is_there"] for row in real),
            "orders": list(summary([quixbugs_orders(row) for row in posed])),
        },
        "cpu of this process": round(sum(row.get("cpu", 0.0) for row in (*rows, *fuzz, *real, *imagined)), 1),
    }  # fmt: skip


def agreement(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How often what is imagined agrees with the run on pass or fail, beside always saying fail."""
    cells = [(i, first) for row in rows for _, i, first, _ in row["pool"] if i is not None]
    agree = sum((i > 0.5) == first for i, first in cells)
    return {
        "imagined": Share(agree, len(cells)).as_json(),
        "always fail": Share(sum(not first for _, first in cells), len(cells)).as_json(),
    }  # fmt: skip


if __name__ == "__main__":
    main()

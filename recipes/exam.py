"""Compare two models on the same fresh documents, by lesson and by operation, in pairs.

    python recipes/exam.py draw EXAM.json --count 4000 --workers 14        # the streams' interpreter; split `test`
    python recipes/exam.py score EXAM.json MODEL SCORES                    # torch; a run or a model folder
    python recipes/exam.py compare EXAM.json FIXED ADAPTIVE                # right before and after, McNemar's p

Every lesson is drawn equally often; the first line weighs sources by the recipe's shares. Scores are
teacher-forced: a trace is right where greedy decoding would write it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROWS, TIME = 16, 8192


def draw(out: Path, *, count: int, workers: int, options: list[str]) -> None:
    """Draw documents in several processes and write them to one file."""
    words = [sys.executable, str(Path(__file__).resolve()), "part"]
    with tempfile.TemporaryDirectory() as space:
        parts = [Path(space) / f"{n}.json" for n in range(workers)]
        commands = [
            [*words, str(part), "--count", str(count // workers + 1), "--seed", str(n), *options]
            for n, part in enumerate(parts)
        ]
        for process in [subprocess.Popen(command) for command in commands]:
            if process.wait():
                raise SystemExit(process.returncode)
        drawn = [drill for part in parts for drill in json.loads(part.read_text())]
    out.write_text(json.dumps(drawn))
    print(f"{len(drawn):,} documents, {sum(len(d['text']) for d in drawn):,} bytes, in {out}")


def draw_part(out: Path, *, count: int, seed: int, recipe: str, function: str, exams: int) -> None:
    """Draw the documents of one process: drills in turn, and exams of each spacing up to 64."""
    from worldline.data.mixture import Mixture
    from worldline.data.recipe import load_config
    from worldline.learning.drills import DrillBook

    mixture = load_config(recipe, function, Mixture)
    book = DrillBook(mixture, seed=1_000_000 + seed, split="test", trust=True)
    shares = {source.label: source.weight for source in mixture.sources}
    drills = book.drills(count)
    for spacing in book.spacings:
        drills += book.exams(spacing, exams) if spacing <= 64 else []
    book.close()
    rows = [
        {
            "text": (drill.document.prompt + drill.document.steps).decode("latin-1"),
            "prompt": len(drill.document.prompt),
            "labels": drill.labels,
            "share": shares.get(drill.labels[0], 0.0),
            "shown": drill.shown,
        }
        for drill in drills
    ]
    out.write_text(json.dumps(rows))


def score(exam: Path, model: Path, out: Path, *, device: str | None) -> None:
    """Score the documents with a model; write correctness and log-probability of each."""
    import torch

    from worldline.model import checkpoint
    from worldline.model.hybrid import Trunk
    from worldline.model.shape import Shape
    from worldline.model.train.drills import score_documents
    from worldline.model.train.schedule import BatchPhase
    from worldline.model.train.start import load_weights

    where = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    manifest = checkpoint.read_manifest(checkpoint.resolve(model))
    trunk = Trunk(Shape(**manifest["shape"])).to(where)
    load_weights(trunk, model)
    documents = []
    for row in json.loads(exam.read_text()):
        text = row["text"].encode("latin-1")
        documents.append((text[: row["prompt"]], text[row["prompt"] :], row["shown"]))
    with torch.no_grad():
        scores = score_documents(trunk, [pair[:2] for pair in documents], BatchPhase(0.0, TIME, ROWS), where)
    rows = []
    for document_score, (_, _, shown) in zip(scores, documents, strict=True):
        steps = [[all(document_score.hits[a:b]), sum(document_score.logprobs[a:b])] for _, a, b in shown]
        rows.append([all(document_score.hits) if document_score.hits else None, sum(document_score.logprobs), steps])
    out.write_text(json.dumps(rows))
    known = [row for row in rows if row[0] is not None]
    print(f"{sum(row[0] for row in known):,} of {len(known):,} right, in {out}")


def compare(exam: Path, old_scores: Path, new_scores: Path) -> None:
    """Print, for every label and in total, how many are right with each model, the flips, and McNemar's p."""
    from worldline.core.stats import mcnemar

    flips: dict[str, list[int]] = {}
    shares: dict[str, float] = {}
    drills, before, after = (json.loads(path.read_text()) for path in (exam, old_scores, new_scores))

    def count(label: str, was: Any, now: Any) -> None:
        flips.setdefault(label, [0, 0, 0, 0])[2 * bool(was) + bool(now)] += 1

    for drill, was, now in zip(drills, before, after, strict=True):
        if was[0] is None or now[0] is None:
            continue
        shares[drill["labels"][0]] = drill["share"]
        for label in ("all traces", *drill["labels"]):
            count(label, was[0], now[0])
        for (operation, _, _), had, has in zip(drill["shown"], was[2], now[2], strict=True):
            count("all steps", had[0], has[0])
            count(f"operation {operation}", had[0], has[0])
    weighed = {label: share for label, share in shares.items() if share}
    for name, places in (("first", (2, 3)), ("second", (1, 3))):
        rates = {label: sum(flips[label][at] for at in places) / sum(flips[label]) for label in weighed}
        mean = sum(weighed[label] * rate for label, rate in rates.items()) / sum(weighed.values())
        print(f"by the recipe's shares, {name}: {mean:.1%}")
    print(f"{'label':40} {'n':>6} {'first':>7} {'second':>7} {'lost':>5} {'won':>5} {'p':>8}")
    axes = ("all", "source", "kind", "mode", "reveal", "operation")
    for label, (wrong, won, lost, right) in sorted(
        flips.items(), key=lambda item: (axes.index(item[0].split()[0]), -sum(item[1]))
    ):
        n = wrong + won + lost + right
        rates = f"{(lost + right) / n:7.1%} {(won + right) / n:7.1%}"
        print(f"{label:40} {n:6} {rates} {lost:5} {won:5} {mcnemar(lost, won):8.4f}")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("draw", "part", "score", "compare"))
    parser.add_argument("exam", type=Path)
    parser.add_argument("paths", type=Path, nargs="*")
    parser.add_argument("--count", type=int, default=4000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--recipe", default=str(HERE / "shipped.py"))
    parser.add_argument("--function", default="data")
    parser.add_argument("--exams", type=int, default=4, help="of each spacing, in each process")
    parser.add_argument("--device")
    arguments = parser.parse_args()
    if arguments.what == "draw":
        options = ["--recipe", arguments.recipe, "--function", arguments.function, "--exams", str(arguments.exams)]
        draw(arguments.exam, count=arguments.count, workers=arguments.workers, options=options)
    elif arguments.what == "part":
        draw_part(
            arguments.exam,
            count=arguments.count,
            seed=arguments.seed,
            recipe=arguments.recipe,
            function=arguments.function,
            exams=arguments.exams,
        )
    elif arguments.what == "score":
        score(arguments.exam, *arguments.paths, device=arguments.device)
    else:
        compare(arguments.exam, *arguments.paths)


if __name__ == "__main__":
    main()

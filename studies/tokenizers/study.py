"""Tokenizer study: bytes against BPE and Llama 3's tokens, with the same trunk, traces and budget.

    python studies/tokenizers/study.py prepare               draw the corpus, train the BPE (records programs)
    python studies/tokenizers/study.py train --out DIR       train and measure every arm (a GPU: minutes)
    python studies/tokenizers/study.py report DIR/tokenizers.json...   docs/concepts/tokenizers.md and its plot

Each act imports only what it needs, since they run on different machines.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import fields
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".carry" / "tokenizers"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    acts = parser.add_subparsers(dest="act", required=True)
    _prepare_options(acts.add_parser("prepare"))
    _train_options(acts.add_parser("train"))
    report = acts.add_parser("report")
    report.add_argument("results", type=Path, nargs="+")
    report.add_argument("--docs", type=Path, default=ROOT / "docs")
    arguments = parser.parse_args()
    {"prepare": _prepare, "train": _train, "report": _report}[arguments.act](arguments)


def _prepare_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--documents", type=int, default=120_000)
    parser.add_argument("--held-out", type=int, default=3_000)
    parser.add_argument("--vocabulary", type=int, default=4096, help="of the BPE trained on the corpus")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="processes; another number draws other programs")


def _train_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--arms", default="bytes,bpe,llama3,bpe-compute")
    numbers = {"depth": 5, "rows": 16, "time": 4096, "seed": 0, "documents": 0, "held-out": 0}
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--epochs", type=float, default=2.0)
    parser.add_argument("--minutes", type=float, default=1.0, help="at most, for each arm's training")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")


def _prepare(arguments: argparse.Namespace) -> None:
    from corpus import prepare

    facts = prepare(
        arguments.folder,
        documents=arguments.documents,
        held_out=arguments.held_out,
        vocabulary=arguments.vocabulary,
        seed=arguments.seed,
        workers=arguments.workers,
    )
    print(json.dumps(facts, indent=1))


def _train(arguments: argparse.Namespace) -> None:
    from arms import ARMS, Options, run

    arms = arguments.arms.split(",")
    if unknown := set(arms) - set(ARMS):
        raise SystemExit(f"no such arms: {', '.join(sorted(unknown))}; there are {', '.join(ARMS)}")
    options = Options(**{option.name: getattr(arguments, option.name) for option in fields(Options)})
    run(arguments.folder, arguments.out, options, arms)


def _report(arguments: argparse.Namespace) -> None:
    from write_up import report

    report(arguments.results, arguments.docs)


if __name__ == "__main__":
    main()

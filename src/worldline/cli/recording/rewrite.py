"""The command `rewrite`: an easier, equivalent program."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from worldline.cli import options as opt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from worldline.data.equivalence import Proof
    from worldline.data.forms.rewriting import RewriteReport, TraceSize


@click.command()
@click.argument("file", type=click.Path())
@opt.option("--call", metavar="EXPRESSION", note="used for costs and for --prove")
@opt.add_option("--flatten", is_flag=True, help="One operation per line; comprehensions as loops")
@opt.add_option("--chars", is_flag=True, help="String methods as loops over characters")
@opt.add_option("--prove", type=opt.COUNT, help="Execute both on the call and on N random ones")
@opt.option("--seed", type=int, default=0, note="for the random calls")
@opt.limit_options
@opt.trust_option
@opt.json_option
@opt.quiet_option
@opt.option("--out", metavar="FILE", note="the new source")
def rewrite(
    file: str, call: str | None, prove: int | None, steps: int | None, as_json: bool, out: str | None, **options: Any
) -> None:
    """Rewrite FILE into an equivalent program that is simpler.

    Exit code 1 if --prove finds a difference.
    """
    from worldline.data.forms.rewriting import rewrite as run
    from worldline.data.program_file import load_program
    from worldline.storage import files

    has_cost = as_json or call is not None or prove is not None
    program = load_program(file, call=call)
    with opt.spinner(f"rewriting {Path(file).name}"):
        report = run(program, prove=prove, max_steps=steps, cost=has_cost, **options)
    if out is not None:
        files.write(Path(out), report.program.source.encode("utf-8", "surrogateescape"))
    if as_json:
        click.echo(json.dumps(_as_json(report)))
    elif out is None:
        click.echo(report.program.source, nl=not report.program.source.endswith("\n"))
    if not as_json:
        _print_facts(report)
    if report.proof is not None:
        _print_proof(report.proof, quiet=as_json)


def _as_json(report: RewriteReport) -> dict[str, Any]:
    done = report.rewritten
    cost = {when: asdict(size) for when, size in report.costs.items()}
    facts = {"source": done.source, "changed": done.changed, "lines": done.lines, "why": done.why, "cost": cost}
    return facts | ({"proof": asdict(report.proof)} if report.proof else {})


def _print_facts(report: RewriteReport) -> None:
    if not report.rewritten.changed:
        click.echo(f"not rewritten, because {report.rewritten.why}", err=True)
    if report.costs:
        _print_cost(report.costs)


def _print_cost(costs: Mapping[str, TraceSize]) -> None:
    before, after = asdict(costs["before"]), asdict(costs["after"])
    pairs = [f"{before[what]:,} -> {after[what]:,} {what}" for what in ("steps", "bytes", "tokens")]
    click.echo(f"cost: {', '.join(pairs)} ({before['tokenizer']}, Meta's format)", err=True)


def _print_proof(proof: Proof, *, quiet: bool) -> None:
    if not quiet:
        for difference in proof.differences:
            click.echo(f"finding: {difference.call}: {difference.before} became {difference.after}", err=True)
        counts = f"{proof.same:,} runs equal, {len(proof.differences):,} different, {proof.undecided:,} undecided"
        click.echo(counts, err=True)
    if proof.differences:
        raise click.exceptions.Exit(1)

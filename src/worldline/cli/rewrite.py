"""The verb that makes an easier, equivalent program: `rewrite`. No logic: it calls `rewrite`, `data` and `codec`."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import click

from worldline.cli.options import limited, limits_of, trusted
from worldline.core.errors import UsageError

if TYPE_CHECKING:
    from worldline.core.program import Program
    from worldline.data.equivalence import Proof


@click.command()
@click.argument("file", type=click.Path())
@click.option("--call", metavar="EXPRESSION", help="The call that the cost and the proof are of.")
@click.option("--flatten", is_flag=True, help="One operation a line; comprehensions as loops.")
@click.option("--chars", is_flag=True, help="String methods as loops over characters.")
@click.option(
    "--prove", type=click.IntRange(min=0), metavar="N", help="Run both on the call and on N drawn ones."
)
@click.option("--seed", type=int, default=0, help="Which calls are drawn [0].")
@limited
@trusted
@click.option("--json", "as_json", is_flag=True, help="Print source, line map, cost and proof as JSON.")
@click.option("-o", "--out", metavar="FILE", help="Write the new source there.")
def rewrite(
    file: str,
    call: str | None,
    flatten: bool,
    chars: bool,
    prove: int | None,
    seed: int,
    as_json: bool,
    out: str | None,
    **options: Any,
) -> None:
    """Rewrite FILE into an equivalent program that is easier to follow. Exit 1 when the proof finds a difference."""
    from worldline.analyze.rewrite import rewrite as rewritten
    from worldline.core.limits import Limits
    from worldline.data.equivalence import PROOF_LIMITS
    from worldline.recording.collect import collect
    from worldline.storage import files

    if not (flatten or chars):
        raise UsageError("say --flatten, --chars or both")
    old = collect(file, argv=(), call=call, entry=None, stdin="")
    done = rewritten(old.source, flatten=flatten, chars=chars, call=call, language=old.language)
    if old.language != "python" or done.why.startswith("it is not Python"):
        raise UsageError(f"{file} is not rewritten, because {done.why}")
    new = replace(old, source=done.source)
    if out is not None:
        files.write(Path(out), new.source.encode("utf-8", "surrogateescape"))
    bounds = limits_of(dict(options), Limits())
    proof = None if prove is None else _proof(old, new, prove, seed, limits_of(options, PROOF_LIMITS))
    if as_json:
        shown = {"source": done.source, "changed": done.changed, "lines": done.lines, "why": done.why}
        shown |= _costs(old, new, bounds)
        click.echo(json.dumps(shown | ({"proof": asdict(proof)} if proof else {})))
    elif out is None:
        click.echo(new.source, nl=not new.source.endswith("\n"))
    if not done.changed and not as_json:
        click.echo(f"not rewritten, because {done.why}", err=True)
    if not as_json and (call is not None or prove is not None):
        _tell_cost(_costs(old, new, bounds)["cost"])
    if proof is not None:
        _tell(proof, quiet=as_json)


def _proof(old: Program, new: Program, count: int, seed: int, limits: Any) -> Proof:
    from worldline.data.equivalence import draw_calls, prove

    return prove(old, new, calls=[old.call, *draw_calls(old, Random(seed), count)], limits=limits)


def _tell_cost(cost: dict[str, Any]) -> None:
    before, after = cost["before"], cost["after"]
    told = [f"{before[what]:,} -> {after[what]:,} {what}" for what in ("steps", "bytes", "tokens")]
    click.echo(f"cost: {', '.join(told)} ({before['tokenizer']}, Meta's format)", err=True)


def _tell(proof: Proof, *, quiet: bool) -> None:
    if not quiet:
        for difference in proof.differences:
            click.echo(f"finding: {difference.call}: {difference.before} became {difference.after}", err=True)
        told = f"{proof.same:,} runs alike, {len(proof.differences):,} differ, {proof.undecided:,} decide nothing"
        click.echo(told, err=True)
    if proof.differences:
        raise click.exceptions.Exit(1)


def _costs(old: Program, new: Program, limits: Any) -> dict[str, Any]:
    """What the traces of both cost: steps, bytes of the compact format, tokens of Meta's."""
    from worldline.codec.cost import cost
    from worldline.data import vocabularies
    from worldline.recording.recorder import record_many

    name = "llama3" if vocabularies.llama3_path() else "bytes"
    table = cost(record_many([old, new], limits=limits), [vocabularies.load(name)], 131_072)
    found: dict[str, Any] = {}
    for when, row in zip(("before", "after"), table.rows, strict=True):
        by_format = {each.format: each.whole for each in row.costs}
        found[when] = {
            "steps": row.steps,
            "outcome": row.outcome,
            "bytes": by_format["compact"].bytes,
            "tokens": by_format["cwm"].tokens[name],
            "tokenizer": name,
        }
    return {"cost": found}

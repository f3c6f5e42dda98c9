"""A program rewritten into an easier one, with the proof that both do the same and what the traces of both cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random

from worldline.analyze.rewrite import Rewritten
from worldline.analyze.rewrite import rewrite as rewrite_source
from worldline.core.errors import UsageError
from worldline.core.language import Feature
from worldline.core.limits import Limits, adjusted
from worldline.core.program import Program
from worldline.data import vocabularies
from worldline.data.equivalence import PROOF_LIMITS, Proof, draw_calls
from worldline.data.equivalence import prove as prove_equivalent
from worldline.recording.recorder import record_many


@dataclass(frozen=True, kw_only=True)
class TraceSize:
    """What the trace of one program costs: `bytes` of the compact notation, `tokens` of Meta's."""

    steps: int
    outcome: str
    bytes: int
    tokens: int
    tokenizer: str


@dataclass(frozen=True, kw_only=True)
class RewriteReport:
    """A rewriting: the new program, how its lines map to the old ones, and what was measured of both.

    `costs` has `before` and `after`; it is empty, and `proof` None, where they were not asked for.
    """

    program: Program
    rewritten: Rewritten
    costs: Mapping[str, TraceSize] = field(default_factory=dict)
    proof: Proof | None = None


def rewrite(
    program: Program,
    *,
    flatten: bool = False,
    chars: bool = False,
    prove: int | None = None,
    seed: int = 0,
    cost: bool = False,
    max_steps: int | None = None,
    wall: float | None = None,
    trust: bool = False,
) -> RewriteReport:
    """Rewrite a Python program into an equivalent one that is easier to follow.

    Args:
        program: The program; its call is what costs and the proof are of.
        flatten: Write one operation per line, and comprehensions as loops.
        chars: Write string methods as loops over characters.
        prove: Execute both programs on the call and on this many drawn calls, and compare how they end.
        seed: Which calls are drawn for the proof.
        cost: Record both programs and compare the sizes of their traces.
        max_steps: Limit of every execution: recorded steps.
        wall: Limit of every execution: seconds.
        trust: Execute without a sandbox.

    Returns:
        The new program, its line map, and the costs and the proof that were asked for.

    Raises:
        UsageError: Neither form was chosen, or the program is not Python.
    """
    if not (flatten or chars):
        raise UsageError("say --flatten, --chars or both")
    done = rewrite_source(program.source, flatten=flatten, chars=chars, call=program.call, language=program.language)
    if not program.lang.offers(Feature.REWRITE) or done.why.startswith("it is not Python"):
        raise UsageError(f"{program.name} is not rewritten, because {done.why}")
    new = replace(program, source=done.source)
    usual, tight = (adjusted(some, max_steps=max_steps, wall=wall) for some in (Limits(), PROOF_LIMITS))
    return RewriteReport(
        program=new,
        rewritten=done,
        costs=_costs(program, new, usual, trust) if cost else {},
        proof=None if prove is None else _proof(program, new, prove, seed, tight, trust),
    )


def _proof(old: Program, new: Program, count: int, seed: int, limits: Limits, trust: bool) -> Proof:
    calls = [old.call, *draw_calls(old, Random(seed), count)]
    return prove_equivalent(old, new, calls=calls, limits=limits, trust=trust)


def _costs(old: Program, new: Program, limits: Limits, trust: bool) -> dict[str, TraceSize]:
    """Steps, bytes of the compact notation and tokens of Meta's, of the traces of both."""
    name = "llama3" if vocabularies.llama3_path() else "bytes"
    table = vocabularies.cost(record_many([old, new], limits=limits, trust=trust), tokenizers=[name])
    sizes = {}
    for when, row in zip(("before", "after"), table.rows, strict=True):
        whole = {notation.format: notation.whole for notation in row.costs}
        sizes[when] = TraceSize(
            steps=row.steps,
            outcome=row.outcome,
            bytes=whole["compact"].bytes,
            tokens=whole["cwm"].tokens[name],
            tokenizer=name,
        )
    return sizes

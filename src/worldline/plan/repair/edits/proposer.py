"""The built-in edits as a proposer: every edit of every function that still compiles."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files

from worldline.plan.repair.candidate import BY_EDITS, Defect, RepairCandidate
from worldline.plan.repair.edits.expressions import copied_statements, expressions, first_values, guards
from worldline.plan.repair.edits.operators import off_by_one, operators, order
from worldline.plan.repair.edits.parsed import NamesInScope, ParsedSource, SpanEdit, find_functions, own_nodes
from worldline.plan.repair.edits.scope import find_names
from worldline.plan.repair.edits.statements import statements
from worldline.plan.repair.edits.values import called, constants, names, operands, others, slices, wrappings


def conditions(code: ParsedSource, node: ast.AST, find_names: NamesInScope) -> Iterator[SpanEdit]:
    """Negate, extend or replace a condition."""
    if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
        yield from _condition_edits(code, node.test, find_names)
    elif isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield from _condition_edits(code, test, find_names)


def _condition_edits(code: ParsedSource, test: ast.expr, find_names: NamesInScope) -> Iterator[SpanEdit]:
    text = code.text(test)
    if isinstance(test, ast.BoolOp | ast.IfExp | ast.Lambda):
        text = f"({text})"
    is_plain = isinstance(test, ast.Name | ast.Call | ast.Attribute | ast.Compare | ast.Subscript)
    yield code.replace(test, f"not {text}" if is_plain else f"not ({code.text(test)})", "condition")
    owners = [code.text(n.value) for n in ast.walk(test) if isinstance(n, ast.Attribute)]
    for name in dict.fromkeys([*owners, *find_names.names]):
        for guard in (f"not {name} or ", f"{name} and ", f"{name} is None or ", f"{name} is not None and "):
            yield code.replace(test, guard + text, "condition")
        for guard in (f" or not {name}", f" and {name}", f" or {name}", f" and not {name}"):
            yield code.replace(test, text + guard, "condition")
        if isinstance(test, ast.Constant):
            yield code.replace(test, name, "condition")
            yield code.replace(test, f"not {name}", "condition")


def returns(code: ParsedSource, node: ast.AST, find_names: NamesInScope) -> Iterator[SpanEdit]:
    """Return something else: a name, a test of it, the negation."""
    if not isinstance(node, ast.Return):
        return
    if node.value is None:
        start, end = code.span(node)
        for name in find_names.names:
            yield SpanEdit(start, end, f"return {name}", "return", *code.reach(node))
        return
    for name in find_names.names:
        replacements = (name, f"not {name}", f"{name} == 0", f"{name} > 0", f"bool({name})")
        for text in replacements if isinstance(node.value, ast.Constant) else replacements[:1]:
            yield code.replace(node.value, text, "return")
    if isinstance(node.value, ast.Compare | ast.Name | ast.Call):
        yield code.replace(node.value, f"not {code.text(node.value)}", "return")


EditRule = Callable[[ParsedSource, ast.AST, NamesInScope], Iterator[SpanEdit]]
EDIT_RULES: tuple[EditRule, ...] = (
    operators,
    off_by_one,
    order,
    names,
    called,
    constants,
    conditions,
    returns,
    operands,
    slices,
    wrappings,
    others,
    statements,
    first_values,
    expressions,
    copied_statements,
    guards,
)


class EditProposer:
    """Proposes all edits of `EDIT_RULES`, in the order of the text."""

    name = BY_EDITS

    def propose(self, defect: Defect, /) -> Iterator[RepairCandidate]:
        """Propose each edit that compiles, once."""
        code = ParsedSource(defect.source, defect.name)
        seen = {defect.source}
        for edit in sorted(find_edits(code, defect.kinds), key=lambda edit: (edit.line, edit.start)):
            source, lines = edit.apply(defect.source), range(edit.line, edit.last + 1)
            if source in seen or not may_matter(code, lines, defect.reached):
                continue
            seen.add(source)
            if _is_python(source):
                yield RepairCandidate(source=source, kind=edit.kind, lines=lines)


def may_matter(code: ParsedSource, lines: range, reached: frozenset[int] | None) -> bool:
    """Whether a change of these lines can alter the run; always true outside function bodies."""
    if reached is None or not reached.isdisjoint(lines):
        return True
    return not any(start < lines.start <= end for start, end in code.bodies)


def find_edits(code: ParsedSource, kinds_seen: Mapping[str, frozenset[str]] | None = None) -> Iterator[SpanEdit]:
    """Yield every edit of every function and of module statements, whether it compiles or not."""
    for owner in (code.tree, *find_functions(code.tree)):
        offered = find_names(code, owner, kinds_seen)
        for node in (owner, *own_nodes(owner)):
            if owner is code.tree and isinstance(node, ast.Module | ast.Import | ast.ImportFrom):
                continue
            for change in EDIT_RULES:
                yield from change(code, node, offered)


def _is_python(source: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # for example about a list that is called
        try:
            compile(source, "candidate", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


@cache
def kind_shares() -> dict[str, float]:
    """Return the share of each kind of edit among fixes."""
    text = files(__package__).joinpath("kinds.txt").read_text("utf-8")
    rows = [line.rsplit(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
    total = sum(float(share) for _, share in rows)
    return {kind.strip(): float(share) / total for kind, share in rows}

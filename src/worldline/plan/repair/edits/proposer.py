"""The general set of small changes as a proposer: every change of every function, that still is Python."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files

from worldline.plan.repair.candidate import Defect, RepairCandidate
from worldline.plan.repair.edits.operators import off_by_one, operators, order
from worldline.plan.repair.edits.parsed import NamesInScope, ParsedSource, SpanEdit, functions, own_nodes
from worldline.plan.repair.edits.scope import scope
from worldline.plan.repair.edits.statements import statements
from worldline.plan.repair.edits.values import called, constants, names, operands, others, slices, wrappings


def conditions(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """A condition negated, joined with one more, or another altogether."""
    if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
        yield from _tested(code, node.test, scope)
    elif isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield from _tested(code, test, scope)


def _tested(code: ParsedSource, test: ast.expr, scope: NamesInScope) -> Iterator[SpanEdit]:
    text = code.text(test)
    if isinstance(test, ast.BoolOp | ast.IfExp | ast.Lambda):
        text = f"({text})"
    is_plain = isinstance(test, ast.Name | ast.Call | ast.Attribute | ast.Compare | ast.Subscript)
    yield code.replaced(test, f"not {text}" if is_plain else f"not ({code.text(test)})", "condition")
    owners = [code.text(n.value) for n in ast.walk(test) if isinstance(n, ast.Attribute)]
    for name in dict.fromkeys([*owners, *scope.names]):
        for guard in (f"not {name} or ", f"{name} and ", f"{name} is None or ", f"{name} is not None and "):
            yield code.replaced(test, guard + text, "condition")
        for guard in (f" or not {name}", f" and {name}", f" or {name}", f" and not {name}"):
            yield code.replaced(test, text + guard, "condition")
        if isinstance(test, ast.Constant):
            yield code.replaced(test, name, "condition")
            yield code.replaced(test, f"not {name}", "condition")


def returns(code: ParsedSource, node: ast.AST, scope: NamesInScope) -> Iterator[SpanEdit]:
    """Something else returned: a name, whether it is nothing, the opposite."""
    if not isinstance(node, ast.Return):
        return
    if node.value is None:
        start, end = code.span(node)
        for name in scope.names:
            yield SpanEdit(start, end, f"return {name}", "return", *code.reach(node))
        return
    for name in scope.names:
        replacements = (name, f"not {name}", f"{name} == 0", f"{name} > 0", f"bool({name})")
        for text in replacements if isinstance(node.value, ast.Constant) else replacements[:1]:
            yield code.replaced(node.value, text, "return")
    if isinstance(node.value, ast.Compare | ast.Name | ast.Call):
        yield code.replaced(node.value, f"not {code.text(node.value)}", "return")


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
)


class EditProposer:
    """All small changes that `CHANGES` makes, in the order of the text."""

    name = "edits"

    def propose(self, defect: Defect, /) -> Iterator[RepairCandidate]:
        """Each change that parses, once, as a candidate."""
        code = ParsedSource(defect.source, defect.name)
        seen = {defect.source}
        for edit in sorted(edits(code, defect.kinds), key=lambda edit: (edit.line, edit.start)):
            source, lines = edit.applied(defect.source), range(edit.line, edit.last + 1)
            if source in seen or not may_matter(code, lines, defect.reached):
                continue
            seen.add(source)
            if _is_python(source):
                yield RepairCandidate(source=source, kind=edit.kind, lines=lines)


def may_matter(code: ParsedSource, lines: range, reached: frozenset[int] | None) -> bool:
    """Whether a change of these lines can alter a run that reached those: heads and the module's own lines always."""
    if reached is None or not reached.isdisjoint(lines):
        return True
    return not any(start < lines.start <= end for start, end in code.bodies)


def edits(code: ParsedSource, kinds_seen: Mapping[str, frozenset[str]] | None = None) -> Iterator[SpanEdit]:
    """Every change of every function, and of the module's own statements, whether it parses or not."""
    for owner in (code.tree, *functions(code.tree)):
        offered = scope(code, owner, kinds_seen)
        for node in (owner, *own_nodes(owner)):
            if owner is code.tree and isinstance(node, ast.Module | ast.Import | ast.ImportFrom):
                continue
            for change in EDIT_RULES:
                yield from change(code, node, offered)


def _is_python(source: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as a list that is called: it is tried, and fails
        try:
            compile(source, "candidate", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


@cache
def kinds() -> dict[str, float]:
    """The share of each kind of change among fixes."""
    text = files(__package__).joinpath("kinds.txt").read_text("utf-8")
    rows = [line.rsplit(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")]
    total = sum(float(share) for _, share in rows)
    return {kind.strip(): float(share) / total for kind, share in rows}

"""Composes functions from statement templates, over texts or over numbers, lists and dicts.

Every statement uses bound variables of the right type, so that nearly every program returns: `$ints` is a variable
in scope, `$new_ints` a new one, `$to_ints` either, `$each_int` a loop's own. Most statements use the latest result.
Loops run over existing values that their bodies do not change, so that every program ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from worldline.core.program import Program
from worldline.programs.generate import values
from worldline.programs.generate.language.construction import Construction, Variable
from worldline.programs.generate.language.expansion import begin, expand
from worldline.programs.generate.language.library import blocks, lines, words
from worldline.programs.generate.language.template import Pieces, parse
from worldline.programs.generate.language.vocabulary import ELEMENT, LOCAL, role_of
from worldline.programs.generate.values.containers import keys
from worldline.programs.generate.values.spelling import spell

_KIND = r"(?:ints?|strs?|counts|bool)"
_READ = re.compile(rf"\$({_KIND}\d?)\b")
_NEW = re.compile(rf"\$(new|each|to)_({_KIND})\b")
# A typed role that some line assigns to, deletes from or changes by a method.
_ASSIGNED = re.compile(
    rf"(?:^|\||«)[! ]*(?:del )?\$({_KIND}\d?)\b(?:\[[^\n|=]*\]|, \$\w+)?(?: [-+*/%]*= |$|\|)", re.MULTILINE
)
_SECOND = re.compile(rf"^\${_KIND}, \$({_KIND}\d?) = ")
_CHANGED = re.compile(
    r"\$((?:ints|strs|counts)\d?)\.(?:«|append|insert|extend|pop|remove|sort|reverse|clear|update|setdefault)"
)
# What must not be done over and over: powers, products with itself, texts that double.
_EXPLODES = re.compile(
    r"\*\*|\b(\w+) \* \(?\1\b|\b(\w+) = \2 \+ \2\b|\b(\w+) \* \d+ for \3 in\b|\b(\w+) \+ .+ \+ \4\b|\.join\(\w+\) for\b"
)
_BODY = re.compile(r"^( +)@body\n", re.MULTILINE)
_WORD = re.compile(r"\w+")
_DIGITS = "0123456789"
_MAX_ATTEMPTS = 40  # for a statement whose variables can be had


@dataclass(frozen=True, kw_only=True)
class Manner:
    """How functions of one kind are composed: probabilities (some by nesting depth) and statement counts."""

    name: str
    counts: tuple[int, ...]  # of statements
    compound: tuple[float, ...]  # how often a statement is a block, by depth
    recent: float  # how often a role takes the variable that was made last
    follows: float  # how often a statement must use it
    plain: float  # how often a variable is returned as it is
    paired: float  # how often with another beside it


TEXT = Manner(
    name="text", counts=(0, 1, 1, 2, 2, 2, 2, 3, 3, 4), compound=(0.5,), recent=0.9, follows=0.9, plain=0.2, paired=0.03
)
DATA = Manner(
    name="data", counts=(2, 2, 3, 3, 4, 5), compound=(0.5, 0.2, 0.0), recent=0.5, follows=0.4, plain=0.55, paired=0.2
)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement template: its pieces (None marks a nested body) and the typed roles it reads and makes."""

    pieces: tuple[tuple[Pieces | None, str], ...]  # with the indentation of what stands there
    needs: tuple[str, ...]
    makes: tuple[tuple[str, str], ...]
    writes: frozenset[str]
    kinds: frozenset[str]  # of what it needs
    once: bool  # not for the inside of loops and branches
    branch: bool


def _statement(text: str) -> Statement:
    once = text.startswith("!")
    text = text.lstrip("!")
    pieces: list[tuple[Pieces | None, str]] = []
    at = 0
    for match in _BODY.finditer(text + "\n"):
        pieces += [(parse(text[at : match.start()]), ""), (None, match[1])]
        at = match.end()
    if at < len(text):
        pieces.append((parse(text[at:] + "\n"), ""))
    makes = tuple(sorted(set(_NEW.findall(text))))
    written = {match[1] for pattern in (_ASSIGNED, _SECOND, _CHANGED) for match in pattern.finditer(text)}
    written |= {kind for mode, kind in makes if mode == "to"}
    needs = {*_READ.findall(text), *(kind for mode, kind in makes if mode == "to")}
    return Statement(
        pieces=tuple(pieces),
        needs=tuple(sorted(needs, key=lambda role: (role not in written, role))),
        makes=makes,
        writes=frozenset(written),
        kinds=frozenset(need.rstrip(_DIGITS) for need in needs),
        once=once or (len(pieces) == 1 and any(mode == "new" for mode, _ in makes)),
        branch=text.startswith("if"),
    )


@cache
def _library(name: str, *, compound: bool) -> tuple[Statement, ...]:
    return tuple(
        map(_statement, blocks(f"statements/{name}_blocks") if compound else lines(f"statements/{name}_lines"))
    )


@cache
def _returns(name: str, kind: str) -> tuple[Statement, ...]:
    """Return the return expressions whose first variable has this type."""
    about = (line for line in lines(f"statements/{name}_returns") if _READ.findall(line)[0] == kind)
    return tuple(map(_statement, about))


@dataclass
class _Function:
    """A function under composition."""

    manner: Manner
    scope: Construction
    passed: dict[str, Any]  # what its parameters are called with
    last: str = ""  # the variable that was made or changed last

    def bind(self, statement: Statement, main: dict[str, str] | None = None) -> dict[str, str] | None:
        """Choose a variable for every role of a statement; loop variables are read, never written.

        Returns:
            The variable names by role, or None if a role has no candidate.
        """
        bound: dict[str, str] = dict(main or {})
        rng = self.scope.rng
        for need in statement.needs:
            if need in bound:
                continue
            kind = need.rstrip(_DIGITS)
            free = [
                variable
                for variable in self.scope.variables
                if variable.kind == kind and variable.name not in bound.values()
            ]
            if need in statement.writes:
                free = [variable for variable in free if not variable.fixed]
            if not free:
                return None
            # What was made last, a loop's variable above all, is what one goes on with.
            recent = max(0.8, self.manner.recent) if free[-1].fixed else self.manner.recent
            newest = next((variable for variable in free if variable.name == self.last), free[-1])
            bound[need] = (newest if rng.random() < recent else rng.choice(free)).name
        return bound

    def statements(self, count: int, depth: int) -> tuple[str, list[str]]:
        """Write `count` statements.

        Returns:
            Their text and the names they wrote; empty if no statement fits.
        """
        rng, manner = self.scope.rng, self.manner
        out: list[str] = []
        written: list[str] = []
        spent: list[int] = []
        for _ in range(count):
            known = {statement.kind for statement in self.scope.variables}
            compound = rng.random() < manner.compound[min(depth, len(manner.compound) - 1)]
            for _ in range(_MAX_ATTEMPTS):
                statement = rng.choice(_library(manner.name, compound=compound))
                if (depth and statement.once) or not statement.kinds <= known or id(statement) in spent:
                    continue
                bound = self.bind(statement)
                if bound is None or (self.last not in bound.values() and rng.random() < manner.follows):
                    continue
                text, names = self.write(statement, bound, depth)
                if text:
                    out.append(text)
                    written += names
                    spent.append(id(statement))
                    break
        return "".join(out), written

    def write(self, statement: Statement, bound: dict[str, str], depth: int) -> tuple[str, list[str]]:
        """Write one statement.

        Returns:
            Its text and the names it wrote; both empty if its body could not be composed.
        """
        scope = self.scope
        before, outer_values = dict(scope.names), scope.passed_values
        scope.passed_values = self.about(bound) or outer_values
        loop_variables, new = self.born(statement, bound)
        roles = bound | {f"each_{variable.kind}": variable.name for variable in loop_variables} | new
        scope.names.update(roles)
        reach = scope.variables
        counters = [Variable(name, "int", fixed=True) for role, name in new.items() if role == "new_int"]
        unused = [variable for variable in reach if statement.branch or variable.name not in bound.values()]
        inside = unused + (loop_variables or counters)
        written = [bound[role] for role in sorted(statement.writes & bound.keys())] + list(new.values())
        out: list[str] = []
        for pieces, indent in statement.pieces:
            if pieces is not None:
                out.append(expand(pieces, scope))
                continue
            scope.variables = inside
            text, more = self.body(depth + 1, [variable.name for variable in (loop_variables or counters)])
            scope.variables = reach
            scope.names.update(roles)
            if not text:
                out.clear()
                break
            written += more
            out.append("".join(f"{indent}{line}\n" for line in text.splitlines()))
        scope.names, scope.passed_values = before, outer_values
        if out:
            known = {variable.name for variable in reach}
            reach += [Variable(name, role.partition("_")[2]) for role, name in new.items() if name not in known]
            self.last = written[-1] if written else self.last
        return "".join(line + "\n" for line in "".join(out).splitlines() if line.strip()), written

    def about(self, bound: dict[str, str]) -> list[Any]:
        """Return the known values of the bound variables, for makers such as `maybe`."""
        values = [self.passed[name] for name in bound.values() if name in self.passed]
        if "counts" in bound and not any(isinstance(value, dict) for value in values):
            values.append(dict.fromkeys(keys(self.scope.rng, 4), 0))
        return values

    def born(self, statement: Statement, bound: dict[str, str]) -> tuple[list[Variable], dict[str, str]]:
        """Return the loop variables of a statement, and names for its new variables by role."""
        scope = self.scope
        loop_variables: list[Variable] = []
        new: dict[str, str] = {}
        for mode, kind in statement.makes:
            if mode == "each":
                loop_variables.append(Variable(scope.fresh(role_of(kind, use=ELEMENT)), kind, fixed=True))
            elif mode == "to" and scope.rng.random() < 0.6:
                new[f"to_{kind}"] = bound[kind]
            else:
                new[f"{mode}_{kind}"] = scope.fresh(role_of(kind, use=LOCAL))
        return loop_variables, new

    def body(self, depth: int, loop: list[str]) -> tuple[str, list[str]]:
        """Write the statements of a loop or branch; a loop should use its variables and must not explode."""
        text, written = "", list[str]()
        reach = self.scope.variables
        for _ in range(6):
            self.scope.variables = list(reach)
            text, written = self.statements(self.scope.rng.choice((1, 1, 2)), depth)
            used = not loop or not set(loop).isdisjoint(_WORD.findall(text))
            if used and not _EXPLODES.search(text):
                break
        return text, written

    def result(self, written: list[str]) -> str:
        """Write the return expression, mostly about the variable that was written last."""
        scope, manner = self.scope, self.manner
        rng = scope.rng
        known = [
            variable
            for variable in scope.variables
            if variable.kind in ("int", "ints", "str", "strs", "counts", "bool")
        ]
        recent = [variable for variable in known if variable.name in written] or known[:1]
        latest = next((variable for variable in recent if variable.name == self.last), recent[-1])
        main = latest if rng.random() < max(0.6, manner.follows) else rng.choice(recent)
        roll = rng.random()
        if roll < manner.plain and (written or manner is DATA):
            return main.name
        other = rng.choice(recent if rng.random() < 0.6 else known)
        if roll < manner.plain + manner.paired and other is not main:
            pair = f"{main.name}, {other.name}"
            return rng.choice((pair, f"[{pair}]", f"({other.name}, {main.name})"))
        for _ in range(_MAX_ATTEMPTS):
            variable = rng.choice(_returns(manner.name, main.kind))
            bound = self.bind(variable, {main.kind: main.name})
            if bound is not None:
                scope.names.update(bound)
                pieces, _indent = variable.pieces[0]
                return expand(pieces or (), scope).strip()
        return main.name


_EXTRAS = {"char": "char", "sub": "other", "sep": "sep", "small": "k"}
_SUBJECTS = ("words", "strs!", "words!", "chars!")
_INPUTS = {"int": ("num", ()), "ints": ("ints", ("1", "6")), "strs": ("words", ("1", "5"))}
_SORTS = ("int", "int", "ints", "ints", "strs", "counts", "counts", "str", "ints")


def _guard(scope: Construction, main: Variable) -> str:
    rng, name = scope.rng, main.name
    if rng.random() > 0.12:
        return ""
    test = rng.choice((f"not {name}", f"not {name}", f"len({name}) == 0", f"len({name}) < {rng.randint(1, 4)}"))
    empty = ("''", "''", "None", name, "-1") if main.kind == "str" else ("[]", "None", "''", name)
    return f"if {test}:\n    return {rng.choice(empty)}\n"


def text(rng: Random) -> Program:
    """Compose a function of a few statements about a text or a list of texts, with further arguments."""
    scope = begin(rng, names=words("vocabulary/text_functions"))
    kind = "str" if rng.random() < 0.8 else "strs"
    subject = values.make(scope, "str" if kind == "str" else rng.choice(_SUBJECTS))
    subject = subject[:40] if kind == "str" else subject
    scope.passed_values.append(subject)
    main = scope.new(kind, local=False)
    passed: dict[str, Any] = {main.name: subject}
    for extra in rng.sample(tuple(_EXTRAS), rng.choice((0, 1, 1, 2, 2, 3))):
        parameter = scope.new(extra, name=scope.fresh(_EXTRAS[extra]))
        passed[parameter.name] = values.make(scope, extra)
    function = _Function(TEXT, scope, passed, last=main.name)
    opening = _guard(scope, main)
    body, written = function.statements(rng.choice(TEXT.counts), 0)
    body = opening + body + f"return {function.result(written)}\n"
    others = [name for name in passed if name != main.name]
    names_read = set(_WORD.findall(body))
    used = [name for name in others if name in names_read or rng.random() < 0.05]
    rng.shuffle(used)
    return _program(scope, [main.name, *used], body, passed)


def data(rng: Random) -> Program:
    """Compose a function of a few statements over one to four numbers, lists, dicts or texts."""
    scope = begin(rng, frozenset(("helper",)), words("vocabulary/data_functions"))
    kinds = rng.sample(_SORTS, rng.choice((1, 2, 2, 2, 3, 3, 4)))
    if not set(kinds) & {"ints", "counts", "strs"}:
        kinds[0] = "ints"
    passed: dict[str, Any] = {}
    for kind in kinds:
        maker, limits = _INPUTS.get(kind, ("counts", ("1", "4")) if kind == "counts" else ("word", ()))
        passed[scope.new(kind, local=False).name] = values.make(scope, maker, limits)
    function = _Function(DATA, scope, passed)
    body, written = function.statements(rng.choice(DATA.counts), 0)
    body += f"return {function.result(written)}\n"
    names_read = set(_WORD.findall(body))
    used = [name for name in passed if name in names_read] if rng.random() < 0.85 else list(passed)
    return _program(scope, used or list(passed), body, passed)


def _program(scope: Construction, names: list[str], body: str, passed: dict[str, Any]) -> Program:
    inner = "".join(f"    {line}\n" for line in body.splitlines())
    name = scope.names["f"]
    arguments = ", ".join(spell(scope.rng, passed[parameter], odd=0.03) for parameter in names)
    return Program(source=f"def {name}({', '.join(names)}):\n{inner}", call=f"{name}({arguments})")

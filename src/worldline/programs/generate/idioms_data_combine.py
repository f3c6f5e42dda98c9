"""Functions made of two to five natural typed statements over ints, lists, words and dicts, one after the other.

Every statement uses variables that are surely bound and of the right type, so that nearly every program returns. Loops
run over what is there and their bodies leave that container alone, so that every program ends.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from functools import cache

from worldline.core.program import Program
from worldline.programs.generate.idioms_data_exprs import EXPRESSIONS
from worldline.programs.generate.idioms_data_names import SPANS, keys
from worldline.programs.generate.idioms_data_style import restyle
from worldline.programs.generate.idioms_data_template import Part, Scope, parts, render
from worldline.programs.generate.idioms_data_values import VALUES
from worldline.programs.generate.library import blocks, lines

_MAKERS = {**VALUES, **EXPRESSIONS}
_TYPED = re.compile(r"\$([ILWDS])\d?\b")
# A typed role that some line assigns to, deletes from or changes by a method.
_ASSIGNED = re.compile(
    r"(?:^|~|<:)[! ]*(?:del )?\$([ILWDS]\d?)\b(?:\[[^\n~=]*\]|, \$\w+)?(?: [-+*/%]*= |$|~)", re.MULTILINE
)
_SECOND = re.compile(r"^\$[ILWDS], \$([ILWDS]\d?) = ")
_CHANGED = re.compile(
    r"\$([LWD])\d?\.(?:append|insert|extend|pop|remove|sort|reverse|clear|update|setdefault)\("
)
_EXPLODES = re.compile(r"\*\*|\b(\w+) \* \(?\1\b|\b(\w+) = \2 \+ \2\b")
_NEW = re.compile(r"\$([ne])([ILWDSBX])\b")
_ROLES = {"I": "n", "L": "nums", "W": "words", "D": "d", "S": "s"}
_INPUTS = {"I": "#int", "L": "#ints(1,6)", "W": "#words(1,5)", "D": "#dict(1,4)", "S": "#word"}
_NAMES = (
    "solve", "process", "compute", "transform", "update", "run", "handle", "work", "build", "reduce_data", "analyze",
    "step", "combine", "evaluate", "func", "calculate", "apply_rules", "get_result",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Fragment:
    """Statements in text form, and the typed roles that they need and make."""

    pieces: tuple[tuple[Part, ...] | None, ...]
    indents: tuple[str, ...]
    needs: tuple[str, ...]
    makes: tuple[tuple[str, str], ...]
    writes: frozenset[str]
    once: bool
    branch: bool


def _fragment(text: str) -> Fragment:
    """`@body` lines cut the text into pieces; None stands for the statements in between."""
    once = text.startswith("!")
    text = text.lstrip("!")
    pieces: list[tuple[Part, ...] | None] = []
    indents: list[str] = []
    at = 0
    for match in re.finditer(r"^( +)@body\n", text + "\n", re.MULTILINE):
        pieces += [parts(text[at : match.start()]), None]
        indents += ["", match[1]]
        at = match.end()
    if at < len(text):
        pieces.append(parts(text[at:] + "\n"))
        indents.append("")
    needs = tuple(sorted({match[0][1:] for match in _TYPED.finditer(text)}))
    makes = tuple(sorted({(match[1], match[2]) for match in _NEW.finditer(text)}))
    writes = frozenset(
        match[1] for pattern in (_ASSIGNED, _SECOND, _CHANGED) for match in pattern.finditer(text)
    )
    return Fragment(
        pieces=tuple(pieces),
        indents=tuple(indents),
        needs=needs,
        makes=makes,
        writes=writes,
        once=once,
        branch=text.startswith("if"),
    )


@cache
def _fragments(*, compound: bool) -> tuple[Fragment, ...]:
    found = blocks("statements/data_blocks") if compound else lines("statements/data_lines")
    return tuple(map(_fragment, found))


@dataclass
class _Variables:
    """Names in scope by type, and the literal values of the arguments."""

    typed: dict[str, list[str]] = field(default_factory=lambda: {kind: [] for kind in "ILWDSB"})
    values: dict[str, object] = field(default_factory=dict)
    loops: frozenset[str] = frozenset()

    def inside(self, names: list[str], loop: dict[str, str]) -> _Variables:
        """What a loop's or a branch's statements may use: not `names`, but the loop's own variables."""
        typed = {
            kind: [*(name for name in found if name not in names), *([loop[kind]] if kind in loop else [])]
            for kind, found in self.typed.items()
        }
        return _Variables(typed, self.values, self.loops | set(loop.values()))

    def bind(self, fragment: Fragment, rng: random.Random) -> dict[str, str] | None:
        """A variable for every role of the fragment; loop variables are read, never written."""
        bound: dict[str, str] = {}
        for need in sorted(fragment.needs, key=lambda role: role not in fragment.writes):
            free = [name for name in self.typed[need[0]] if name not in bound.values()]
            if need in fragment.writes:
                free = [name for name in free if name not in self.loops]
            if not free:
                return None
            # What was made last, a loop's variable above all, is what one goes on with.
            recent = 0.8 if free[-1] in self.loops else 0.5
            bound[need] = free[-1] if rng.random() < recent else rng.choice(free)
        return bound


def _statements(count: int, scope: Scope, held: _Variables, depth: int) -> tuple[str, list[str]]:
    """Text of `count` statements, and the names they wrote; empty where none fits."""
    out: list[str] = []
    written: list[str] = []
    for _ in range(count):
        compound = scope.rng.random() < (0.5, 0.2, 0.0)[min(depth, 2)]
        for _ in range(40):
            fragment = scope.rng.choice(_fragments(compound=compound))
            if depth and (fragment.once or _declares(fragment)):
                continue
            bound = held.bind(fragment, scope.rng)
            text, names = _statement(fragment, bound, scope, held, depth) if bound is not None else ("", [])
            if text:
                out.append(text)
                written += names
                break
    return "".join(out), written


def _body(scope: Scope, held: _Variables, depth: int, loop: list[str]) -> tuple[str, list[str]]:
    """A loop's or branch's statements: a loop's ones use its variables, if that can be had, and do not explode."""
    text, written = "", list[str]()
    for _ in range(6):
        text, written = _statements(scope.rng.choice((1, 1, 2)), scope, held.inside([], {}), depth)
        used = not loop or any(re.search(rf"\b{name}\b", text) for name in loop)
        if used and not _EXPLODES.search(text):
            break
    return text, written


def _declares(fragment: Fragment) -> bool:
    return not fragment.indents[1:] and any(mode == "n" for mode, _ in fragment.makes)


def _statement(
    fragment: Fragment, bound: dict[str, str], scope: Scope, held: _Variables, depth: int
) -> tuple[str, list[str]]:
    keep = dict(scope.names)
    names = list(bound.values())
    scope.last = next((held.values[name] for name in names if name in held.values), None)
    if "D" in bound and not isinstance(scope.last, dict):
        scope.last = dict.fromkeys(scope.rng.choice(keys()), 0)
    loop = {kind: scope.fresh(_loop_role(kind)) for mode, kind in fragment.makes if mode == "e"}
    made = {kind: scope.fresh(_new_role(kind)) for mode, kind in fragment.makes if mode == "n"}
    roles = (
        bound
        | {"e" + kind: name for kind, name in loop.items()}
        | {"n" + kind: name for kind, name in made.items()}
    )
    scope.names.update(roles)
    inner = held.inside([] if fragment.branch else names, loop or ({"I": made["I"]} if "I" in made else {}))
    written = [bound[role] for role in sorted(fragment.writes)] + list(made.values())
    out: list[str] = []
    for piece, indent in zip(fragment.pieces, fragment.indents, strict=True):
        if piece is not None:
            out.append(render(piece, scope, _MAKERS))
            continue
        text, more = _body(
            scope, inner, depth + 1, [*loop.values(), *(name for kind, name in made.items() if kind == "I")]
        )
        scope.names.update(roles)
        if not text:
            out.clear()
            break
        written += more
        out.append("".join(indent + line + "\n" for line in text.splitlines()))
    scope.names.clear()
    scope.names.update(keep)
    for kind, name in made.items() if out else ():
        if kind in held.typed:
            held.typed[kind].append(name)
    return "".join(out), written


def _loop_role(kind: str) -> str:
    return "num" if kind == "I" else "word"


def _new_role(kind: str) -> str:
    return "tmp" if kind == "X" else "n" + kind


def _result(scope: Scope, held: _Variables, written: list[str]) -> str:
    """What is returned: what was worked on, the last of it above all, alone or with something beside it."""
    known = [(kind, name) for kind, names in held.typed.items() for name in names]
    recent = [pair for pair in known if pair[1] in written] or known
    kind, name = (
        max(recent, key=lambda pair: _last(written, pair[1]))
        if scope.rng.random() < 0.6
        else scope.rng.choice(recent)
    )
    other = scope.rng.choice(recent if scope.rng.random() < 0.6 else known)[1]
    style = scope.rng.random()
    if style < 0.55:
        return name
    if style < 0.75 and other != name:
        return scope.rng.choice((f"{name}, {other}", f"[{name}, {other}]", f"({other}, {name})"))
    views = {
        "I": ("{0} * 2", "{0} % 10", "{0} > 0", "str({0})", "-{0}", "[{0}]"),
        "L": (
            "len({0})",
            "sum({0})",
            "{0}[::-1]",
            "sorted({0})",
            "{0}[-1] if {0} else None",
            "tuple({0})",
            "{0}[:2]",
        ),
        "W": ("len({0})", "' '.join({0})", "{0}[::-1]", "','.join({0})", "sorted({0})"),
        "D": ("len({0})", "list({0})", "sorted({0}.items())", "sum({0}.values())", "list({0}.items())"),
        "S": ("{0}.upper()", "{0}[::-1]", "len({0})", "{0} + '!'"),
        "B": ("not {0}", "int({0})", "'yes' if {0} else 'no'"),
    }
    return scope.rng.choice(views[kind]).format(name)


def _last(written: list[str], name: str) -> int:
    return len(written) - 1 - written[::-1].index(name) if name in written else -1


def combined(rng: random.Random) -> Program:
    """A function of a few statements over one to four arguments."""
    scope = Scope(rng, taken={"f", "helper"}, span=rng.choice(SPANS))
    held = _Variables()
    kinds = rng.sample("IILLWDDSL", rng.choice((1, 2, 2, 2, 3, 3, 4)))
    if not set(kinds) & set("LDW"):
        kinds[0] = "L"
    arguments: dict[str, str] = {}
    for kind in kinds:
        name = scope.fresh(_ROLES[kind])
        scope.last = None
        arguments[name] = render(parts(_INPUTS[kind]), scope, _MAKERS)
        held.typed[kind].append(name)
        held.values[name] = scope.last
    text, written = _statements(rng.choice((2, 2, 3, 3, 4, 5)), scope, held, 0)
    text += f"return {_result(scope, held, written)}\n"
    body = "".join(f"    {line}\n" for line in text.splitlines())
    words = set(re.findall(r"\w+", body))
    if words & set(arguments) and rng.random() < 0.85:
        arguments = {name: value for name, value in arguments.items() if name in words}
    function = "f" if rng.random() < 0.5 else rng.choice(_NAMES)
    source = restyle(f"def {function}({', '.join(arguments)}):\n{body}", function, rng)
    return Program(source=source, call=f"{function}({', '.join(arguments.values())})")

"""Functions composed at random: a guard, two to five typed statements on text, and a return that uses them.

The statements are idioms_text_rules' templates; each takes the variable that the one before it gave, so that the
function reads as one train of thought. Further arguments (a character, a substring, a separator, a number) are given to
the function where a statement made use of them. It does not prove that the program returns: nearly all do.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cache

from worldline.core.program import Program
from worldline.programs.generate.idioms_text_arguments import MAKERS
from worldline.programs.generate.idioms_text_idiom import finish, function_name, open_scope
from worldline.programs.generate.idioms_text_template import Pieces, Scope, expand, parse
from worldline.programs.generate.library import text

_NAMES = (
    *(
        "process",
        "transform",
        "solve",
        "func",
        "convert",
        "handle",
        "modify",
        "analyze",
        "compute",
        "clean_text",
    ),
    *(
        "parse",
        "format_text",
        "apply",
        "fix",
        "edit",
        "work",
        "change",
        "make_text",
        "run",
        "evaluate",
        "do_it",
    ),
)
_EXTRAS = {
    "char": ("c", "char"),
    "sub": ("t", "substring"),
    "sep": ("sep", "separator"),
    "num": ("n", "positive"),
}
_SLOTS = {"T": "r", "L": "l", "I": "m", "B": "b", "D": "d"}


@dataclass(frozen=True)
class Rule:
    """A statement from one type to another.

    `fresh` when its result needs a name of its own, `assigns` when it has one, `beside` when it uses another text,
    `bare` when it returns the variable as it is.
    """

    takes: str
    gives: str
    fresh: bool
    assigns: bool
    beside: bool
    bare: bool
    template: Pieces


@cache
def _rules() -> dict[str, tuple[Rule, ...]]:
    found: dict[str, list[Rule]] = {}
    for block in re.split(r"^== ", text("statements/text").replace("\\\n", ""), flags=re.M)[1:]:
        head, body = block.split("\n", 1)
        takes, gives, *marks = head.split()
        found.setdefault(takes, []).append(
            Rule(takes, gives, bool(marks), "$2" in body, "$3" in body, False, parse(body))
        )
    return {takes: tuple(rules) for takes, rules in found.items()}


@cache
def _returns() -> dict[str, tuple[Rule, ...]]:
    found: dict[str, list[Rule]] = {}
    for line in text("statements/text_returns").replace("\\\n", "").strip().splitlines():
        takes, expression = line[0], line[2:]
        rule = Rule(takes, "", False, False, "$3" in line, expression == "$1", parse(expression))
        found.setdefault(takes, []).append(rule)
    return {takes: tuple(rules) for takes, rules in found.items()}


# A text is the usual subject: from it half of the statements stay with text, the others leave it for another type.
_ONWARD = {"T": "TTTTTLLID", "L": "LLLTTID", "I": "ITTL", "B": "T", "D": "DLIT"}


def _indent(statement: str) -> str:
    return "".join(f"    {line}\n" for line in statement.splitlines() if line.strip())


def compose(rng: random.Random) -> Program:
    """One program of composed statements."""
    kind = "T" if rng.random() < 0.8 else "L"
    maker = MAKERS["text"] if kind == "T" else MAKERS[rng.choice(("words", "strings", "words", "characters"))]
    subject = maker(rng, [])
    scope = open_scope(rng, [subject])
    scope.names["f"] = name = function_name(rng, _NAMES)
    main = scope.name("s" if kind == "T" else "ws")
    given = {}
    for extra in rng.sample(tuple(_EXTRAS), rng.choice((0, 1, 1, 2, 2, 3))):
        slot, makes = _EXTRAS[extra]
        scope.extras[extra] = scope.name(slot)
        given[scope.extras[extra]] = MAKERS[makes](rng, [subject])
    body = _guard(scope, main, kind) + _body(scope, main, kind)
    used = [one for one in given if re.search(rf"\b{one}\b", body) or rng.random() < 0.05]
    rng.shuffle(used)
    source = f"def {name}({', '.join([main, *used])}):\n{body}"
    return finish(rng, source, name, [subject, *(given[one] for one in used)])


def _guard(scope: Scope, main: str, kind: str) -> str:
    rng = scope.rng
    if rng.random() > 0.12:
        return ""
    test = rng.choice(
        (f"not {main}", f"not {main}", f"len({main}) == 0", f"len({main}) < {rng.randint(1, 4)}")
    )
    empty = {"T": ("''", "''", "None", main, "-1"), "L": ("[]", "None", "''", main)}[kind]
    return f"    if {test}:\n        return {rng.choice(empty)}\n"


def _body(scope: Scope, main: str, kind: str) -> str:
    rng = scope.rng
    current, texts = main, [main] if kind == "T" else []
    lines: list[str] = []
    spent: list[Rule] = []
    for _ in range(rng.choice((0, 1, 1, 2, 2, 2, 2, 3, 3, 4))):
        gives, beside = rng.choice(_ONWARD[kind]), _beside(texts, current)
        rules = [rule for rule in _rules()[kind] if rule.gives == gives and rule not in spent]
        rules = [rule for rule in rules if beside or not rule.beside]
        if not rules:
            continue
        rule = rng.choice(rules)
        spent.append(rule)
        result = _result(scope, rule, current)
        lines.append(_indent(expand(rule.template, scope, (current, result, beside))))
        current, kind = result, gives
        texts += [current] * (kind == "T")
    beside = _beside(texts, current)
    last = rng.choice(
        [rule for rule in _returns()[kind] if (beside or not rule.beside) and (lines or not rule.bare)]
    )
    return "".join(lines) + f"    return {expand(last.template, scope, (current, '', beside))}\n"


def _beside(texts: list[str], current: str) -> str:
    """The latest text that is not the variable at hand."""
    return next((one for one in reversed(texts) if one != current), "")


def _result(scope: Scope, rule: Rule, current: str) -> str:
    """The name that takes a statement's result: the variable itself, or a new one."""
    if not rule.assigns or (rule.gives == rule.takes and not rule.fresh and scope.rng.random() < 0.6):
        return current
    slot = _SLOTS[rule.gives]
    for number in ("", "1", "2", "3", "4"):
        if slot + number not in scope.names:
            return scope.name(slot + number)
    return current + "2"

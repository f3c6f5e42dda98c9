"""Random programs about who shares an object, in C++ and Rust, and what they must leave: a model beside them.

A program is a straight line of acts on a few vectors, references and shared pointers; the model acts likewise. What a
trace says of each name after the last act is compared with the model's.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field


@dataclass
class Script:
    """A program in both languages' terms: its lines, and what its names are at the end."""

    lines: list[str] = field(default_factory=list)
    values: dict[str, list[int]] = field(default_factory=dict)  # objects by their first name
    names: dict[str, str] = field(default_factory=dict)  # name to object
    gone: set[str] = field(default_factory=set)

    def expected(self) -> dict[str, str]:
        """Canonical values of the names that are there at the end."""
        return {name: str(self.values[at]) for name, at in self.names.items() if name not in self.gone}


def cpp(seed: int) -> Script:
    """Vectors, references to them, copies, and shared pointers."""
    draw, script = random.Random(seed), Script()
    shared: set[str] = set()
    for n in range(draw.randint(5, 14)):
        name = f"n{n}"
        plain = [one for one in script.names if one not in shared]
        act = draw.choice(("new", "refer", "copy", "push", "push", "set", "share", "again"))
        if act == "new" or not plain:
            values = [draw.randrange(10) for _ in range(draw.randint(1, 3))]
            script.lines.append(f"std::vector<int> {name} = {{{', '.join(map(str, values))}}};")
            script.values[name], script.names[name] = values, name
        elif act == "refer":
            other = draw.choice(plain)
            script.lines.append(f"std::vector<int> &{name} = {other};")
            script.names[name] = script.names[other]
        elif act == "copy":
            other = draw.choice(plain)
            script.lines.append(f"std::vector<int> {name} = {other};")
            script.values[name], script.names[name] = list(script.values[script.names[other]]), name
        elif act == "share":
            script.lines.append(f"auto {name} = std::make_shared<std::vector<int>>(2, {n});")
            script.values[name], script.names[name] = [n, n], name
            shared.add(name)
        elif act == "again" and shared:
            other = draw.choice(sorted(shared))
            script.lines.append(f"auto {name} = {other};")
            script.names[name] = script.names[other]
            shared.add(name)
        else:
            other = draw.choice(sorted(script.names))
            arrow = "->" if other in shared else "."
            if act == "set":
                script.lines.append(f"{other}{arrow}at(0) = {n};")
                script.values[script.names[other]][0] = n
            else:
                script.lines.append(f"{other}{arrow}push_back({n});")
                script.values[script.names[other]].append(n)
    return script


def rust(seed: int) -> Script:
    """Vectors that are moved, cloned and grown, and counted ones that are shared."""
    draw, script = random.Random(seed), Script()
    shared: set[str] = set()
    for n in range(draw.randint(5, 14)):
        name = f"n{n}"
        plain = [one for one in script.names if one not in shared and one not in script.gone]
        act = draw.choice(("new", "move", "clone", "push", "push", "share", "again", "drop"))
        if act == "new" or not plain:
            values = [draw.randrange(10) for _ in range(draw.randint(1, 3))]
            script.lines.append(f"let mut {name}: Vec<i32> = vec![{', '.join(map(str, values))}];")
            script.values[name], script.names[name] = values, name
        elif act == "move":
            other = draw.choice(plain)
            script.lines.append(f"let mut {name} = {other};")
            script.names[name] = script.names[other]
            script.gone.add(other)
        elif act == "clone":
            other = draw.choice(plain)
            script.lines.append(f"let mut {name} = {other}.clone();")
            script.values[name], script.names[name] = list(script.values[script.names[other]]), name
        elif act == "drop":
            other = draw.choice(plain)
            script.lines.append(f"drop({other});")
            script.gone.add(other)
        elif act == "share":
            script.lines.append(f"let {name} = Rc::new(RefCell::new(vec![{n}]));")
            script.values[name], script.names[name] = [n], name
            shared.add(name)
        elif act == "again" and shared:
            other = draw.choice(sorted(shared))
            script.lines.append(f"let {name} = {other}.clone();")
            script.names[name] = script.names[other]
            shared.add(name)
        else:
            other = draw.choice(sorted([*plain, *shared]))
            grown = f"{other}.borrow_mut()" if other in shared else other
            script.lines.append(f"{grown}.push({n});")
            script.values[script.names[other]].append(n)
    return script


def cpp_source(scripts: list[Script]) -> str:
    """One C++ program of many scripts: a function each."""
    parts = ["#include <memory>", "#include <vector>"]
    for number, script in enumerate(scripts):
        body = [f"    {line}" for line in script.lines]
        parts += [f"static void f{number}() {{", *body, "    volatile int end = 0;", "    end = 1;", "}"]
    calls = [f"    f{number}();" for number in range(len(scripts))]
    return "\n".join([*parts, "int main() {", *calls, "    return 0;", "}", ""])


def rust_source(scripts: list[Script]) -> str:
    """One Rust program of many scripts: a function each."""
    parts = ["use std::cell::RefCell;", "use std::rc::Rc;"]
    for number, script in enumerate(scripts):
        body = [f"    {line}" for line in script.lines]
        parts += [f"fn f{number}() {{", *body, "    let mut end = 0;", "    end += 1;", "}"]
    calls = [f"    f{number}();" for number in range(len(scripts))]
    return "\n".join([*parts, "fn main() {", *calls, "}", ""])

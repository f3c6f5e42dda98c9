"""Seeded random programs that alias, mutate, rebind, raise, yield and nest: food for the differential tests."""

from __future__ import annotations

import random

NAMES = ("a", "b", "c", "d")
UNPLAIN = ("P(", "S()", " for ", "lambda")


class Generator:
    """One random program; the same seed gives the same text."""

    def __init__(self, seed: int, *, plain: bool = False) -> None:
        self.random = random.Random(seed)
        self.plain = plain  # only values whose repr is their canonical text
        self.lines: list[str] = []

    def program(self) -> str:
        """A script: classes, helpers, a main function and module-level statements."""
        self.emit(0, "import collections")
        self.emit(0, "shared = [1, 2]")
        self.emit(0, "counter = 0")
        self.emit(0, "class P:")
        self.emit(1, "def __init__(self, x): self.x = x; self.ys = []")
        self.emit(1, "def add(self, y):")
        self.emit(2, "self.ys.append(y)")
        self.emit(2, "return self")
        self.emit(0, "class S:")
        self.emit(1, "__slots__ = ('u', 'v')")
        self.emit(0, "class L(list): pass")
        self.function("helper", ("a", "b"), depth=1, generator=False)
        self.function("stream", ("a", "b"), depth=1, generator=True)
        self.function("main", ("a", "b"), depth=1, generator=False)
        for name in NAMES:
            self.emit(0, f"{name} = {self.value()}")
        for _ in range(self.random.randint(2, 6)):
            self.statement(0, in_function=False)
        self.emit(0, "try:")
        self.emit(1, f"print(type(main({self.value()}, {self.value()})).__name__)")
        self.emit(0, "except Exception as error:")
        self.emit(1, "print(type(error).__name__)")
        return "\n".join(self.lines) + "\n"

    def emit(self, depth: int, text: str) -> None:
        """One line."""
        self.lines.append("    " * depth + text)

    def function(self, name: str, args: tuple[str, ...], *, depth: int, generator: bool) -> None:
        """A function of random statements."""
        self.emit(0, f"def {name}({', '.join(args)}):")
        self.emit(1, "global counter, shared")
        self.emit(1, "c, d = [a], {'k': b}")
        for _ in range(self.random.randint(3, 8)):
            self.statement(depth, in_function=True)
            if generator and self.random.random() < 0.4:
                self.emit(1, f"a = yield {self.random.choice(NAMES)}")
        if name == "main":
            self.emit(1, f"for item in stream({self.atom()}, c):")
            self.statement(2, in_function=True)
            self.emit(1, "helper(c, d)")
        if not generator or self.random.random() < 0.5:
            self.emit(1, f"return {self.random.choice(NAMES)}")

    def atom(self) -> str:
        """A literal without parts."""
        atoms = ["0", "1", "-7", "300", "10**20", "2.5", "'s'", "'it\\'s'", "None", "True", "b'x'", "''"]
        if self.plain:
            return self.random.choice(atoms)
        return self.random.choice(
            ["0", "1", "-7", "300", "10**20", "2.5", "'s'", "'it\\'s'", '"é\\n"', "None", "True", "b'x'", "1j", "''"]
        )

    def value(self) -> str:
        """A literal, maybe nested."""
        kind = self.random.randrange(7 if self.plain else 9)
        parts = [self.atom() for _ in range(self.random.randint(0, 4))]
        joined = ", ".join(parts)
        if kind < 3:
            return self.atom()
        if kind < 5:
            return f"[{joined}]"
        if kind == 5:
            return f"({joined},)" if parts else "()"
        if kind == 6:
            return "{" + ", ".join(f"{i}: {part}" for i, part in enumerate(parts)) + "}"
        if kind == 7:
            return f"set([{joined}])"
        return self.random.choice([f"P({self.atom()})", "S()", f"L([{joined}])", f"collections.deque([{joined}], 3)"])

    def statement(self, depth: int, *, in_function: bool) -> None:
        """One statement, maybe compound; whatever it raises is caught."""
        x, y = self.random.choice(NAMES), self.random.choice(NAMES)
        simple = [
            f"{x} = {self.value()}", f"{x} = {y}", f"{x}, {y} = {y}, {x}", f"{x} = [{y}, {y}]", f"{x} = ({y}, [{x}])",
            f"{x} += {y}", f"{x}.append({y})", f"{x}.append({self.atom()})", f"{x}[0] = {self.atom()}",
            f"{x}.pop(0)", f"{x}.pop()", f"{x}.insert(0, {self.atom()})", f"{x}.reverse()", f"{x}.clear()",
            f"{x}.update({{{self.atom()}: {y}}})", f"{x}['k'] = {y}", f"del {x}[0]", f"{x}.add({self.atom()})",
            f"{x}.x = {y}", f"{x}.add({y})", f"{x}.u = {y}", f"del {x}.u", f"{x} = P({y})", f"{x} = S()",
            f"{x}[1:2] = [{self.atom()}, {self.atom()}]", f"{x} *= 2", f"{x}.sort()", f"{x} = [i for i in {y}]",
            f"{x} = {{i: {y} for i in range(2)}}", f"{x} = (lambda q: [q, {y}])({x})", f"shared.append({x})",
            f"shared[0] = {self.atom()}", f"{x} = shared", f"{x} = list(map(lambda q: q, {y}))",
            f"print({self.atom()})",
            f"{x} = str({y})[:9]", f"{x} = list(range({self.random.randint(0, 30)}))", f"{x}.appendleft(1)",
        ]  # fmt: skip
        if in_function:
            simple += ["counter += 1", "shared = shared + [counter]", "shared = [0]"]
        if self.plain:
            simple = [text for text in simple if not any(word in text for word in UNPLAIN)]
        text = self.random.choice(simple)
        form = self.random.randrange(6)
        if form == 0:
            self.emit(depth, f"for i in range({self.random.randint(0, 4)}):")
            self.guarded(depth + 1, text)
        elif form == 1:
            self.emit(depth, f"if {x}: {y} = {self.atom()}")
            self.guarded(depth, text)
        else:
            self.guarded(depth, text)

    def guarded(self, depth: int, text: str) -> None:
        """The statement, with its exceptions caught."""
        self.emit(depth, "try:")
        self.emit(depth + 1, text)
        self.emit(depth, "except Exception as e:")
        self.emit(depth + 1, "pass")


def program(seed: int, *, plain: bool = False) -> str:
    """The program of a seed; `plain` keeps to values whose repr is their canonical text."""
    return Generator(seed, plain=plain).program()

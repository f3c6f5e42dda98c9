"""Programs that branch in every way Python has, laid out in every way it allows: for comparing what a path tells."""

from __future__ import annotations

from random import Random

from worldline.core.program import Program

TESTS = (
    "a > b", "a % 2 == 0", "a and b", "a or b", "not a", "a < b < 7", "xs", "a in xs", "len(xs) > 2",
    "b and a > 1 or b", "(c := a + 1) > b", "xs and xs[0]", "ask(a)", "any(x > 2 for x in xs)",
    "all([x for x in xs])", "xs[0] > 1", "1 / b > 0", "(\n{i}    a > 1\n{i}    and b > 2\n{i})",
    "(\n{i}    a\n{i}    or ask(b)\n{i})", "sum([x\n{i}    for x in xs\n{i}    if x > 1\n{i}]) > 3",
)  # fmt: skip
SIMPLE = (
    "a += 1", "b -= 1", "a = 1", "xs = xs + [a]", "pass", "xs.append(b)", "a = ask(b)", "b = a % 3", "xs = xs[1:]",
    "a: int", "'words'", "say(a)", "a = 1 if b else 2", "b = 3 if a > 2 else a",
    "a = (\n{i}    1\n{i}    if b\n{i}    else 2\n{i})", "xs = [x for x in xs if x > 1]",
    "xs = [\n{i}    x\n{i}    for x in xs\n{i}    if x > 1\n{i}]", "b = sum(x for x in xs if x % 2)",
    "xs = list(\n{i}    x + 1\n{i}    for x in xs\n{i}    if x < 4\n{i})", "a = b; b = 2",
    "f = lambda x: (\n{i}    1\n{i}    if x\n{i}    else 2\n{i})\n{i}a = f(b)", "xs = sorted(xs)", "a = abs(a) % 9",
    "assert a > -9", "a = xs[9]", "a = b // 0", "a = {}[b]", "assert not a", "raise", "a = say(b) + 1",
    "xs = {x: a for x in xs if x}\n{i}xs = [*xs]",
)  # fmt: skip
PRELUDE = """def ask(n):
    if n > 3: return True
    return n % 2 == 1


def say(n):
    return "even" if n % 2 == 0 else "odd"


"""


class Odd:
    """Draws one program; no draw is kept but in its text."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.fuel = rng.randint(4, 14)

    def program(self) -> Program:
        """A function and a call of it; it may yield, and it always ends."""
        body = self.body("    ", 0, False)
        lines = [f"{PRELUDE}def f(a, b, xs):", "    turns = 0", *body]
        if self.rng.random() < 0.6:
            lines.append(self.rng.choice(("    return a", "    return a, b, xs", "    if a: return b")))
        arguments = f"{self.rng.randint(-3, 6)}, {self.rng.randint(-2, 5)}, {self.numbers()}"
        call = f"list(f({arguments}))" if any("yield" in line for line in body) else f"f({arguments})"
        return Program(source="\n".join(lines) + "\n", call=call)

    def numbers(self) -> list[int]:
        return [self.rng.randint(0, 5) for _ in range(self.rng.randint(0, 5))]

    def test(self, i: str) -> str:
        return self.rng.choice(TESTS).replace("{i}", i)

    def simple(self, i: str, in_loop: bool) -> str:
        choices: list[str] = [*SIMPLE, "return a", "return", "raise KeyError(a)"]
        choices += ["break", "continue"] * 3 if in_loop else ["yield a"]
        return self.rng.choice(choices).replace("{i}", i)

    def inline(self, in_loop: bool) -> str:
        while "\n" in (text := self.simple("", in_loop)):
            pass
        return text

    def body(self, i: str, depth: int, in_loop: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randint(1, 3)):
            self.fuel -= 1
            if depth > 3 or self.fuel < 0 or self.rng.random() < 0.35:
                lines.append(i + self.simple(i, in_loop))
            else:
                lines += self.compound(i, depth, in_loop)
        return lines

    def compound(self, i: str, depth: int, in_loop: bool) -> list[str]:
        kind = self.rng.choice(
            (
                "if",
                "if",
                "if",
                "elif",
                "short",
                "short",
                "while",
                "for",
                "for",
                "try",
                "match",
                "with",
                "assert",
                "endless",
            )
        )
        return list(getattr(self, f"_{kind}")(i, depth, in_loop))

    def _if(self, i: str, depth: int, in_loop: bool) -> list[str]:
        lines = [f"{i}if {self.test(i)}:", *self.body(i + "    ", depth + 1, in_loop)]
        if self.rng.random() < 0.4:
            lines += [f"{i}else:", *self.body(i + "    ", depth + 1, in_loop)]
        return lines

    def _elif(self, i: str, depth: int, in_loop: bool) -> list[str]:
        lines = self._if(i, depth, in_loop)[:1] + self.body(i + "    ", depth + 1, in_loop)
        lines += [f"{i}elif {self.test(i)}:", *self.body(i + "    ", depth + 1, in_loop)]
        return [*lines, f"{i}else: {self.inline(in_loop)}"] if self.rng.random() < 0.5 else lines

    def _short(self, i: str, depth: int, in_loop: bool) -> list[str]:
        kind = self.rng.random()
        if kind < 0.6:
            lines = [f"{i}if {self.test(i)}: {self.inline(in_loop)}"]
            return [*lines, f"{i}else: {self.inline(in_loop)}"] if self.rng.random() < 0.3 else lines
        if kind < 0.8:
            return [f"{i}for x in xs: {self.rng.choice(('a += x', 'b = x; a = 2', 'ask(x)', 'break', 'continue'))}"]
        return [f"{i}while (turns := turns + 1) % 5: {self.rng.choice(('a += 1', 'break', 'ask(a)', 'continue'))}"]

    def _while(self, i: str, depth: int, in_loop: bool) -> list[str]:
        test = self.test(i)
        head = [f"{i}while (turns := turns + 1) < 25 and ({test}):"]
        lines = [*head, *self.body(i + "    ", depth + 1, True)]
        return [*lines, f"{i}else:", *self.body(i + "    ", depth + 1, in_loop)] if self.rng.random() < 0.3 else lines

    def _endless(self, i: str, depth: int, in_loop: bool) -> list[str]:
        return [
            f"{i}while True:",
            f"{i}    if (turns := turns + 1) % 4 == 0: break",
            *self.body(i + "    ", depth + 1, True),
        ]

    def _for(self, i: str, depth: int, in_loop: bool) -> list[str]:
        some = self.rng.choice(
            ("xs", "range(3)", "[\n{i}    a,\n{i}    b,\n{i}]", "(y for y in xs if y)", "[y + 1 for y in xs]")
        )
        lines = [f"{i}for x in {some}:".replace("{i}", i), *self.body(i + "    ", depth + 1, True)]
        return [*lines, f"{i}else:", *self.body(i + "    ", depth + 1, in_loop)] if self.rng.random() < 0.3 else lines

    def _try(self, i: str, depth: int, in_loop: bool) -> list[str]:
        first = self.rng.choice(("pass", "a = b // 0", "a = {}[b]", "a = xs[9]", "assert not a"))
        lines = [f"{i}try:", f"{i}    {first}", *self.body(i + "    ", depth + 1, in_loop)]
        for one in self.rng.sample(
            ("KeyError", "ZeroDivisionError as e", "(IndexError, TypeError)", "AssertionError"), 2
        ):
            if self.rng.random() < 0.3:
                lines.append(f"{i}except {one}: {self.inline(in_loop)}")
            else:
                lines += [f"{i}except {one}:", *self.body(i + "    ", depth + 1, in_loop)]
        if self.rng.random() < 0.4:
            lines += [f"{i}finally:", f"{i}    a = 2"]
        return lines

    def _match(self, i: str, depth: int, in_loop: bool) -> list[str]:
        lines = [f"{i}match {self.rng.choice(('a', 'xs', '(a, b)'))}:"]
        for one in self.rng.sample(
            ("1 | 2", "[p, q, *_]", "[] | 0", "(p, q) if p > q", "int()", "[\n{i}        p,\n{i}        q,\n{i}    ]"),
            3,
        ):
            lines.append(f"{i}    case {one}:".replace("{i}", i))
            if self.rng.random() < 0.3:
                lines[-1] += " " + self.inline(in_loop)
            else:
                lines += self.body(i + "        ", depth + 1, in_loop)
        return [*lines, f"{i}    case _:", f"{i}        b = 1"] if self.rng.random() < 0.4 else lines

    def _with(self, i: str, depth: int, in_loop: bool) -> list[str]:
        lines = [f"{i}with __import__('contextlib').suppress(ZeroDivisionError, IndexError):"]
        return [*lines, *self.body(i + "    ", depth + 1, in_loop)]

    def _assert(self, i: str, depth: int, in_loop: bool) -> list[str]:
        return [f"{i}assert {self.test(i)}" + self.rng.choice(("", ", 'no'", ", say(a)"))]

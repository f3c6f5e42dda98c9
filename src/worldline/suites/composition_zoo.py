"""The functions that the composition suite chains: small, readable, unary; strings in one zoo, all else in the other.

`<k>`, `<m>`, `<sep>` and the like stand for literals that are drawn for each program, alike within one function.
Nothing here runs one, and nothing in the second zoo makes or reads a string, so that the two can be told apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from textwrap import dedent

STRING, OTHER = "string", "other"
KINDS = (STRING, OTHER)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PLACE = re.compile(r"<([a-z]+)>")
_FUNCTION = re.compile(r"^(\w+)(\*?)(?:>(\w+))?:(?: (.+)|((?:\n    .+)+))", re.MULTILINE)


@dataclass(frozen=True)
class Function:
    """A function of one argument: its name, the type it takes and the one it gives, its body with literals open."""

    name: str
    takes: str
    gives: str
    body: str
    grows: bool = False  # what it gives is longer than what it takes: few of them in one chain

    def source(self, rng: Random) -> str:
        """The definition, its literals drawn."""
        drawn = {place: _literal(rng, place) for place in dict.fromkeys(_PLACE.findall(self.body))}
        body = _PLACE.sub(lambda place: drawn[place[1]], self.body)
        lines = "".join(f"    {line}\n" for line in body.split("\n"))
        return f"def {self.name}({PARAMETERS[self.takes]}):\n{lines}"


PARAMETERS = {"str": "s", "int": "n", "list": "xs"}


def _literal(rng: Random, place: str) -> str:
    if place == "sep":
        return repr(rng.choice("-_.+ "))
    if place == "letter":
        return repr(rng.choice(_LETTERS))
    if place == "pair":
        return repr("".join(rng.choices(_LETTERS, k=2)))
    low, high = {"k": (1, 4), "few": (2, 9), "some": (3, 60), "low": (1, 20), "m": (11, 97)}[place]
    return str(rng.randint(low, high))


_STRINGS = """
reverse: return s[::-1]
swap_case: return s.swapcase()
shout: return s.upper()
rotate: return s[<k>:] + s[:<k>]
unzip: return s[::2] + s[1::2]
last_first: return s[-1:] + s[:-1]
replace: return s.replace(<letter>, <pair>)
arrange: return ''.join(sorted(s))
bracket: return '[' + s + ']'
remove_vowels: return ''.join(c for c in s if c not in 'aeiouAEIOU')
vowels_up: return ''.join(c.upper() if c in 'aeiou' else c for c in s)
double_letters*: return ''.join(c + c for c in s)
separate*: return <sep>.join(s)
mirror*: return s + s[::-1]
caesar:
    t = ''
    for c in s:
        if c.islower():
            c = chr((ord(c) - 97 + <k>) % 26 + 97)
        t += c
    return t
unique:
    t = ''
    for c in s:
        if c not in t:
            t += c
    return t
"""

_INTS = """
add: return n + <some>
multiply: return n * <few>
remainder: return n % <m>
negate: return -n
clamp: return max(-<low>, min(n, <some>))
collatz:
    if n % 2 == 0:
        return n // 2
    return 3 * n + 1
digit_sum:
    n = abs(n)
    total = 0
    while n:
        total += n % 10
        n //= 10
    return total
triangle:
    total = 0
    for i in range(n % <few>):
        total += i
    return total
digits>list:
    n, xs = abs(n), []
    while n:
        xs.append(n % 10)
        n //= 10
    return xs
squares>list: return [i * i for i in range(n % <few>)]
"""

_LISTS = """
backwards: return xs[::-1]
ordered: return sorted(xs)
shifted: return xs[<k>:] + xs[:<k>]
scaled: return [x * <few> for x in xs]
evens: return [x for x in xs if x % 2 == 0]
running:
    ys, total = [], 0
    for x in xs:
        total += x
        ys.append(total)
    return ys
distinct:
    ys = []
    for x in xs:
        if x not in ys:
            ys.append(x)
    return ys
twice*: return xs + xs[::-1]
total>int: return sum(xs)
largest>int:
    best = 0
    for x in xs:
        if x > best:
            best = x
    return best
"""


def _functions(text: str, takes: str) -> tuple[Function, ...]:
    """Functions as they are written above: `name: body`; `*` grows, `>type` gives another type than it takes."""
    found = []
    for head, mark, other, line, block in _FUNCTION.findall(text):
        body = line or dedent(block).strip()
        found.append(Function(head, takes, other or takes, body, grows=bool(mark)))
    return tuple(found)


ZOO = {
    STRING: _functions(_STRINGS, "str"),
    OTHER: _functions(_INTS, "int") + _functions(_LISTS, "list"),
}


def value(rng: Random, type: str) -> str:
    """A literal of a type, as short as the published ones."""
    if type == "str":
        letters = rng.choices(_LETTERS + _LETTERS.upper(), k=rng.randint(4, 8))
        return repr("".join(letters))
    if type == "int":
        return str(rng.randint(2, 999))
    return repr(rng.choices(range(-9, 30), k=rng.randint(3, 6)))

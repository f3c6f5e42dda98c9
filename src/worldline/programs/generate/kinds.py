"""The types of the generator's values, as short words, and how they relate.

`int` (any), `cnt` (0 to some dozens), `small` (1 to 5), `pos` (never 0), `idx` (an index into an earlier argument),
`float bool str char sub sep bytes`, lists `ints strs floats lists pairs people` (dicts of a name and an age), `rec` (a
text and an int), `tup` (of ints), dicts `counts` (str: int), `names` (str: str), `groups` (str: list of ints), `table`
(int: str), sets `iset sset`, `member` (occurs in an earlier argument), `digits` and `hexes` (texts that parse). A `!`
after a type that has a length says: never empty. What values they have is in `values`.
"""

from __future__ import annotations

# What a value of a type may also be used as.
_PARENTS = {
    "small": ("cnt", "pos"),
    "cnt": ("int",),
    "pos": ("int",),
    "idx": ("int",),
    "char": ("sub",),
    "sub": ("str!",),
    "sep": ("str!",),
    "bool": (),
}
SIZED = (
    "str", "ints", "strs", "floats", "lists", "pairs", "people", "tup", "counts", "names", "groups", "table", "iset",
    "sset", "bytes",
)  # fmt: skip
_OTHERS = ("int", "float", "rec", "none", "member", "digits", "hexes")
# Types of variables that are there to be passed, not to begin with.
ASIDE = frozenset(("char", "sub", "sep", "small", "pos", "idx", "bool", "member"))
# What stands for a literal only: it is no type of a variable.
LITERALS = frozenset(("width", "byte", "pairs2"))
ELEMENTS = {
    "str": "char",
    "ints": "int",
    "strs": "str",
    "floats": "float",
    "lists": "ints",
    "pairs": "rec",
    "people": "rec",
    "tup": "int",
    "iset": "int",
    "sset": "str",
    "counts": "str",
    "names": "str",
    "groups": "str",
    "table": "int",
    "bytes": "cnt",
}
ANNOTATIONS = {
    "int": "int",
    "cnt": "int",
    "str": "str",
    "char": "str",
    "bool": "bool",
    "float": "float",
    "ints": "list[int]",
    "strs": "list[str]",
    "counts": "dict[str, int]",
    "iset": "set[int]",
}


def bare(kind: str) -> str:
    """Return the type without its `!`."""
    return kind[:-1] if kind.endswith("!") else kind


def _uses(kind: str) -> tuple[str, ...]:
    out = [kind]
    for parent in (kind[:-1],) if kind.endswith("!") else _PARENTS.get(kind, ()):
        out += [use for use in _uses(parent) if use not in out]
    return tuple(out)


USES = {kind: _uses(kind) for kind in (*_PARENTS, *SIZED, *(name + "!" for name in SIZED), *_OTHERS)}

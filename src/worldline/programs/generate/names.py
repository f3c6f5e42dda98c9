"""What things are called: natural names by type, beside random ones. Knows the type names of `types`, nothing else."""

from __future__ import annotations

import builtins
import keyword
from random import Random

from worldline.programs.generate.words import WORDS, letters

_FUNCTIONS_TEXT = """
f f f f f f g solve process compute transform convert check handle main func run apply build find_it
parse count_it normalize encode extract summarize collect merge update reduce_it clean filter_items
make_result calculate get_result work analyze rearrange shift pick combine test fn do_it
"""
FUNCTIONS = tuple(_FUNCTIONS_TEXT.split())
_HELPERS_TEXT = "helper g h step inner score weight is_valid ok fix key_of adjust scale twice wrap part visit"
HELPERS = tuple(_HELPERS_TEXT.split())
_POOLS = {
    "str": "text text s s string word line sentence message name title data value st content phrase txt source row",
    "char": "char c c ch letter x symbol sep",
    "sub": "sub pattern target prefix suffix old new part needle",
    "sep": "sep delimiter sep separator d glue",
    "int": "n x num value number a b total m val amount score",
    "pos": "k m step div base mod",
    "cnt": "n count size width k length limit",
    "small": "k n times step m width",
    "idx": "i index pos k idx",
    "float": "x price rate value ratio avg score temp",
    "bool": "flag ok found valid strict done seen reverse",
    "ints": "nums nums arr lst numbers values a xs data items array scores li",
    "strs": "words words names items lst strings lines parts tokens texts array letters",
    "floats": "values prices xs samples rates",
    "lists": "matrix grid rows lists groups table mat nested",
    "pairs": "pairs records items entries rows data scores",
    "people": "people users rows records staff players",
    "rec": "pair rec entry item record",
    "tup": "t tup point coords values triple nums",
    "counts": "d counts scores ages dic freq stock mapping prices dct",
    "names": "d names mapping aliases config dic env table lookup",
    "groups": "groups graph d index buckets table",
    "table": "d table lookup labels by_id mapping",
    "iset": "seen unique ids s nums_set visited",
    "sset": "tags seen vowels names unique letters allowed",
    "bytes": "data b raw buf payload chunk",
    "member": "x key target item k elem",
    "digits": "s digits text num_str",
    "hexes": "s code text h",
    "any": "value obj item x data thing",
}
LOCALS = {
    "str": "result res out new_text tmp ans s2 cleaned output joined head tail left right first last rest part new",
    "char": "c ch first last letter x",
    "int": "total count result res ans n tmp x y diff best low high s acc idx m",
    "cnt": "count n length size total pos",
    "bool": "found ok flag is_valid match same",
    "float": "avg mean ratio result total x",
    "ints": "result res nums out new_list ans tmp values ordered kept parts indexes",
    "strs": "parts words result out tokens pieces lines res new_list chunks ans names fields",
    "lists": "rows result groups out chunks res",
    "pairs": "pairs result items out ranked entries",
    "counts": "counts d freq result res seen lengths tally dic",
    "iset": "seen unique common s result extra",
    "sset": "seen unique letters common tags",
}
_NATURAL = {kind: tuple(names.split()) for kind, names in _POOLS.items()}
_LOCAL = {kind: tuple(names.split()) for kind, names in LOCALS.items()}
_RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins)) | {"match", "case", "type"}


def fresh(rng: Random, kind: str, taken: set[str], *, local: bool = False) -> str:
    """A name for a value of type `kind` that is not taken; it is taken then."""
    kind = kind.rstrip("!")
    pool = (
        (_LOCAL.get(kind) if local and rng.random() < 0.75 else None) or _NATURAL.get(kind) or _NATURAL["any"]
    )
    name = rng.choice(pool)
    if rng.random() < 0.06:
        name = strange(rng)
    elif name in taken:
        name = rng.choice(pool)
    if name in taken:
        stem = name
        suffixes = ("2", "_new", "1", "_b", "3", "_copy", "4", "5", "6", "7", "8", "9", "_last")
        start = rng.randrange(3)
        name = next((stem + suffix for suffix in suffixes[start:] if stem + suffix not in taken), "")
        while not name or name in taken:
            name = strange(rng)
    taken.add(name)
    return name


def strange(rng: Random) -> str:
    """A random identifier that hides no builtin."""
    while True:
        roll = rng.random()
        if roll < 0.35:
            name = letters(rng, rng.randint(1, 5))
        elif roll < 0.6:
            name = rng.choice(WORDS) + "_" + rng.choice(WORDS)
        elif roll < 0.8:
            name = rng.choice(WORDS)
        elif roll < 0.9:
            name = "_" + letters(rng, rng.randint(1, 4))
        else:
            name = letters(rng, rng.randint(1, 2)) + str(rng.randint(0, 99))
        if name not in _RESERVED:
            return name


def function(rng: Random, taken: set[str], *, helper: bool = False) -> str:
    """A name for a function that is not taken; it is taken then."""
    name = rng.choice(HELPERS if helper else FUNCTIONS)
    while name in taken or name in _RESERVED:
        name = rng.choice(HELPERS) if rng.random() < 0.4 else strange(rng)
    taken.add(name)
    return name

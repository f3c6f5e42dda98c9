"""Natural names by role, the words that fill values, and which names go together. Data only."""

from __future__ import annotations

POOLS: dict[str, tuple[str, ...]] = {
    role: tuple(names.split())
    for role, names in {
        "nums": "nums numbers values arr data lst l a xs array elements scores ns vals li seq items arr nums nums lst",
        "num": "num n x v val value number e elem item i",
        "items": "items lst data values elements seq xs objects things entries array items lst l",
        "item": "item x el elem element e value thing i obj",
        "words": "words names strings tokens lst labels tags texts array items strs data",
        "word": "word w name s token label item x string el",
        "s": "s text string word txt line st value data",
        "ch": "c ch char letter x s1",
        "d": "d dct dic data mapping table dictionary dict1 config m dict_ scores info my_dict obj",
        "key": "k key name field x a kk",
        "v": "v val value amount b item num",
        "i": "i i i idx index pos p ix",
        "j": "j j k jj m inner",
        "n": "n n num number x m value limit size a",
        "m": "m b y k other modulus",
        "k": "k n size step m count limit width",
        "t": "total result res acc s ans r t sum_ answer running tot",
        "out": "result res out output ans ret new_list r acc final collected lst2 new found answer",
        "cnt": "count cnt c counter n_found freq matches hits num_items",
        "best": "best max_val largest m top current_max best_so_far highest winner",
        "target": "target x value t val needle goal element wanted",
        "st": "stack st s stk pile",
        "q": "queue q pending todo waiting line",
        "a": "a x first p left u a a",
        "b": "b y second q right w b b",
        "c": "c z third other extra",
        "lo": "lo left low start l i begin",
        "hi": "hi right high end r j stop",
        "mid": "mid m middle pivot center",
        "row": "row r line cells row",
        "col": "col c j column",
        "grid": "grid matrix mat m board rows table A",
        "g": "graph g adj edges neighbors tree links",
        "node": "node current cur u vertex n start_node",
        "tmp": "tmp temp t old saved held",
        "seen": "seen visited found used known done already",
        "flag": "flag found ok done is_valid changed valid swapped",
        "groups": "groups buckets grouped result out d by_key res",
        "memo": "memo cache table store seen",
        "fn": "func fn f1 g op callback function",
        "cls": "Item Entry Record Box Thing Holder",
        "rec": "record rec row person user entry item r p",
        "recs": "records rows people users data entries items",
        "prev": "prev previous last before p last_seen",
        "cur": "cur current curr now c node",
        "dp": "dp table memo best ways f_ arr",
        "win": "window win chunk part piece current",
        "p": "p pair point item t entry",
        "ps": "pairs points items data entries coords",
        "obj": "obj m it thing inst box c o a s",
        "nb": "nxt neighbor nb other child v w nei",
        "gen": "gen it g iterator stream source",
        "default": "default fallback default_value missing other",
        "flt": "value x amount price total avg rate",
        "op": "op cmd action command operation instruction",
        "ops": "ops commands actions operations program instructions steps",
        "err": "e err exc error ex",
        "left": "left first_half lower head l1 small",
        "right": "right second_half upper tail l2 big",
        "set": "s unique seen_values distinct uniq values_set",
        "nI": "total count n result x k size value step diff best num score acc",
        "nL": "result new out rest temp values picked chosen parts lst2 copy",
        "nS": "text label name prefix msg word out_str",
        "nD": "counts index groups table lookup seen positions d2 cache",
        "nW": "names labels parts words keys tags",
        "nB": "flag found ok valid done",
    }.items()
}

# Ranges that numbers of one program are drawn from, its data and its thresholds alike.
SPANS: tuple[tuple[int, int], ...] = (
    (0, 9), (1, 5), (-9, 9), (0, 30), (-50, 99), (1, 100), (0, 3), (100, 999), (-3, 3), (10, 5000), (1, 20), (0, 9),
    (1, 10), (-5, 15), (0, 20),
)  # fmt: skip

_SINGULAR = {
    "nums": "num n x",
    "numbers": "number num n",
    "values": "value v val",
    "elements": "element e elem",
    "scores": "score s",
    "items": "item it x",
    "vals": "val v",
    "words": "word w",
    "names": "name",
    "strings": "string s",
    "tokens": "token t tok",
    "labels": "label",
    "tags": "tag t",
    "texts": "text t",
    "entries": "entry e",
    "objects": "obj o",
    "things": "thing",
    "records": "record rec r",
    "rows": "row r",
    "people": "person p",
    "users": "user u",
    "pairs": "pair p",
    "points": "point p pt",
    "ops": "op",
    "commands": "command cmd",
    "actions": "action",
    "operations": "operation op",
    "steps": "step",
    "instructions": "instruction ins",
}

_ONE_OF = {plural: tuple(singular.split()) for plural, singular in _SINGULAR.items()}

# A role's pool when another role already has this name: `for word in words`, `left, right`.
TIED: dict[str, dict[str, dict[str, tuple[str, ...]]]] = {
    "num": {"nums": _ONE_OF},
    "item": {"items": _ONE_OF},
    "word": {"words": _ONE_OF},
    "rec": {"recs": _ONE_OF},
    "p": {"ps": _ONE_OF},
    "op": {"ops": _ONE_OF},
    "b": {"a": {"a": ("b",), "x": ("y",), "first": ("second",), "p": ("q",), "left": ("right",), "u": ("v", "w")}},
    "hi": {
        "lo": {
            "lo": ("hi",), "left": ("right",), "low": ("high",), "start": ("end", "stop"), "l": ("r",), "i": ("j",),
            "begin": ("end",),
        }
    },
    "col": {"row": {"row": ("col",), "r": ("c",), "line": ("cell", "col"), "cells": ("col", "k")}},
    "v": {"key": {"k": ("v",), "key": ("value", "val"), "name": ("value", "amount"), "a": ("b",)}},
}  # fmt: skip

_WORDS = """
    apple banana cherry date elder fig grape kiwi lemon mango cat dog bird fish horse cow red green blue black white
    pink one two three four five six seven alpha beta gamma delta north south east west mon tue wed thu fri Anna Bob
    Carla Dan Eve Frank Gina Hugo Ivy Jack hello world foo bar baz qux spam eggs ham tea milk bread rice salt sugar
    x y z a b c ab ba abc level noon stats radar python code test data file list tree leaf root node key lock door
    window table chair river stone cloud rain snow Paris London Rome Oslo A B C AA Abc HELLO Xyz 12 7 007 3a b2 a1
    k9 user_1 id name size kind total price qty color"""
WORDS: tuple[str, ...] = tuple(_WORDS.split())

KEYS: tuple[tuple[str, ...], ...] = tuple(
    tuple(line.split())
    for line in (
        "a b c d e f g",
        "x y z w",
        "apple banana cherry kiwi fig pear",
        "Anna Bob Carla Dan Eve",
        "mon tue wed thu fri sat",
        "red green blue black",
        "tea milk bread rice eggs",
        "cat dog bird fish cow",
        "north south east west",
        "width height depth",
        "id age size price qty",
        "k1 k2 k3 k4",
        "foo bar baz qux",
        "A B C D",
        "math art music physics",
    )
)

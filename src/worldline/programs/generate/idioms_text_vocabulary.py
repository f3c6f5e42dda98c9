"""The words of the template language: pools of natural names, primitives that draw literals, and the macros, parsed.

Literals are drawn from the inputs more often than not, so that both branches of a condition are taken. Which names and
literals suit a template is its author's choice, not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from worldline.programs.generate.idioms_text_inputs import LOWER, WORDS
from worldline.programs.generate.idioms_text_macros import LIBRARY
from worldline.programs.generate.idioms_text_template import Pieces, Scope, parse

POOLS: dict[str, tuple[str, ...]] = {
    slot: tuple(names.split())
    for slot, names in {
        "s": "text text text s s string string txt line value st str1 message content phrase data input_text word word_"
        " sequence",
        "t": "other sub pattern target t text2 second b s2 substring search match needle key",
        "c": "char char c ch letter character symbol mark char1 sign x",
        "e": "new_char replacement to new value filler pad by r",
        "x": "c c ch ch char char x letter l a i character symbol s_ item elem",
        "y": "d other prev nxt y b c2 ch2 last following",
        "w": "word word w w token part item x s piece elem entry i",
        "ws": "words words tokens parts items lst strings arr l pieces chunks ls xs texts array list1 values",
        "n": "n n n k num size width length limit amount count_ m times max_len",
        "i": "i i i idx index pos p k ix",
        "j": "j j end stop right q hi e",
        "r": "result result res output out ans new new_text new_s built ret acc final temp answer r tmp"
        " s_out string_new",
        "l": "result res out output lst chars l ls new_list a ans new_words collected kept final_list"
        " stack_ letters_ arr",
        "d": "counts freq d dic dict1 counter table mapping groups result m occurrences index_map char_count",
        "dm": "mapping table d dic replacements subs rules codes m lookup pairs data",
        "ns": "numbers nums codes values lst arr ns xs points",
        "k": "key k key name field",
        "v": "value v val count_v num v2",
        "m": "count count total cnt c ans result n_found num score sum_ number length_ counter best acc",
        "b": "found flag ok valid is_valid inside good check up in_word matched seen_any",
        "z": "seen used visited unique known s_set letters done",
        "p": "prefix pre start beginning head p first affix",
        "q": "suffix end ending tail suf post last",
        "sep": "sep sep delimiter delim separator char splitter joiner d",
        "a": "left first head before start a low lead",
        "o": "right last tail after rest b remainder high",
        "g": "temp current cur run chunk buffer group buf prev last token segment",
        "h": "helper check convert fix is_ok shift_char transform normalize process_one step clean",
        "u": "alphabet vowels letters allowed table digits symbols order lookup punct stop_chars",
    }.items()
}

_LETTER_LITERALS = (" ", "-", ",", ".", "_", "a", "e", "i", "o", "s", "t", "*", "x")
_SEPARATORS = (" ", ", ", ",", "-", "_", "|", ";", "/", " - ", ":", "\n", "+", ".", "--", "=>")
_MARKS = ("*", "-", "_", "#", "+", "!", "?", ".", "~", "=", "x", "X", "0", "@", "$", "&")


def _integer(scope: Scope, given: list[str]) -> str:
    low, high = given[0].split()
    return str(scope.rng.randint(int(low), int(high)))


def _letter(scope: Scope, given: list[str]) -> str:
    """A character's literal, half of the time one of the inputs'."""
    rng = scope.rng
    if scope.letters and rng.random() < 0.6:
        return repr(rng.choice(scope.letters))
    return repr(rng.choice((rng.choice(LOWER), rng.choice(_LETTER_LITERALS))))


def _letters(scope: Scope, given: list[str]) -> str:
    """A literal of several characters, to test membership in or to strip."""
    rng = scope.rng
    fixed = (
        "aeiou",
        "aeiou",
        "AEIOU",
        "aeiouAEIOU",
        "0123456789",
        ".,!?",
        ".,;:!?",
        "abc",
        "xyz",
        "+-*/",
        "()[]",
        " -_",
    )
    if scope.letters and rng.random() < 0.35:
        return repr("".join(rng.choice(scope.letters) for _ in range(rng.randint(2, 4))))
    return repr(rng.choice(fixed))


def _word(scope: Scope, given: list[str]) -> str:
    return repr(scope.rng.choice(WORDS))


def _piece(scope: Scope, given: list[str]) -> str:
    """A short literal: letters of the inputs, a word, an affix."""
    rng = scope.rng
    if scope.letters and rng.random() < 0.7:
        start = rng.randrange(len(scope.letters))
        return repr(scope.letters[start : start + rng.randint(1, 2)])
    return repr(
        rng.choice((rng.choice(LOWER), rng.choice(WORDS), "ing", "un", "s", "er", "th", "the", "a", "0", "1"))
    )


def _separator(scope: Scope, given: list[str]) -> str:
    return repr(scope.rng.choice(_SEPARATORS))


def _joiner(scope: Scope, given: list[str]) -> str:
    return repr(scope.rng.choice((*_SEPARATORS, "", "")))


def _mark(scope: Scope, given: list[str]) -> str:
    return repr(scope.rng.choice(_MARKS))


def _extra(kind: str, literal: Callable[[Scope, list[str]], str]) -> Callable[[Scope, list[str]], str]:
    """A primitive that prefers the function's own argument of that kind, where it has one."""

    def draw(scope: Scope, given: list[str]) -> str:
        found = scope.extras.get(kind)
        return found if found is not None and scope.rng.random() < 0.85 else literal(scope, given)

    return draw


def _number(scope: Scope, given: list[str]) -> str:
    return str(scope.rng.choice((1, 2, 2, 3, 3, 4, 5)))


PRIMITIVES: dict[str, Callable[[Scope, list[str]], str]] = {
    "int": _integer,
    "letter": _letter,
    "letters": _letters,
    "word": _word,
    "piece": _piece,
    "sep": _joiner,
    "mark": _mark,
    "achar": _extra("char", _letter),
    "asub": _extra("sub", _piece),
    "asep": _extra("sep", _separator),
    "anum": _extra("num", _number),
}


def _macros() -> dict[str, Pieces]:
    blocks = re.split(r"^== ", LIBRARY.replace("\\\n", ""), flags=re.M)[1:]
    named = (block.split("\n", 1) for block in blocks)
    return {name: parse(body.removesuffix("\n")) for name, body in named}


MACROS: dict[str, Pieces] = _macros()

"""Arguments for text-processing functions: makers of strings, lists and numbers, by name.

A maker takes the generator and the arguments made before it, so that a separator or a substring mostly occurs in
the text it is asked of. Nothing here knows the function that will be called.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from worldline.programs.generate.library import words

Maker = Callable[[random.Random, list[Any]], Any]

LOWER = "abcdefghijklmnopqrstuvwxyz"
UNICODE = (
    "café",
    "naïve",
    "über",
    "Straße",
    "señor",
    "日本語",
    "привет",
    "éclair",
    "ñandú",
    "Ωmega",
    "😀ok",
    "½",
    "→x",
    "İz",
    "ﬁn",
)
PUNCT = "!?.,;:-_'\"()[]{}<>/\\|@#$%^&*+=~`"


def vocabulary() -> tuple[str, ...]:
    """The words that texts are made of."""
    return words("vocabulary/text_words")


def word(rng: random.Random, before: list[Any]) -> str:
    """One word, now and then in another case."""
    found = rng.choice(vocabulary())
    chance = rng.random()
    if chance < 0.12:
        return found.capitalize()
    return found.upper() if chance < 0.17 else found


def gibberish(rng: random.Random, before: list[Any]) -> str:
    """Random letters, some of them repeated."""
    letters = LOWER if rng.random() < 0.6 else rng.sample(LOWER, rng.randint(2, 6))
    found = "".join(rng.choices(letters, k=rng.randint(2, 14)))
    return found if rng.random() < 0.7 else "".join(rng.choice((c, c.upper())) for c in found)


def sentence(rng: random.Random, before: list[Any]) -> str:
    """Two to seven words, sometimes with punctuation, capitals, doubled blanks."""
    spoken = [word(rng, before) for _ in range(rng.randint(2, 7))]
    if rng.random() < 0.25:
        place = rng.randrange(len(spoken))
        spoken[place] += rng.choice(",;:!.-")
    if rng.random() < 0.3:
        spoken[rng.randrange(len(spoken))] = spoken[0]
    found = rng.choice((" ", " ", " ", " ", "  ")).join(spoken)
    if rng.random() < 0.4:
        found = found[0].upper() + found[1:]
    return found + rng.choice(("", "", "", ".", "!", "?", "..."))


def phrase(rng: random.Random, before: list[Any]) -> str:
    """One to four plain words with single blanks."""
    return " ".join(rng.choice(vocabulary()) for _ in range(rng.randint(1, 4)))


def digits(rng: random.Random, before: list[Any]) -> str:
    """One to ten digits."""
    return "".join(rng.choices("0123456789", k=rng.randint(1, 10)))


def mixed(rng: random.Random, before: list[Any]) -> str:
    """Letters and digits in turn, as in a serial number."""
    parts = []
    for _ in range(rng.randint(1, 4)):
        parts.append("".join(rng.choices(LOWER, k=rng.randint(0, 4))))
        parts.append("".join(rng.choices("0123456789", k=rng.randint(0, 3))))
    found = rng.choice(("", "", "-", " ", "_")).join(parts)
    return found if rng.random() < 0.6 else found.upper()


def noisy(rng: random.Random, before: list[Any]) -> str:
    """Letters, digits and much punctuation."""
    pool = LOWER + LOWER.upper() + "0123456789" + PUNCT * 2 + "   "
    return "".join(rng.choices(pool, k=rng.randint(1, 16)))


def blanks(rng: random.Random, before: list[Any]) -> str:
    """Words with blanks, tabs and line ends around and between."""
    gaps = (" ", "  ", "\t", "\n", "   ", "")
    parts = [rng.choice(gaps)]
    for _ in range(rng.randint(0, 3)):
        parts += [rng.choice(vocabulary()), rng.choice(gaps)]
    return "".join(parts)


def lines(rng: random.Random, before: list[Any]) -> str:
    """Two to four short lines, some empty or indented."""
    found = [
        rng.choice(("", "", "", "  ", "# ", "- ", "\t")) + phrase(rng, before)
        for _ in range(rng.randint(1, 4))
    ]
    if rng.random() < 0.3:
        found.insert(rng.randrange(len(found) + 1), "")
    return rng.choice(("\n", "\n", "\n", "\r\n")).join(found) + rng.choice(("", "\n"))


def runs(rng: random.Random, before: list[Any]) -> str:
    """Runs of equal characters."""
    letters = [*rng.sample(LOWER, 3), rng.choice("01 A-")]
    return "".join(rng.choice(letters) * rng.randint(1, 4) for _ in range(rng.randint(1, 6)))


def foreign(rng: random.Random, before: list[Any]) -> str:
    """Text beyond ASCII."""
    return " ".join(rng.choice((*UNICODE, rng.choice(vocabulary()))) for _ in range(rng.randint(1, 3)))


def palindrome(rng: random.Random, before: list[Any]) -> str:
    """A palindrome, or nearly one, or none."""
    half = gibberish(rng, before)[: rng.randint(1, 6)]
    found = half + half[::-1][rng.randint(0, 1) :]
    if rng.random() < 0.3:
        place = rng.randrange(len(found))
        found = found[:place] + rng.choice(LOWER) + found[place + 1 :]
    return found if rng.random() < 0.8 else word(rng, before)


def title(rng: random.Random, before: list[Any]) -> str:
    """A title: capitalised words."""
    return " ".join(rng.choice(vocabulary()).capitalize() for _ in range(rng.randint(1, 4)))


_TEXTS: tuple[tuple[Maker, int], ...] = (
    (word, 18),
    (gibberish, 22),
    (sentence, 20),
    (phrase, 10),
    (mixed, 8),
    (noisy, 6),
    (blanks, 4),
    (runs, 5),
    (digits, 4),
    (title, 4),
    (palindrome, 3),
    (foreign, 3),
    (lines, 2),
)
_TEXT_MAKERS = tuple(maker for maker, _ in _TEXTS)
_TEXT_WEIGHTS = tuple(weight for _, weight in _TEXTS)


def text(rng: random.Random, before: list[Any]) -> str:
    """Any text of at most 40 characters, rarely empty."""
    if rng.random() < 0.025:
        return ""
    return str(rng.choices(_TEXT_MAKERS, _TEXT_WEIGHTS)[0](rng, before))[:40]


def short(rng: random.Random, before: list[Any]) -> str:
    """A text of one to ten characters."""
    return text(rng, before)[:10] or "ab"


def snake(rng: random.Random, before: list[Any]) -> str:
    """An identifier of several words: snake, kebab or screaming."""
    found = rng.choice("___-").join(rng.choice(vocabulary()) for _ in range(rng.randint(1, 4)))
    return found.upper() if rng.random() < 0.15 else found


def camel(rng: random.Random, before: list[Any]) -> str:
    """An identifier in camel case."""
    first, *rest = (rng.choice(vocabulary()).lower() for _ in range(rng.randint(1, 4)))
    found = first + "".join(one.capitalize() for one in rest)
    return found if rng.random() < 0.7 else found[0].upper() + found[1:]


def fields(rng: random.Random, before: list[Any]) -> str:
    """Fields with commas or another separator, some padded or empty."""
    found = [rng.choice((word, digits, word, mixed))(rng, before) for _ in range(rng.randint(2, 5))]
    if rng.random() < 0.3:
        found[rng.randrange(len(found))] = rng.choice(("", " ", " x", "n/a"))
    return rng.choice((",", ",", ", ", ";", "|", ":", "-", "/", " ")).join(found)


def pairs(rng: random.Random, before: list[Any]) -> str:
    """key=value pairs, now and then one without a value."""
    found = [
        f"{rng.choice(vocabulary())}={rng.choice((word, digits))(rng, before)}"
        for _ in range(rng.randint(1, 4))
    ]
    if rng.random() < 0.25:
        found.append(rng.choice(("flag", "x=", "=5", "a=b=c", " k = v ")))
    return rng.choice((";", ";", "&", ",")).join(found)


def query(rng: random.Random, before: list[Any]) -> str:
    """The query part of an address."""
    return "&".join(
        f"{rng.choice(vocabulary())}={rng.choice((word, digits))(rng, before)}"
        for _ in range(rng.randint(1, 3))
    )


def path(rng: random.Random, before: list[Any]) -> str:
    """A path of a file system."""
    parts = [rng.choice((*vocabulary(), "..", ".", "usr", "tmp", "src")) for _ in range(rng.randint(1, 4))]
    end = rng.choice(("", "", ".txt", ".py", ".tar.gz", "/", ".JPG"))
    return rng.choice(("/", "", "./", "C:/", "/home/")) + rng.choice(("/", "/", "/", "//")).join(parts) + end


def url(rng: random.Random, before: list[Any]) -> str:
    """A web address."""
    host = (
        rng.choice(("www.", "", "api."))
        + rng.choice(vocabulary()).lower()
        + rng.choice((".com", ".org", ".io", ".co.uk"))
    )
    found = rng.choice(("http://", "https://", "https://", "ftp://", "")) + host + rng.choice(("", ":8080"))
    if rng.random() < 0.6:
        found += (
            "/"
            + rng.choice(vocabulary())
            + rng.choice(("", "/" + rng.choice(vocabulary()), "?" + query(rng, before)))
        )
    return found[:60]


def email(rng: random.Random, before: list[Any]) -> str:
    """A mail address, sometimes a broken one."""
    if rng.random() < 0.2:
        return rng.choice(("no-at-sign", "a@b@c.com", "@x.org", "user@", "bad.address@host"))
    user = rng.choice(vocabulary()).lower() + rng.choice(("", ".x", "+tag", "99", "_a"))
    return user + "@" + rng.choice(vocabulary()).lower() + rng.choice((".com", ".org", ".net", ".co.uk"))


def date(rng: random.Random, before: list[Any]) -> str:
    """A date in one of several spellings."""
    year, month, day = rng.randint(1900, 2030), rng.randint(1, 12), rng.randint(1, 28)
    return rng.choice(
        (
            f"{year}-{month:02d}-{day:02d}",
            f"{year}-{month:02d}-{day:02d}",
            f"{day:02d}/{month:02d}/{year}",
            f"{year}.{month}.{day}",
        )
    )


def clock(rng: random.Random, before: list[Any]) -> str:
    """A time of day: 09:05 or 09:05:30."""
    found = f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}"
    return found if rng.random() < 0.6 else found + f":{rng.randint(0, 59):02d}"


def version(rng: random.Random, before: list[Any]) -> str:
    """A version number."""
    found = ".".join(str(rng.randint(0, 12)) for _ in range(rng.randint(1, 4)))
    return rng.choice(("", "", "", "v")) + found + rng.choice(("", "", "", "rc1", "-beta"))


def dotted(rng: random.Random, before: list[Any]) -> str:
    """Numbers with dots between, and nothing else."""
    return ".".join(str(rng.randint(0, 300)) for _ in range(rng.choice((2, 3, 3, 4, 4, 4, 5))))


def number(rng: random.Random, before: list[Any]) -> str:
    """A number as text, or what only looks like one."""
    pick = rng.random()
    if pick < 0.45:
        return str(rng.randint(-999, 99999))
    if pick < 0.7:
        return f"{rng.uniform(-50, 500):.{rng.randint(1, 3)}f}"
    return rng.choice(
        ("12a", "", "-", "3.", "1,234", "0x1F", " 42 ", "+7", "1e3", "007", "NaN", "ten", "4 2", "٣")
    )


def numbers(rng: random.Random, before: list[Any]) -> str:
    """Integers as text, separated by blanks or commas."""
    found = [str(rng.randint(-20, 120)) for _ in range(rng.randint(1, 6))]
    return rng.choice((" ", " ", ",", ", ")).join(found)


def binary(rng: random.Random, before: list[Any]) -> str:
    """Zeros and ones."""
    return "".join(rng.choices("01", k=rng.randint(1, 10)))


def hexadecimal(rng: random.Random, before: list[Any]) -> str:
    """Hexadecimal digits of one case."""
    return "".join(
        rng.choices(rng.choice(("0123456789abcdef", "0123456789ABCDEF")), k=rng.choice((2, 4, 6, 8)))
    )


def brackets(rng: random.Random, before: list[Any]) -> str:
    """Brackets, balanced or not, with or without text between."""
    if rng.random() < 0.4:
        return "".join(rng.choices("()[]{}", k=rng.randint(1, 8)))
    found = rng.choice(("", "a", "x+y", "()"))
    for _ in range(rng.randint(1, 4)):
        pair = rng.choice(("()", "()", "[]", "{}"))
        found = pair[0] + found + pair[1] if rng.random() < 0.7 else found + rng.choice((pair, "b", pair[0]))
    return found


def markup(rng: random.Random, before: list[Any]) -> str:
    """A scrap of markup: tags or stars around words."""
    tag = rng.choice(("b", "i", "p", "em", "li"))
    inner = phrase(rng, before)
    return rng.choice(
        (
            f"<{tag}>{inner}</{tag}>",
            f"{inner} <{tag}>x</{tag}>",
            f"**{inner}** and _{tag}_",
            f"[{inner}](http://{tag})",
            inner,
        )
    )


def log(rng: random.Random, before: list[Any]) -> str:
    """A line of a log."""
    level = rng.choice(("INFO", "ERROR", "WARN", "debug"))
    when = rng.choice((clock, date))(rng, before)
    return f"{when} {rng.choice(('', '['))}{level}{rng.choice((':', ']', ' -'))} {phrase(rng, before)}"


def person(rng: random.Random, before: list[Any]) -> str:
    """A person's name."""
    found = " ".join(rng.choice(words("vocabulary/text_people")) for _ in range(rng.choice((1, 2, 2, 3))))
    return found if rng.random() < 0.8 else found.lower()


def roman(rng: random.Random, before: list[Any]) -> str:
    """A Roman numeral."""
    return rng.choice(
        ("I", "IV", "IX", "XIV", "XL", "XC", "CD", "MCMXCIV", "MMXXIV", "LVIII", "XXVII", "DCC")
    )

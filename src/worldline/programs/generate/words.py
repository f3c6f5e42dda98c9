"""Where the text of inputs and literals comes from: words, sentences, digits, punctuation, paths, unicode, noise.

Every function draws from the `random.Random` that is passed in. Nothing here knows about Python's syntax or types.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from random import Random

from worldline.programs.generate.library import words

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
UNICODE = "éüñçåøßœ日本語中文русский€£±°→★你好世界αβγδλπΣΩ"
SEPARATORS = (
    ",",
    " ",
    "-",
    ";",
    ":",
    "|",
    "/",
    ".",
    "_",
    ", ",
    "=",
    "#",
    "+",
    "*",
    "--",
    "::",
    " - ",
    "&",
    "\t",
    "\n",
)


def letters(rng: Random, length: int, alphabet: str = string.ascii_lowercase) -> str:
    """`length` letters drawn evenly from `alphabet`."""
    return "".join(rng.choices(alphabet, k=length))


def word(rng: Random) -> str:
    """One word: mostly real, sometimes made up."""
    roll = rng.random()
    if roll < 0.62:
        return rng.choice(words("vocabulary/words"))
    if roll < 0.75:
        return (
            rng.choice(words("vocabulary/people"))
            if rng.random() < 0.5
            else rng.choice(words("vocabulary/words")).capitalize()
        )
    return letters(rng, rng.randint(1, 7))


def sentence(rng: Random, count: int) -> str:
    """`count` words with blanks between, sometimes capitalised and punctuated."""
    parts = [word(rng) for _ in range(count)]
    roll = rng.random()
    if roll < 0.3:
        parts[0] = parts[0].capitalize()
    text = " ".join(parts)
    if roll < 0.2:
        text += rng.choice(".!?")
    elif roll < 0.3 and count > 2:
        text = text.replace(" ", ", ", 1) + "."
    return text


def _case(rng: Random) -> str:
    text = sentence(rng, rng.randint(1, 3))
    return "".join(c.upper() if rng.random() < 0.45 else c for c in text)


def _runs(rng: Random) -> str:
    alphabet = letters(
        rng, rng.randint(1, 4), rng.choice(("abc", "xyz", "01", "abAB", string.ascii_lowercase))
    )
    return "".join(c * rng.randint(1, 4) for c in rng.choices(alphabet, k=rng.randint(1, 6)))


def _few(rng: Random) -> str:
    alphabet = rng.choice(
        ("ab", "abc", "abcd", "xyz", "01", "aeiou", "ABab", "123", "()", "()[]{}", "+-", "NESW")
    )
    return letters(rng, rng.randint(1, 14), alphabet)


def _numbers(rng: Random) -> str:
    roll = rng.random()
    if roll < 0.4:
        return str(rng.randint(0, 10 ** rng.randint(1, 9)))
    if roll < 0.55:
        return f"{rng.uniform(-200, 1000):.{rng.randint(1, 3)}f}"
    if roll < 0.65:
        return str(-rng.randint(1, 999))
    if roll < 0.8:
        return rng.choice((" ", ",", ", ", "-", ".", "/", ":")).join(
            str(rng.randint(0, 99)) for _ in range(rng.randint(2, 5))
        )
    if roll < 0.9:
        return letters(rng, rng.randint(3, 10), "01")
    return letters(rng, rng.randint(2, 8), "0123456789abcdef")


def _mixed(rng: Random) -> str:
    return letters(
        rng, rng.randint(1, 14), rng.choice((string.ascii_letters + string.digits, "abc123", "aA1 ", "xY9_"))
    )


def _noise(rng: Random) -> str:
    alphabet = PUNCTUATION + string.ascii_letters if rng.random() < 0.7 else PUNCTUATION + " 01ab"
    return letters(rng, rng.randint(1, 16), alphabet)


def _separated(rng: Random) -> str:
    separator = rng.choice(SEPARATORS)
    parts = [word(rng) if rng.random() < 0.8 else str(rng.randint(0, 99)) for _ in range(rng.randint(2, 6))]
    if rng.random() < 0.12:
        parts.insert(rng.randrange(len(parts) + 1), "")
    return separator.join(parts)


def _pairs(rng: Random) -> str:
    outer, inner = rng.choice(((",", "="), (";", ":"), ("&", "="), (" ", "="), ("; ", "="), (",", ":")))
    return outer.join(
        f"{word(rng)}{inner}{rng.choice((word(rng), rng.randint(0, 99)))}" for _ in range(rng.randint(1, 4))
    )


def _path(rng: Random) -> str:
    parts = [rng.choice(words("vocabulary/words")) for _ in range(rng.randint(1, 3))]
    extension = rng.choice(("txt", "py", "csv", "tar.gz", "json", "md", "html"))
    roll = rng.random()
    if roll < 0.4:
        return "/" + "/".join(parts) + "." + extension
    if roll < 0.6:
        return "/".join(parts) + rng.choice(("", "/"))
    if roll < 0.8:
        return f"{rng.choice(('http', 'https'))}://{parts[0]}.{rng.choice(('com', 'org', 'io'))}/" + "/".join(
            parts[1:]
        )
    if roll < 0.9:
        return f"{parts[0]}@{parts[-1]}.{rng.choice(('com', 'org', 'net'))}"
    return parts[0] + "." + extension


def _identifier(rng: Random) -> str:
    parts = [rng.choice(words("vocabulary/words")) for _ in range(rng.randint(2, 4))]
    roll = rng.random()
    if roll < 0.35:
        return "_".join(parts)
    if roll < 0.5:
        return "-".join(parts)
    if roll < 0.75:
        return parts[0] + "".join(part.capitalize() for part in parts[1:])
    return "".join(part.capitalize() for part in parts)


def _spaced(rng: Random) -> str:
    blank = rng.choice((" ", "  ", "\t", "\n", "   ", " \n"))
    text = blank.join(word(rng) for _ in range(rng.randint(1, 4)))
    return blank * rng.randint(0, 2) + text + rng.choice((" ", "\n", "", "\t", "  "))


def _unicode(rng: Random) -> str:
    return letters(rng, rng.randint(1, 8), UNICODE + "abc ")


def _long(rng: Random) -> str:
    if rng.random() < 0.5:
        return sentence(rng, rng.randint(6, 12))
    return letters(
        rng,
        rng.randint(25, 60),
        rng.choice((string.ascii_lowercase, string.ascii_letters + " ", "abc", "01")),
    )


_KINDS: tuple[tuple[Callable[[Random], str], int], ...] = (
    (word, 16),
    (lambda rng: sentence(rng, rng.randint(2, 5)), 16),
    (lambda rng: letters(rng, rng.randint(1, 10)), 10),
    (_case, 8),
    (_runs, 5),
    (_few, 7),
    (_numbers, 7),
    (_mixed, 7),
    (_noise, 5),
    (_separated, 9),
    (_pairs, 2),
    (_path, 4),
    (_identifier, 4),
    (_spaced, 4),
    (_unicode, 2),
    (_long, 4),
)
_MAKERS = tuple(kind for kind, _ in _KINDS)
_WEIGHTS = tuple(sum(weight for _, weight in _KINDS[: i + 1]) for i in range(len(_KINDS)))


def text(rng: Random) -> str:
    """A text of any of the kinds, never empty."""
    return rng.choices(_MAKERS, cum_weights=_WEIGHTS)[0](rng)


def character(rng: Random) -> str:
    """One character: mostly a letter."""
    roll = rng.random()
    if roll < 0.62:
        return rng.choice("aeioustrnlabcdexyz")
    if roll < 0.72:
        return rng.choice(string.ascii_uppercase)
    if roll < 0.82:
        return rng.choice(string.digits)
    return rng.choice(" -_,.:;!?#*/+@|")

"""Texts of every kind for generated programs: words, sentences, digits, paths, markup, noise, non-ASCII text.

Each maker depends only on its `Random`; `related` has those that depend on earlier values.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits

from worldline.programs.generate.language.library import words as listed

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
SEPARATORS = (
    ",", " ", "-", ";", ":", "|", "/", ".", "_", ", ", "=", "#", "+", "*", "--", "::", " - ", "&", "\t", "\n",
)  # fmt: skip
_FOREIGN = (
    "café", "naïve", "über", "Straße", "señor", "日本語", "привет", "éclair", "ñandú", "Ωmega", "😀ok", "½", "→x", "İz",
    "ﬁn", "你好世界", "русский", "€5", "£±°", "★αβγ",
)  # fmt: skip
_ALPHABETS = (
    "ab", "abc", "abcd", "abcde", "xyz", "01", "aeiou", "aeiost", "ABab", "AbC", "123", "()", "()[]{}", "+-", "NESW",
    "LRUD",
)  # fmt: skip
_NUMERALS = ("12a", "", "-", "3.", "1,234", "0x1F", " 42 ", "+7", "1e3", "007", "NaN", "ten", "4 2", "٣")
_ROMAN = ("I", "IV", "IX", "XIV", "XL", "XC", "CD", "MCMXCIV", "MMXXIV", "LVIII", "XXVII", "DCC")
_DOMAINS = (".com", ".org", ".net", ".io", ".co.uk")
_ENDINGS = ("", "", ".txt", ".py", ".csv", ".tar.gz", ".json", ".html", ".JPG", "/")


def letters(rng: Random, length: int, alphabet: str = ascii_lowercase) -> str:
    """`length` letters drawn evenly from `alphabet`."""
    return "".join(rng.choices(alphabet, k=length))


def plain(rng: Random) -> str:
    """Draw a word of the vocabulary."""
    return rng.choice(listed("vocabulary/words"))


def word(rng: Random) -> str:
    """Draw one word: mostly real, now and then in another case, a name, or made up."""
    roll = rng.random()
    if roll < 0.72:
        return plain(rng)
    if roll < 0.8:
        return plain(rng).capitalize()
    if roll < 0.83:
        return plain(rng).upper()
    return rng.choice(listed("vocabulary/people")) if roll < 0.88 else letters(rng, rng.randint(1, 7))


def phrase(rng: Random, low: int = 1, high: int = 4) -> str:
    """Draw plain words with single blanks."""
    return " ".join(plain(rng) for _ in range(rng.randint(low, high)))


def sentence(rng: Random) -> str:
    """Draw two to seven words, sometimes with punctuation, capitals, doubled blanks, a word twice."""
    spoken = [word(rng) for _ in range(rng.randint(2, 7))]
    if rng.random() < 0.25:
        spoken[rng.randrange(len(spoken))] += rng.choice(",;:!.-")
    if rng.random() < 0.3:
        spoken[rng.randrange(len(spoken))] = spoken[0]
    text = rng.choice((" ", " ", " ", " ", "  ")).join(spoken)
    if rng.random() < 0.4:
        text = text[0].upper() + text[1:]
    return text + rng.choice(("", "", "", ".", "!", "?", "..."))


def gibberish(rng: Random) -> str:
    """Draw random letters, some of them repeated, some in capitals."""
    alphabet = ascii_lowercase if rng.random() < 0.6 else letters(rng, rng.randint(2, 6))
    text = letters(rng, rng.randint(1, 14), alphabet)
    return text if rng.random() < 0.75 else "".join(rng.choice((c, c.upper())) for c in text)


def cased(rng: Random) -> str:
    """Draw words in any mixture of cases."""
    return "".join(c.upper() if rng.random() < 0.45 else c for c in phrase(rng, 1, 3))


def runs(rng: Random) -> str:
    """Draw runs of equal characters."""
    alphabet = letters(rng, rng.randint(1, 4), rng.choice(("abc", "xyz", "01", "abAB", ascii_lowercase, "01 A-")))
    return "".join(c * rng.randint(1, 4) for c in rng.choices(alphabet, k=rng.randint(1, 6)))


def few_letters(rng: Random, low: int = 1, high: int = 14) -> str:
    """Draw letters or signs of a small alphabet."""
    return letters(rng, rng.randint(low, high), rng.choice(_ALPHABETS))


def number_text(rng: Random) -> str:
    """Draw a number as text, or several, in some base."""
    roll = rng.random()
    if roll < 0.4:
        return str(rng.randint(0, 10 ** rng.randint(1, 9)))
    if roll < 0.55:
        return f"{rng.uniform(-200, 1000):.{rng.randint(1, 3)}f}"
    if roll < 0.65:
        return str(-rng.randint(1, 999))
    if roll < 0.8:
        return rng.choice((" ", ",", ", ", "-", ".", "/", ":")).join(str(rng.randint(0, 99)) for _ in range(3))
    return binary(rng) if roll < 0.9 else hexes(rng)


def serial(rng: Random) -> str:
    """Draw letters and digits in turn, as in a serial number, or mixed."""
    if rng.random() < 0.4:
        return letters(rng, rng.randint(1, 14), rng.choice((ascii_letters + digits, "abc123", "aA1 ", "xY9_")))
    parts = []
    for _ in range(rng.randint(1, 4)):
        parts += [letters(rng, rng.randint(0, 4)), letters(rng, rng.randint(0, 3), digits)]
    text = rng.choice(("", "", "-", " ", "_")).join(parts) or "a1"
    return text if rng.random() < 0.6 else text.upper()


def noisy(rng: Random) -> str:
    """Letters, digits and much punctuation."""
    alphabet = ascii_letters + digits + PUNCTUATION * 2 + "   " if rng.random() < 0.7 else PUNCTUATION + " 01ab"
    return letters(rng, rng.randint(1, 16), alphabet)


def blanks(rng: Random) -> str:
    """Draw words with blanks, tabs and line ends around and between."""
    gaps = (" ", "  ", "\t", "\n", "   ", " \n", "")
    parts = [rng.choice(gaps)]
    for _ in range(rng.randint(0, 3)):
        parts += [plain(rng), rng.choice(gaps)]
    return "".join(parts) or " "


def lines(rng: Random) -> str:
    """Draw one to four short lines, some empty or indented."""
    rows = [rng.choice(("", "", "", "  ", "# ", "- ", "\t")) + phrase(rng) for _ in range(rng.randint(1, 4))]
    if rng.random() < 0.3:
        rows.insert(rng.randrange(len(rows) + 1), "")
    return rng.choice(("\n", "\n", "\n", "\r\n")).join(rows) + rng.choice(("", "\n"))


def foreign(rng: Random) -> str:
    """Draw text beyond ASCII."""
    return " ".join(rng.choice((*_FOREIGN, plain(rng))) for _ in range(rng.randint(1, 3)))


def palindrome(rng: Random) -> str:
    """Draw a palindrome, or nearly one, or none."""
    half = gibberish(rng)[: rng.randint(1, 6)]
    text = half + half[::-1][rng.randint(0, 1) :]
    if rng.random() < 0.3:
        place = rng.randrange(len(text))
        text = text[:place] + rng.choice(ascii_lowercase) + text[place + 1 :]
    return text if rng.random() < 0.8 else word(rng)


def title(rng: Random) -> str:
    """Draw a title: capitalised words."""
    return " ".join(plain(rng).capitalize() for _ in range(rng.randint(1, 4)))


def snake(rng: Random) -> str:
    """Draw an identifier of several words: snake, kebab or screaming."""
    text = rng.choice("___-").join(plain(rng) for _ in range(rng.randint(1, 4)))
    return text.upper() if rng.random() < 0.15 else text


def camel(rng: Random) -> str:
    """Draw an identifier in camel case."""
    first, *rest = (plain(rng).lower() for _ in range(rng.randint(1, 4)))
    text = first + "".join(word.capitalize() for word in rest)
    return text if rng.random() < 0.7 else text[0].upper() + text[1:]


def fields(rng: Random) -> str:
    """Draw fields with commas or another separator, some padded or empty."""
    values = [rng.choice((word, digit_text, word, serial))(rng) for _ in range(rng.randint(2, 5))]
    if rng.random() < 0.3:
        values[rng.randrange(len(values))] = rng.choice(("", " ", " x", "n/a"))
    return rng.choice((",", ",", ", ", *SEPARATORS)).join(values)


def settings(rng: Random) -> str:
    """key=value pairs, now and then one without a value."""
    inner = rng.choice("===:")
    pairs = [plain(rng) + inner + rng.choice((word, digit_text))(rng) for _ in range(rng.randint(1, 4))]
    if rng.random() < 0.25:
        pairs.append(rng.choice(("flag", "x=", "=5", "a=b=c", " k = v ")))
    return rng.choice((";", ";", "&", ",", " ", "; ")).join(pairs)


def query(rng: Random) -> str:
    """Draw the query part of an address."""
    return "&".join(f"{plain(rng)}={rng.choice((word, digit_text))(rng)}" for _ in range(rng.randint(1, 3)))


def path(rng: Random) -> str:
    """Draw a path of a file system."""
    parts = [
        plain(rng) if rng.random() < 0.9 else rng.choice(("..", ".", "usr", "tmp")) for _ in range(rng.randint(1, 4))
    ]
    start = rng.choice(("/", "", "./", "C:/", "/home/"))
    return start + rng.choice(("/", "/", "/", "//")).join(parts) + rng.choice(_ENDINGS)


def url(rng: Random) -> str:
    """Draw a web address."""
    host = rng.choice(("www.", "", "api.")) + plain(rng).lower() + rng.choice(_DOMAINS)
    address = rng.choice(("http://", "https://", "https://", "ftp://", "")) + host + rng.choice(("", ":8080"))
    if rng.random() < 0.6:
        address += "/" + plain(rng) + rng.choice(("", "/" + plain(rng), "?" + query(rng)))
    return address[:60]


def email(rng: Random) -> str:
    """Draw a mail address, sometimes a broken one."""
    if rng.random() < 0.2:
        return rng.choice(("no-at-sign", "a@b@c.com", "@x.org", "user@", "bad.address@host"))
    user = plain(rng).lower() + rng.choice(("", ".x", "+tag", "99", "_a"))
    return user + "@" + plain(rng).lower() + rng.choice(_DOMAINS)


def date(rng: Random) -> str:
    """Draw a date in one of several spellings."""
    year, month, day = rng.randint(1900, 2030), rng.randint(1, 12), rng.randint(1, 28)
    iso = f"{year}-{month:02d}-{day:02d}"
    return rng.choice((iso, iso, f"{day:02d}/{month:02d}/{year}", f"{year}.{month}.{day}"))


def clock(rng: Random) -> str:
    """Draw a time of day: 09:05 or 09:05:30."""
    time = f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}"
    return time if rng.random() < 0.6 else time + f":{rng.randint(0, 59):02d}"


def version(rng: Random) -> str:
    """Draw a version number."""
    numbers = ".".join(str(rng.randint(0, 12)) for _ in range(rng.randint(1, 4)))
    return rng.choice(("", "", "", "v")) + numbers + rng.choice(("", "", "", "rc1", "-beta"))


def dotted(rng: Random) -> str:
    """Draw numbers with dots between, and nothing else."""
    return ".".join(str(rng.randint(0, 300)) for _ in range(rng.choice((2, 3, 3, 4, 4, 4, 5))))


def digit_text(rng: Random) -> str:
    """Draw one to ten digits."""
    return letters(rng, rng.randint(1, 10), digits)


def numeral(rng: Random) -> str:
    """Draw a number as text, or what only looks like one."""
    roll = rng.random()
    if roll < 0.45:
        return str(rng.randint(-999, 99999))
    return f"{rng.uniform(-50, 500):.{rng.randint(1, 3)}f}" if roll < 0.7 else rng.choice(_NUMERALS)


def numerals(rng: Random) -> str:
    """Draw integers as text, separated by blanks or commas."""
    return rng.choice((" ", " ", ",", ", ")).join(str(rng.randint(-20, 120)) for _ in range(rng.randint(1, 6)))


def binary(rng: Random) -> str:
    """Draw zeros and ones."""
    return letters(rng, rng.randint(1, 10), "01")


def hexes(rng: Random) -> str:
    """Draw hexadecimal digits of one case."""
    return letters(rng, rng.choice((1, 2, 4, 4, 6, 8)), rng.choice(("0123456789abcdef", "0123456789ABCDEF")))


def brackets(rng: Random) -> str:
    """Brackets, balanced or not, with or without text between."""
    if rng.random() < 0.4:
        return letters(rng, rng.randint(1, 8), "()[]{}")
    text = rng.choice(("", "a", "x+y", "()"))
    for _ in range(rng.randint(1, 4)):
        pair = rng.choice(("()", "()", "[]", "{}"))
        text = pair[0] + text + pair[1] if rng.random() < 0.7 else text + rng.choice((pair, "b", pair[0]))
    return text


def markup(rng: Random) -> str:
    """Draw a scrap of markup: tags or stars around words."""
    tag, inner = rng.choice(("b", "i", "p", "em", "li")), phrase(rng)
    tagged = f"<{tag}>{inner}</{tag}>"
    linked = f"[{inner}](http://{tag})"
    return rng.choice((tagged, f"{inner} <{tag}>x</{tag}>", f"**{inner}** and _{tag}_", linked, inner))


def log(rng: Random) -> str:
    """Draw a line of a log."""
    level = rng.choice(("", "[")) + rng.choice(("INFO", "ERROR", "WARN", "debug"))
    return f"{rng.choice((clock, date))(rng)} {level}{rng.choice((':', ']', ' -'))} {phrase(rng)}"


def person(rng: Random) -> str:
    """Draw a person's name."""
    name = " ".join(rng.choice(listed("vocabulary/people")) for _ in range(rng.choice((1, 2, 2, 3))))
    return name if rng.random() < 0.8 else name.lower()


def roman(rng: Random) -> str:
    """Draw a Roman numeral."""
    return rng.choice(_ROMAN)


def long(rng: Random) -> str:
    """Draw a text of some dozens of characters."""
    if rng.random() < 0.5:
        return phrase(rng, 6, 12)
    return letters(rng, rng.randint(25, 60), rng.choice((ascii_lowercase, ascii_letters + " ", "abc", "01")))


_WEIGHTED: tuple[tuple[Callable[[Random], str], int], ...] = (
    (word, 17),
    (sentence, 15),
    (phrase, 10),
    (gibberish, 14),
    (cased, 6),
    (runs, 5),
    (few_letters, 6),
    (number_text, 5),
    (serial, 7),
    (noisy, 6),
    (fields, 6),
    (settings, 2),
    (path, 3),
    (snake, 2),
    (camel, 2),
    (blanks, 4),
    (title, 3),
    (palindrome, 2),
    (foreign, 3),
    (lines, 2),
    (long, 3),
)
_MAKERS = tuple(maker for maker, _ in _WEIGHTED)
_WEIGHTS = tuple(sum(weight for _, weight in _WEIGHTED[: i + 1]) for i in range(len(_WEIGHTED)))


def text(rng: Random) -> str:
    """Draw a text of any of the kinds, never empty."""
    return rng.choices(_MAKERS, cum_weights=_WEIGHTS)[0](rng)[:60]


def short(rng: Random) -> str:
    """Draw a text of one to ten characters."""
    return text(rng)[:10]


def character(rng: Random) -> str:
    """Draw one character: mostly a letter."""
    roll = rng.random()
    if roll < 0.62:
        return rng.choice("aeioustrnlabcdexyz")
    if roll < 0.72:
        return rng.choice(ascii_uppercase)
    return rng.choice(digits) if roll < 0.82 else rng.choice(" -_,.:;!?#*/+@|")


_NAMED: tuple[Callable[[Random], str], ...] = (
        word, sentence, gibberish, cased, runs, serial, noisy, blanks, lines, foreign, palindrome, title, snake, camel,
        fields, settings, query, path, url, email, date, clock, version, dotted, numeral, numerals, binary, hexes,
        brackets, markup, log, person, roman, short,
)  # fmt: skip
TEXTS = {maker.__name__: maker for maker in _NAMED} | {"digits": digit_text}

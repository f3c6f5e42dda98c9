"""Makers of small expressions: conditions, sums, orderings and the usual ways to say one thing. Source text only."""

from __future__ import annotations

from worldline.programs.generate.idioms_data_template import Maker, Scope

_CONDITIONS = (
    "{0} % 2 == 0", "{0} % 2 == 1", "{0} % 2", "not {0} % 2", "{0} % 2 != 0", "{0} > {s}", "{0} < {s}", "{0} >= {s}",
    "{0} <= {s}", "{0} > 0", "{0} < 0", "{0} != {s}", "{0} == {s}", "{0} % {d} == 0", "{0} % {d} != 0", "{0} % {d}",
    "{s} < {0} < {b}", "{s} <= {0} <= {b}", "{0} < {s} or {0} > {b}", "{0} > {s} and {0} % 2 == 0", "abs({0}) > {s}",
    "not {0}", "{0} in ({s}, {b}, 0)", "{0} // 10 > 0", "{0} % 10 == {s}", "{0} >= 0 and {0} != {s}", "{0} & 1",
    "{0} > {b}", "{0} < {b}", "{0} * {d} < {b}", "{0} - {s} >= 0", "{0} not in [{s}, {b}]", "{s} < {0}",
    "{0} ** 2 > {b}", "not ({0} > {s})", "{0} % {d} in (0, 1)",
)  # fmt: skip

_EXPRESSIONS = (
    "{0} * 2", "{0} + 1", "{0} - 1", "{0} ** 2", "{0} * {0}", "{0} * {d}", "{0} + {s}", "{0} - {s}", "-{0}", "abs({0})",
    "{0} // 2", "{0} % {d}", "{0} * {d} + 1", "{s} - {0}", "2 * {0}", "{0} // {d}", "({0} + {s}) * {d}", "{0} % 10",
    "{0} * 10", "{0} + {0}", "max({0}, {s})", "min({0}, {b})", "{0} ** 2 - {s}", "{0} if {0} > 0 else 0", "{b} - {0}",
    "({0} - {s}) % {d}", "{0} * ({0} + 1) // 2", "10 * {0} + {s}", "{0} & {s}", "{0} | 1", "{0} << 1", "{0} ^ {s}",
    "({0} + 1) // 2", "int({0} / 2)", "{0}",
)  # fmt: skip

_WORD_CONDITIONS = (
    "len({0}) > {d}", "len({0}) < {d}", "len({0}) % 2 == 0", "len({0}) == {d}", "{0}.startswith('{c}')",
    "'{c}' in {0}", "{0}.endswith('{c}')", "{0}.isalpha()", "{0}[0] == '{c}'", "{0}.islower()", "{0} == {0}[::-1]",
    "{0}.isdigit()", "'{c}' not in {0}", "{0} > '{c}'", "{0}[0].isupper()", "len({0}) >= {d}", "{0}.count('{c}') > 0",
    "not {0}.isalpha()", "{0}[-1] in 'aeiou'", "{0}.lower() != {0}",
)  # fmt: skip

_WORD_EXPRESSIONS = (
    "{0}.upper()", "{0}[::-1]", "{0}.capitalize()", "{0} + '{c}'", "'{c}' + {0}", "{0}[0]", "{0}[1:]", "{0}[:2]",
    "{0} * 2", "{0}.title()", "{0}.lower()", "{0}.replace('{c}', '')", "{0}[:{d}]", "f'{{{0}}}!'", "f'<{{{0}}}>'",
    "{0}.swapcase()", "str(len({0})) + {0}", "{0}[-1]", "{0}.strip('{c}')", "{0}[1:] + {0}[0]", "{0} + '-' + {0}",
    "{0}.ljust({b}, '.')", "{0}.center({b}, '*')", "{0}.zfill({b})", "{0}[-{d}:]", "'{c}'.join({0})", "{0}",
)  # fmt: skip

_KEYS = (
    "-{0}", "{0} % {d}", "abs({0})", "({0} % 2, {0})", "({0} % {d}, -{0})", "abs({0} - {s})", "{0} % 10", "-{0} % {d}",
    "{0} ** 2", "(-({0} % 2), {0})", "({0} < {s}, {0})", "str({0})", "{0} // 10", "len(str({0}))",
)  # fmt: skip

_WORD_KEYS = (
    "len({0})", "-len({0})", "(len({0}), {0})", "(-len({0}), {0})", "{0}[-1]", "{0}.lower()", "{0}[::-1]",
    "({0}[0], len({0}))", "{0}.count('{c}')", "({0}[-1], {0})", "(len({0}) % 2, {0})",
)  # fmt: skip

_PAIRS = (
    "{0} + {1}", "{0} * {1}", "{0} - {1}", "{1} - {0}", "max({0}, {1})", "min({0}, {1})", "abs({0} - {1})",
    "{0} * {1} + {s}", "{0} + {1} * {d}", "({0} + {1}) * {d}", "({0} + {1}) // 2", "{0} * {d} - {1}", "{0} + {1} + {s}",
    "({0} + {1}) % {b}", "{0} ** 2 + {1} ** 2", "{0} if {0} > {1} else {1}", "{0} * {d} + {1}",
)  # fmt: skip

_PAIR_CONDITIONS = (
    "{0} > {1}", "{0} < {1}", "{0} == {1}", "{0} != {1}", "{0} >= {1}", "{0} <= {1}", "({0} + {1}) % 2 == 0",
    "{0} % 2 == {1} % 2", "{0} + {1} > {b}", "abs({0} - {1}) < {d}", "{0} * {1} > 0", "{0} > {1} > {s}",
    "{0} and {1}", "{0} - {1} > {s}", "{0} > {s} and {1} > {s}", "{0} == {1} or {0} > {b}", "{0} < {s} or {1} < {s}",
)  # fmt: skip


def _from(pool: tuple[str, ...], *, scaled: bool = False) -> Maker:
    """A maker that draws from `pool`; scaled: constants of the size of the program's data, more often than not."""

    def make(scope: Scope, arguments: list[str]) -> str:
        rng = scope.rng
        small, big, divisor = rng.randint(0 if scaled else 1, 9), rng.randint(10, 60), rng.randint(2, 6)
        if rng.random() < 0.15:
            big = rng.choice((50, 100, 100, 1000))
        if scaled and rng.random() < 0.65:
            small, big = sorted((rng.randint(*scope.span), rng.randint(*scope.span)))
        letter = rng.choice("aaabeeilnorst")
        return rng.choice(pool).format(*arguments, s=small, b=big, d=divisor, c=letter)

    return make


def _in_brackets(pool: tuple[str, ...]) -> Maker:
    plain = _from(pool)

    def make(scope: Scope, arguments: list[str]) -> str:
        made = plain(scope, arguments)
        return f"({made})" if " " in made else made

    return make


EXPRESSIONS: dict[str, Maker] = {
    "cond": _from(_CONDITIONS, scaled=True),
    "expr": _from(_EXPRESSIONS),
    "term": _in_brackets(_EXPRESSIONS),
    "wcond": _from(_WORD_CONDITIONS),
    "wexpr": _from(_WORD_EXPRESSIONS),
    "by": _from(_KEYS),
    "wby": _from(_WORD_KEYS),
    "pair": _from(_PAIRS),
    "pcond": _from(_PAIR_CONDITIONS, scaled=True),
}

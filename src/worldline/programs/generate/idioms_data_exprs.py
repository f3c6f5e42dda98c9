"""Makers of small expressions: conditions, sums, orderings and the usual ways to say one thing. Source text only."""

from __future__ import annotations

from worldline.programs.generate.idioms_data_template import Maker, Scope
from worldline.programs.generate.library import lines


def _from(pool: str, *, scaled: bool = False) -> Maker:
    """A maker that draws a line of `pool`; scaled: its constants are mostly of the size of the program's data."""

    def make(scope: Scope, arguments: list[str]) -> str:
        rng = scope.rng
        small, big, divisor = rng.randint(0 if scaled else 1, 9), rng.randint(10, 60), rng.randint(2, 6)
        if rng.random() < 0.15:
            big = rng.choice((50, 100, 100, 1000))
        if scaled and rng.random() < 0.65:
            small, big = sorted((rng.randint(*scope.span), rng.randint(*scope.span)))
        letter = rng.choice("aaabeeilnorst")
        return rng.choice(lines(f"macros/{pool}")).format(*arguments, s=small, b=big, d=divisor, c=letter)

    return make


def _in_brackets(pool: str) -> Maker:
    plain = _from(pool)

    def make(scope: Scope, arguments: list[str]) -> str:
        made = plain(scope, arguments)
        return f"({made})" if " " in made else made

    return make


EXPRESSIONS: dict[str, Maker] = {
    "cond": _from("data_number_tests", scaled=True),
    "expr": _from("data_number_expressions"),
    "term": _in_brackets("data_number_expressions"),
    "wcond": _from("data_word_tests"),
    "wexpr": _from("data_word_expressions"),
    "by": _from("data_number_keys"),
    "wby": _from("data_word_keys"),
    "pair": _from("data_pair_expressions"),
    "pcond": _from("data_pair_tests", scaled=True),
}

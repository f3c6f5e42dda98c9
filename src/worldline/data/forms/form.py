"""A program, generated or mined, in another form that does the same; forms are words and compose: `flatten among`.

What is made belongs to the split of the program it is made of: whoever asks hashes that one, not what comes out. That
a form does the same is a matter of tests, as a document holds what was recorded of the form itself.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from worldline.analyze.rewrite import rewrite_program
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.data.forms.among import among
from worldline.data.forms.called import method, nested, script
from worldline.programs import generate

Draw = Callable[[Random], Program]
Act = Callable[[Program, Random, Draw], Program]
_ACTS: dict[str, Act] = {
    "flatten": lambda program, rng, draw: rewrite_program(program, flatten=True),
    "chars": lambda program, rng, draw: rewrite_program(program, chars=True),
    "among": among,
    "method": lambda program, rng, draw: method(program, rng),
    "nested": lambda program, rng, draw: nested(program, rng),
    "script": lambda program, rng, draw: script(program, rng),
}
FORMS = tuple(_ACTS)


def check(form: str) -> None:
    """Refuse a form that has a word which is none of `FORMS`."""
    if unknown := sorted(set(form.split()) - set(FORMS)):
        raise UsageError(f"a form is made of {', '.join(FORMS)}, not of {', '.join(unknown)}")


def in_form(program: Program, form: str, rng: Random, draw: Draw = generate.program) -> Program | None:
    """The program in a form, each word of it applied in turn; None where one of them changes nothing.

    `draw` gives the programs whose definitions stand beside it.
    """
    made = program
    for word in form.split():
        before, made = made, _ACTS[word](made, rng, draw)
        if made.source == before.source:
            return None
    return made

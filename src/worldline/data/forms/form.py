"""Apply forms to a program: rewrites that do the same. Forms are words and compose: `flatten among`.

The result belongs to the split of the original program, so callers hash the original. Tests check that
a form preserves behaviour; a document holds what was recorded of the rewritten program.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from worldline.analyze.rewrite import rewrite_program
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.data.forms.among import DrawProgram, place_among
from worldline.data.forms.called import as_method, as_nested, as_script
from worldline.programs import generate

FormTransform = Callable[[Program, Random, DrawProgram], Program]
_TRANSFORMS: dict[str, FormTransform] = {
    "flatten": lambda program, rng, draw: rewrite_program(program, flatten=True),
    "chars": lambda program, rng, draw: rewrite_program(program, chars=True),
    "among": place_among,
    "method": lambda program, rng, draw: as_method(program, rng),
    "nested": lambda program, rng, draw: as_nested(program, rng),
    "script": lambda program, rng, draw: as_script(program, rng),
}
FORMS = tuple(_TRANSFORMS)


def check_form(form: str) -> None:
    """Raise UsageError if a word of the form is not in `FORMS`."""
    if unknown := sorted(set(form.split()) - set(FORMS)):
        raise UsageError(f"unknown form {', '.join(unknown)}: use words of {', '.join(FORMS)}")


def apply_form(program: Program, form: str, rng: Random, draw: DrawProgram = generate.program) -> Program | None:
    """Apply the words of a form to a program in turn.

    Args:
        program: Program to rewrite.
        form: Words of `FORMS`.
        rng: Source of randomness.
        draw: Draws programs whose definitions are added.

    Returns:
        The rewritten program, or None if a word changes nothing.
    """
    result = program
    for word in form.split():
        before, result = result, _TRANSFORMS[word](result, rng, draw)
        if result.source == before.source:
            return None
    return result

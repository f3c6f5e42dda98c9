"""What is said about a debugged run, in sentences: where it parts, why, what was believed, what each cure did.

A sentence is a name, a text that is safe to print, and a style; a terminal and a page show the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from worldline.core.escape import printable
from worldline.diagnose.cause import UNKNOWN
from worldline.diagnose.cures import CONFIRMING, CURES
from worldline.diagnose.debug import Belief, Debugged
from worldline.diagnose.diverge import Divergence
from worldline.diagnose.reading import Reading
from worldline.diagnose.trials import Tried
from worldline.predict.predictor import Prediction

LONG = 160  # characters of a value in a sentence


def sentences(found: Debugged) -> Iterator[tuple[str, str, str]]:
    """What is to be said below the rows."""
    diagnosis, why = found.diagnosis, found.cause
    if not found.diverges:
        far = "the whole trace" if diagnosis.truth.ended else "as far as the run was recorded"
        yield (
            "right",
            f"{far}, {diagnosis.truth.steps:,} steps, in {found.seconds['model']:.1f} s",
            "bold green",
        )
        return
    if diagnosis.divergences:
        more = len(diagnosis.divergences) - 1
        rest = f"; {more:,} more after it" if more else ""
        yield "diverges", f"at step {_place(diagnosis.divergences[0])}{rest}", "bold red"
    about = ", ".join(filter(None, (why.detail, why.operation, why.type)))
    name = why.name + (f" ({about})" if about else "")
    yield "cause", printable(f"{name}: {why.evidence}" if why.evidence else name), "bold"
    if why.under:
        yield "", printable(f"before the cut: {why.under}"), ""
    if found.blamed is not None:
        line, code, said = found.blamed
        yield "scratch", printable(f"line {line}, at `{code}`: {said}"), "bold"
    if found.belief is not None and why.name != UNKNOWN:
        yield "belief", _believed(found.belief), ""
    yield "answer", _answered(found), ""
    if found.tried:
        yield from cured(found.tried)
        yield _verdict(found)


def _verdict(found: Debugged) -> tuple[str, str, str]:
    name = printable(found.cause.name)
    if found.is_confirmed is None:
        return "verdict", f"{name}: not tested, {_untested(found)}", "yellow"
    if found.is_confirmed:
        return "verdict", f"{name}: confirmed, its cure makes it right", "bold green"
    return "verdict", f"{name}: not confirmed, its cures leave it wrong", "yellow"


def _untested(found: Debugged) -> str:
    """Why no cure of the cause was tried: a bound that can be raised, or none applies."""
    whys = [one.why for one in found.tried if one.cure in CONFIRMING.get(found.cause.name, ())]
    for option, left in (("--work", "nothing"), ("--seconds", "no time")):
        bound = next((why.partition(option)[2] for why in whys if option in why), "")
        if bound:
            return f"{option}{bound} left {left} for its cures"
    return "none of its cures applies" if whys else "it has no cure"


def ending(found: Prediction, reading: Reading) -> Iterator[tuple[str, str, str]]:
    """How a prediction ends."""
    if reading.malformed is not None:
        text = f"at byte {reading.malformed.offset:,}: expected {reading.malformed.expected}"
        yield "malformed", printable(text), "bold red"
    if reading.answer is not None:
        yield "answer", printable(" ".join(reading.answer)[:LONG]), "bold"
    rate = f" in {found.seconds:.1f} s" if found.seconds else ""
    yield "model", f"{found.status}, {len(found.text):,} bytes, {reading.steps:,} steps{rate}", "dim"


def cured(tried: Iterable[Tried]) -> Iterator[tuple[str, str, str]]:
    """What came of each cure; those that were not tried, or do not apply, together at the end."""
    words = {"recovered": ("comes right", "green"), "fault": ("the tool failed", "yellow")}
    head, apart = "cures", list[str]()
    for one in tried:
        if one.outcome in ("unfit", "untried"):
            apart.append(f"{one.cure} ({one.why})")
            continue
        word, style = words.get(one.outcome, ("stays wrong", ""))
        why = f" ({one.why})" if one.why else ""
        yield head, printable(f"{one.cure:<8} {word}{why}: {CURES[one.cure]}"), style
        head = ""
    if apart:
        yield head, printable("not tried: " + "; ".join(apart)), "dim"


def _place(one: Divergence) -> str:
    where = f"{one.step}, line {one.line}" if one.line is not None else f"{one.step}"
    wanted, got = _value(one.wanted), _value(one.got)
    if one.what == "missing":
        return f"{where}: {wanted} is missing"
    if one.what == "extra":
        return f"{where}: {got} does not happen"
    name = f"{printable(one.name)} is " if one.name is not None else ""
    part = ""
    if one.part is not None and (one.part.path or one.part.at is not None):
        at = f" at character {one.part.at}" if one.part.at is not None else ""
        sides = f"{_value(one.part.wanted)}, not {_value(one.part.got)}"
        part = f"; they part in {printable(one.part.path) or 'it'}{at}: {sides}"
    return f"{where}: {name}{wanted}, not {got}{part}"


def _value(text: str | None) -> str:
    if text is None:
        return "nothing"
    return printable(text[:LONG]) + ("..." if len(text) > LONG else "")


def _believed(belief: Belief) -> str:
    def odds(of: float | None) -> str:
        return "" if of is None else f", probability {percent(of)}"

    wrote, wanted = (_value(text.removesuffix("\n")) for text in (belief.wrote, belief.wanted))
    return f"it wrote `{wrote}`{odds(belief.sure)}; the truth is `{wanted}`{odds(belief.truth)}"


def percent(rate: float) -> str:
    """A probability as a person reads it, however small."""
    if rate >= 0.0995 or rate == 0.0:
        return f"{100 * rate:.0f} %"
    return f"{100 * rate:.1f} %" if rate >= 0.001 else f"{100 * rate:.1g} %"


def _answered(found: Debugged) -> str:
    diagnosis = found.diagnosis
    wanted, got = (
        _value(" ".join(each) if each else None) for each in (diagnosis.truth.answer, diagnosis.found.answer)
    )
    if diagnosis.answer:
        return f"right all the same: {wanted}"
    if wanted == got and diagnosis.truth.printed != diagnosis.found.printed:
        return f"{got}, which is true, but other output"
    return f"{got}; the truth is {wanted}"

"""What is said about a debugged run, in sentences: where it parts, why, what was believed, what each intervention did.

A sentence is a name, a text that is safe to print, and a style; a terminal and a page show the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from worldline.analyze.flow.functions import Functions
from worldline.codec.reading import Reading
from worldline.core.text import around, first_difference, printable
from worldline.diagnose.cause import UNKNOWN
from worldline.diagnose.debug import Belief, Debugged
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.diverge import GONE, HIDDEN, Divergence, in_words
from worldline.diagnose.interventions import CONFIRMING, INTERVENTIONS
from worldline.diagnose.reading import ends_alike
from worldline.diagnose.trials import InterventionTrial
from worldline.predict.prediction import Prediction

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
        yield "diverges", f"at step {place(diagnosis)}{rest}", "bold red"
    about = ", ".join(filter(None, (why.detail, why.operation, why.type)))
    name = why.name + (f" ({about})" if about else "")
    yield "cause", printable(f"{name}: {why.evidence}" if why.evidence else name), "bold"
    if why.under:
        yield "", printable(f"before the cut: {why.under}"), ""
    if found.branch is not None:
        yield "branch", printable(found.branch.in_words(_value)), "bold"
        if told := found.branch.nearest_in_words():
            yield "", printable(told), ""
    if found.blamed is not None:
        line, code, said = found.blamed
        yield "scratch", printable(f"line {line}, at `{code}`: {said}"), "bold"
    if (is_right := found.is_right_given_its_draws) is not None:
        said = "right" if is_right else "not right"
        yield (
            "draws",
            f"{said} given its own draws: beside the run that has them",
            "green" if is_right else "",
        )
    if found.belief is not None and why.name != UNKNOWN:
        yield "belief", _believed(found.belief), ""
    yield "answer", _answered(found), ""
    if found.tried:
        yield from intervention_lines(found.tried)
        yield _verdict(found)


def _verdict(found: Debugged) -> tuple[str, str, str]:
    name = printable(found.cause.name)
    if found.is_confirmed is None:
        return "verdict", f"{name}: not tested, {_untested(found)}", "yellow"
    if found.is_confirmed:
        return "verdict", f"{name}: confirmed, its intervention makes it right", "bold green"
    return "verdict", f"{name}: not confirmed, its interventions leave it wrong", "yellow"


def _untested(found: Debugged) -> str:
    """Why no intervention of the cause was tried: a bound that can be raised, or none applies."""
    whys = [one.why for one in found.tried if one.intervention in CONFIRMING.get(found.cause.name, ())]
    for option, left in (("--work", "nothing"), ("--seconds", "no time")):
        bound = next((why.partition(option)[2] for why in whys if option in why), "")
        if bound:
            return f"{option}{bound} left {left} for its interventions"
    return "none of its interventions applies" if whys else "it has no intervention"


def ending(found: Prediction, reading: Reading) -> Iterator[tuple[str, str, str]]:
    """How a prediction ends."""
    if reading.malformed is not None:
        text = f"at byte {reading.malformed.offset:,}: expected {reading.malformed.expected}"
        yield "malformed", printable(text), "bold red"
    if reading.answer is not None:
        yield "answer", printable(" ".join(reading.answer)[:LONG]), "bold"
    rate = f" in {found.seconds:.1f} s" if found.seconds else ""
    yield "model", f"{found.status}, {len(found.text):,} bytes, {reading.steps:,} steps{rate}", "dim"


def intervention_lines(tried: Iterable[InterventionTrial]) -> Iterator[tuple[str, str, str]]:
    """What came of each intervention; those that were not tried, or do not apply, together at the end."""
    words = {"recovered": ("comes right", "green"), "fault": ("the tool failed", "yellow")}
    head, apart = "interventions", list[str]()
    for one in tried:
        if one.outcome in ("unfit", "untried"):
            apart.append(f"{one.intervention} ({one.why})")
            continue
        word, style = words.get(one.outcome, ("stays wrong", ""))
        why = f" ({one.why})" if one.why else ""
        yield head, printable(f"{one.intervention:<8} {word}{why}: {INTERVENTIONS[one.intervention]}"), style
        head = ""
    if apart:
        yield head, printable("not tried: " + "; ".join(apart)), "dim"


def place(diagnosis: Diagnosis) -> str:
    """The first divergence: its step, its line, and what differs there."""
    one = diagnosis.divergences[0]
    where = f"{one.step}, line {one.line}" if one.line is not None else f"{one.step}"
    return f"{where}: {_differs(one, diagnosis)}"


def _differs(one: Divergence, diagnosis: Diagnosis) -> str:
    wanted, got = _values(one.wanted, one.got)
    name = "the hidden input" if one.name == HIDDEN else printable(one.name or "")
    if one.what in ("event", "line") and one.found is not None:
        return _actions(one, diagnosis)
    if one.what == "missing":
        return f"{wanted} is missing"
    if one.what == "extra":
        return f"{got} does not happen"
    if one.what == "names":
        return _changed(name, one.wanted, one.got, wanted, got)
    about = f"{name} is " if one.name is not None else ""
    part = ""
    if one.part is not None and (one.part.path or one.part.at is not None):
        at = f" at character {one.part.at}" if one.part.at is not None else ""
        sides = f"{_value(one.part.wanted)}, not {_value(one.part.got)}"
        part = f"; they part in {printable(one.part.path) or 'it'}{at}: {sides}"
    return f"{about}{wanted}, not {got}{part}"


def _changed(name: str, true: str | None, said: str | None, wanted: str, got: str) -> str:
    """A name that one side alone changes, drops or shares."""

    def told(text: str | None, shown: str) -> str:
        if text is None or text == GONE:
            return "no change of it" if text is None else f"that {name} is gone"
        if text.startswith("&"):
            return f"{name} is {printable(text[1:])}" if text[1:] else f"{name} apart"
        return f"{name}={shown}"

    if true is None:
        return f"{name} does not change; the model tells {told(said, got)}"
    if true == GONE:
        return f"{name} is gone; the model tells {told(said, got)}"
    if true.startswith("&"):
        other = f"the object of {printable(true[1:])}" if true[1:] else "an object of its own"
        return f"{name} is {other}; the model tells {told(said, got) if said else 'nothing of it'}"
    return f"{name} becomes {wanted}; the model tells {told(said, got)}"


def _actions(one: Divergence, diagnosis: Diagnosis) -> str:
    """Two other ways to go on, each by what happens and where."""
    events = diagnosis.truth.events, diagnosis.found.events
    functions = Functions(diagnosis.sample.ask.program)
    true = in_words(events[0][one.step], functions) if one.step < len(events[0]) else "the end"
    said = in_words(events[1][one.found or 0], functions)
    if true == said:
        true, said = printable(one.wanted or true), printable(one.got or said)
    return f"{true}, not {said.replace(' is called', '') if true.endswith(')') and ' is called' in true else said}"


def _values(wanted: str | None, got: str | None) -> tuple[str, str]:
    """Both sides, long ones around where they part."""
    if wanted is None or got is None:
        return _value(wanted), _value(got)
    at = first_difference(wanted, got)
    return printable(around(wanted, at, LONG)), printable(around(got, at, LONG))


def _value(text: str | None) -> str:
    return "nothing" if text is None else printable(around(text, 0, LONG))


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
    if diagnosis.answer or ends_alike(diagnosis.truth, diagnosis.found, printed=True):
        return f"right all the same: {wanted}"
    if wanted == got and diagnosis.truth.printed != diagnosis.found.printed:
        return f"{got}, which is true, but other output"
    return f"{got}; the truth is {wanted}"

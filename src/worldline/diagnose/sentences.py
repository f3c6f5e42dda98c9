"""The result of `debug()` in sentences: the first divergence, the cause, the confidence, and each intervention.

A sentence is a label, a text that is safe to print, and a style. The terminal and the page show the same
ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from worldline.analyze.flow.functions import Functions
from worldline.codec.reading import Reading
from worldline.core.text import around, first_difference, plural, printable
from worldline.diagnose.cause import UNKNOWN
from worldline.diagnose.debug import Belief, Debugged
from worldline.diagnose.diagnosis import Diagnosis
from worldline.diagnose.diverge import GONE, HIDDEN, Divergence, in_words
from worldline.diagnose.interventions import CONFIRMING, INTERVENTIONS
from worldline.diagnose.reading import ends_alike
from worldline.diagnose.trials import InterventionTrial
from worldline.diagnose.why.value_history import History
from worldline.predict.prediction import Prediction

MAX_VALUE = 160  # characters of a value in a sentence
_VERBS = {"return": "returns", "yield": "yields", "raise": "raises", "output": "prints", "input": "reads"}


def sentences(debugged: Debugged) -> Iterator[tuple[str, str, str]]:
    """Yield label, text and style of each sentence about a debugged program."""
    diagnosis, cause = debugged.diagnosis, debugged.cause
    if not debugged.diverges:
        extent = "the whole trace" if diagnosis.truth.ended else "as far as the execution was recorded"
        text = f"{extent}, {diagnosis.truth.steps:,} steps, predicted in {debugged.seconds['model']:.1f} s"
        yield "right", text, "bold green"
        return
    if diagnosis.divergences:
        later = len(diagnosis.divergences) - 1
        rest = f"; {plural(later, 'later divergence')}" if later else ""
        yield "first divergence", f"at step {place(diagnosis)}{rest}", "bold red"
    about = ", ".join(filter(None, (cause.detail, cause.blamed, cause.type)))
    name, evidence = cause.name + (f" ({about})" if about else ""), _new_evidence(diagnosis)
    yield "cause", printable(f"{name}: {evidence}" if evidence else name), "bold"
    if cause.under:
        yield "", printable(f"before the cut: {cause.under}"), ""
    yield from _details(debugged)
    if debugged.belief is not None and cause.name != UNKNOWN:
        label = "step" if debugged.belief.sure is None else "confidence"
        yield label, _confidence(debugged.belief), ""
    yield "answer", _answer(diagnosis), ""
    if debugged.tried:
        yield from intervention_lines(debugged.tried)
        yield _verdict(debugged)


def _new_evidence(diagnosis: Diagnosis) -> str:
    """The evidence for the cause, without the values that the first divergence has stated already."""
    evidence, first = diagnosis.cause.evidence, diagnosis.first
    if first is None:
        return evidence
    stated = f"{first.name or _event(first, diagnosis)} is {first.wanted}, predicted {first.got}"
    rest = evidence.removeprefix(stated + ", ")
    return rest if rest.startswith("computed by") else evidence


def _details(debugged: Debugged) -> Iterator[tuple[str, str, str]]:
    """The misjudged condition, the wrong line of the scratchpad, and the verdict given the model's own draws."""
    if debugged.branch is not None:
        yield "wrong branch", printable(debugged.branch.in_words(_value)), "bold"
        if nearest := debugged.branch.nearest_in_words():
            yield "", printable(nearest), ""
    if debugged.blamed is not None:
        line, code, cause = debugged.blamed
        yield "scratchpad", printable(f"line {line}, at `{code}`: {cause}"), "bold"
    if (is_right := debugged.is_right_given_its_draws) is not None:
        verdict = "right" if is_right else "wrong"
        yield "own draws", f"{verdict} given the model's own draws", "green" if is_right else ""


def _verdict(debugged: Debugged) -> tuple[str, str, str]:
    name = printable(debugged.cause.name)
    if debugged.is_confirmed is None:
        return "verdict", f"{name}: not tested, {_untested(debugged)}", "yellow"
    if debugged.is_confirmed:
        return "verdict", f"{name}: confirmed, removing it fixes the prediction", "bold green"
    return "verdict", f"{name}: not confirmed, removing it leaves the prediction wrong", "yellow"


def _untested(debugged: Debugged) -> str:
    """Why no intervention of the cause was tried."""
    whys = [trial.why for trial in debugged.tried if trial.intervention in CONFIRMING.get(debugged.cause.name, ())]
    for option, rest in (("--work", "no bytes"), ("--seconds", "no time")):
        bound = next((why.partition(option)[2] for why in whys if option in why), "")
        if bound:
            return f"{option}{bound} leaves {rest} for its interventions"
    return "none of its interventions applies" if whys else "no intervention removes it"


def ending(prediction: Prediction, reading: Reading) -> Iterator[tuple[str, str, str]]:
    """Yield the sentences about how a prediction ends."""
    if reading.malformed is not None:
        text = f"at byte {reading.malformed.offset:,}: expected {reading.malformed.expected}"
        yield "malformed", printable(text), "bold red"
    if reading.answer is not None:
        yield "answer", printable(" ".join(reading.answer)[:MAX_VALUE]), "bold"
    rate = f" in {prediction.seconds:.1f} s" if prediction.seconds else ""
    yield ("prediction", f"{prediction.status}, {len(prediction.text):,} bytes, {reading.steps:,} steps{rate}", "dim")
    if prediction.discarded:
        written = f"{prediction.bytes_written:,} bytes were written"
        yield "note", printable("; ".join(part for part in (prediction.note, written) if part)), "dim"


def intervention_lines(trials: Iterable[InterventionTrial]) -> Iterator[tuple[str, str, str]]:
    """Yield the result of each intervention, then those that do not apply or were not tried."""
    words = {"recovered": ("fixed", "green"), "fault": ("the tool failed", "yellow")}
    label = "interventions"
    skipped: dict[str, list[str]] = {"unfit": [], "untried": []}
    for trial in trials:
        if trial.outcome in skipped:
            skipped[trial.outcome].append(f"{trial.intervention} ({trial.why})")
            continue
        word, style = words.get(trial.outcome, ("still wrong", ""))
        why = f" ({trial.why})" if trial.why else ""
        text = f"{trial.intervention:<8} {word}{why}: {INTERVENTIONS[trial.intervention]}"
        yield label, printable(text), style
        label = ""
    for outcome, title in (("untried", "not tried"), ("unfit", "does not apply")):
        if skipped[outcome]:
            yield label, printable(f"{title}: " + "; ".join(skipped[outcome])), "dim"
            label = ""


def place(diagnosis: Diagnosis) -> str:
    """Describe the first divergence: the step and the line that made it, where it is shown, and what differs."""
    first = diagnosis.divergences[0]
    step, line, shown = first.step, first.line, ""
    if first.is_change:
        history = History(diagnosis.truth.events)
        step = history.maker(first.step)
        line, seen = diagnosis.truth.events[step].line, history.shown_at(step)
        shown = f", shown with step {seen}" if seen != step else ""
    where = f"{step}, line {line}" if line is not None else f"{step}"
    return f"{where}{shown}: {_differs(first, diagnosis)}"


def _differs(divergence: Divergence, diagnosis: Diagnosis) -> str:
    wanted, got = _values(divergence.wanted, divergence.got)
    name = "the hidden input" if divergence.name == HIDDEN else printable(divergence.name or "")
    if divergence.what in ("event", "line") and divergence.found is not None:
        return _actions(divergence, diagnosis)
    if divergence.what == "missing":
        return f"{wanted} is missing in the prediction"
    if divergence.what == "extra":
        return f"predicted {got}, which does not happen"
    if divergence.what == "names":
        return _changed(name, divergence.wanted, divergence.got, wanted, got)
    about = f"{name} is " if divergence.name is not None else _verb(divergence, diagnosis)
    return f"{about}{wanted}, predicted {got}{_part(divergence)}"


def _event(divergence: Divergence, diagnosis: Diagnosis) -> str:
    events = diagnosis.truth.events
    return events[divergence.step].event if divergence.step < len(events) else ""


def _verb(divergence: Divergence, diagnosis: Diagnosis) -> str:
    event = _event(divergence, diagnosis)
    return f"{_VERBS[event]} " if divergence.wanted is not None and event in _VERBS else ""


def _part(divergence: Divergence) -> str:
    """The first element or character that differs; empty if the whole value does."""
    part = divergence.part
    if part is None or (not part.path and part.at is None):
        return ""
    where = ", ".join(filter(None, (printable(part.path), "" if part.at is None else f"character {part.at}")))
    return f" (at {where}: {_value(part.wanted)}, predicted {_value(part.got)})"


def _changed(name: str, true: str | None, predicted: str | None, wanted: str, got: str) -> str:
    """A name that only one side changes, deletes or shares."""

    def describe(text: str | None, shown: str) -> str:
        if text is None:
            return "no change"
        if text == GONE:
            return f"{name} deleted"
        if text.startswith("&"):
            return f"{name} is {printable(text[1:])}" if text[1:] else f"{name} not shared"
        return f"{name}={shown}"

    if true is None:
        actual = f"{name} does not change"
    elif true == GONE:
        actual = f"{name} is deleted"
    elif true.startswith("&"):
        actual = f"{name} is {f'the object of {printable(true[1:])}' if true[1:] else 'an object of its own'}"
    else:
        actual = f"{name} becomes {wanted}"
    return f"{actual}, predicted {describe(predicted, got)}"


def _actions(divergence: Divergence, diagnosis: Diagnosis) -> str:
    events = diagnosis.truth.events, diagnosis.found.events
    functions = Functions(diagnosis.sample.ask.program)
    true = in_words(events[0][divergence.step], functions) if divergence.step < len(events[0]) else "the end"
    predicted = in_words(events[1][divergence.found or 0], functions)
    if true == predicted:
        true, predicted = printable(divergence.wanted or true), printable(divergence.got or predicted)
    return f"{true}, predicted {predicted}"


def _values(wanted: str | None, got: str | None) -> tuple[str, str]:
    """Both values; long ones are cut around the first difference."""
    if wanted is None or got is None:
        return _value(wanted), _value(got)
    at = first_difference(wanted, got)
    return printable(around(wanted, at, MAX_VALUE)), printable(around(got, at, MAX_VALUE))


def _value(text: str | None) -> str:
    return "nothing" if text is None else printable(around(text, 0, MAX_VALUE))


def _confidence(belief: Belief) -> str:
    def describe(kind: str, text: str, probability: float | None) -> str:
        odds = "" if probability is None else f"{percent(probability)} for "
        return f"{odds}{kind} `{_value(text)}`"

    predicted = describe("predicted", belief.wrote.removesuffix("\n"), belief.sure)
    actual = describe("actual", belief.wanted.removesuffix("\n"), belief.truth)
    return f"{predicted}, {actual}"


def percent(rate: float) -> str:
    """Format a probability, however small."""
    if rate >= 0.0995 or rate == 0.0:
        return f"{100 * rate:.0f} %"
    return f"{100 * rate:.1f} %" if rate >= 0.001 else f"{100 * rate:.1g} %"


def _answer(diagnosis: Diagnosis) -> str:
    true, predicted = (
        _value(" ".join(answer) if answer else None) for answer in (diagnosis.truth.answer, diagnosis.found.answer)
    )
    if diagnosis.answer or ends_alike(diagnosis.truth, diagnosis.found, printed=True):
        return f"right although the trace is not: {true}"
    if true == predicted and diagnosis.truth.printed != diagnosis.found.printed:
        return f"right ({true}), but the output differs"
    return f"predicted {predicted}, actual {true}"

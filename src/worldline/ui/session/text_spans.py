"""Where in a prediction's text each step stands. Any bytes; what they mean is read elsewhere."""

from __future__ import annotations

from worldline.codec.compact.turns import is_own
from worldline.codec.cwm.text import token
from worldline.predict.prediction import Prediction

_SEPARATOR = token("frame_sep").encode()
_PROMPT = token("trace_context_start").encode()
_BEGIN = token("begin_of_text").encode()


def step_spans(prediction: Prediction, count: int) -> list[tuple[int, int]]:
    """The offsets, begin and end, of so many steps."""
    found = _frames(prediction.text, count) if prediction.codec == "cwm" else _turns(prediction.text, count)
    end = found[-1][1] if found else 0
    return found + [(end, end)] * (count - len(found))


def _turns(text: bytes, count: int) -> list[tuple[int, int]]:
    """Of the compact notation: moves, late changes and hidden inputs are of the step before which they stand."""
    found: list[tuple[int, int]] = []
    start = at = 0
    asked = False
    while len(found) < count and at < len(text):
        stop = text.find(b"\n", at)
        end = stop + 1 if stop >= 0 else len(text)
        first = text[at : at + 1]
        if not asked and is_own(first):
            found.append((start, end))
            start = end
        asked = not asked and first == b"?"  # the next line is an answer
        at = end
    return found


def _frames(text: bytes, count: int) -> list[tuple[int, int]]:
    """Of Meta's notation: each frame ends with a separator, and so does a prompt in front of them."""
    found: list[tuple[int, int]] = []
    start = 0
    if text.removeprefix(_BEGIN).startswith(_PROMPT):
        start = text.find(_SEPARATOR) + len(_SEPARATOR)
    while len(found) < count:
        stop = text.find(_SEPARATOR, start)
        if stop < 0:
            if start < len(text):  # the cut broke it off
                found.append((start, len(text)))
            break
        found.append((start, stop + len(_SEPARATOR)))
        start = found[-1][1]
    return found

"""Reads files of outputs made elsewhere: JSON lines, a JSON array, an object keyed by id, or a failure report.

Field names differ: `FIELDS` lists the names of each role, the likeliest first. Files may be gzipped. A failure report
is an HTML page that shows each prompt and output (`<details id="raw-ID">` with two `<pre>`).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from worldline.core.errors import UsageError
from worldline.core.external_json import parse_external_json
from worldline.core.fault import RowFault, call_or_fault
from worldline.storage.inputs import read_input, unpack

FIELDS: dict[str, tuple[str, ...]] = {
    "id": ("id", "task_id", "sample_id", "problem_id", "question_id", "name", "uid", "idx", "index"),
    "text": (
        "generation", "generations", "full_output", "raw_output", "model_output", "generated_text", "generated",
        "predicted_trace", "generated_trace", "trace", "completion", "completions", "response", "responses",
        "outputs", "output_text", "choices", "raw", "text", "content", "message", "prediction", "predictions",
        "output",
    ),
    "answer": (
        "answer", "predicted", "predicted_output", "predicted_answer", "extracted_answer", "extracted", "pred",
        "prediction",
    ),
    "expected": (
        "expected", "expected_output", "reference", "ground_truth", "gold", "target", "truth", "correct_output",
        "output",
    ),
    "code": ("code", "source", "source_code", "program", "function", "canonical_solution", "original_code"),
    "input": ("input", "inputs", "test_input", "args", "arguments"),
    "call": ("call", "invocation", "expression"),
    "entry": ("entry_point", "function_name", "entry"),
    "prompt": ("prompt", "full_prompt", "prompt_text", "context"),
    "passed": ("passed", "correct", "is_correct", "success"),
}  # fmt: skip


@dataclass(frozen=True)
class ExternalRow:
    """One output, with the texts of its roles.

    `sample` counts the outputs of one id from 0. `fault` is why the tool could not read it.
    """

    id: str
    text: str
    sample: int = 0
    roles: Mapping[str, str] = field(default_factory=dict)
    fault: RowFault | None = None


def read_rows(path: str | Path, *, fields: Mapping[str, str] | None = None) -> list[ExternalRow]:
    """Read every output of a file, in order.

    Args:
        path: The file.
        fields: The names of fields by role, if they cannot be guessed.

    Raises:
        UsageError: The file cannot be read, or has no field for the model's text.
    """
    chosen = dict(fields or {})
    unknown = sorted(chosen.keys() - FIELDS.keys())
    if unknown:
        raise UsageError(f"unknown role {', '.join(unknown)}; the roles are {', '.join(FIELDS)}")
    text = _text(path)
    if text.lstrip()[:1] == "<":
        rows: list[tuple[str, Any]] = _report(text)
    else:
        rows = list(_entries(_values(path, text)))
    outputs: list[ExternalRow] = []
    for number, (name, value) in enumerate(rows):
        read = call_or_fault(_rows, name, value, chosen, number)
        outputs += [ExternalRow(name or str(number), "", fault=read)] if isinstance(read, RowFault) else read
    if not outputs:
        raise UsageError(f"{path} has no rows")
    known = [value for _, value in rows if isinstance(value, dict)]
    if len(known) == len(rows) and not any(text_field(row, chosen) in row for row in known):
        names = dict.fromkeys(str(name) for row in known for name in row)
        raise UsageError(
            f"no row of {path} has a known field for the model's text: pass --field text=NAME with one of "
            f"{', '.join([*names][:20])}"
        )
    return outputs


def _text(path: str | Path) -> str:
    try:
        return unpack(read_input(path)).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read as a file of outputs: {error}") from None


def _values(path: str | Path, text: str) -> Any:
    """The whole file as one JSON value, or the list of its lines' values."""
    try:
        return parse_external_json(text)
    except ValueError:
        pass
    values = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                values.append(parse_external_json(line))
            except ValueError as error:
                raise UsageError(f"{path}, line {number} is not JSON: {error}") from None
    return values


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    """The rows with their ids: of a list, of an object by id, or of the list inside a summary."""
    if isinstance(value, list):
        yield from (("", row) for row in value)
    elif isinstance(value, dict):
        lists = [part for part in value.values() if isinstance(part, list) and _are_rows(part)]
        if any(name in value for name in FIELDS["id"]) or _has_text(value):
            yield "", value
        elif lists and (not all(isinstance(part, list) for part in value.values()) or _are_named(lists)):
            yield from (("", row) for row in max(lists, key=len))
        else:
            yield from value.items()


def _are_rows(part: list[Any]) -> bool:
    return bool(part) and all(isinstance(row, dict) for row in part)


def _are_named(lists: list[list[Any]]) -> bool:
    """Whether the rows have an id of their own."""
    return all(any(name in row for name in FIELDS["id"]) for row in max(lists, key=len))


def _has_text(row: dict[str, Any]) -> bool:
    return any(isinstance(row.get(name), str) for name in FIELDS["text"])


def _rows(filed: str, value: Any, chosen: Mapping[str, str], number: int) -> list[ExternalRow]:
    row = value if isinstance(value, dict) else {"generation": value}
    field_name = text_field(row, chosen)
    roles = {
        role: text_of_role
        for role in FIELDS
        if role != "text" and (text_of_role := _said(row, role, chosen, field_name)) is not None
    }
    name = roles.pop("id", None) or filed or str(number)
    texts = _texts(row.get(field_name)) if field_name else [""]
    return [ExternalRow(name, text, sample, roles) for sample, text in enumerate(texts)]


def text_field(row: Mapping[str, Any], chosen: Mapping[str, str]) -> str | None:
    """Return the field that holds the model's text; None if there is none."""
    if "text" in chosen:
        return chosen["text"]
    present = [name for name in FIELDS["text"] if name in row]
    sure = [name for name in present if name not in ("prediction", "output")]
    if sure:
        return max(sure, key=lambda name: (bool(_texts(row[name])), -FIELDS["text"].index(name)))
    if "prediction" in present:
        return "prediction"
    is_free = any(name in row for name in FIELDS["expected"] if name != "output")
    return "output" if "output" in present and (is_free or "code" not in row) else None


def _said(row: Mapping[str, Any], role: str, chosen: Mapping[str, str], text: str | None) -> str | None:
    names = (chosen[role],) if role in chosen else FIELDS[role]
    taken = {text} | {name for other, name in chosen.items() if other != role}
    for name in names:
        value = row.get(name)
        if name in taken or value is None or isinstance(value, dict):
            continue
        if isinstance(value, list):
            return ", ".join(repr(part) for part in value) if role == "input" else str(value)
        return str(value)
    return None


def _texts(value: Any) -> list[str]:
    """The texts in a field: a text, a list, or the texts of objects in it; a missing one is empty."""
    texts: list[str] = []
    waiting, depth = [(value, 0)], 0
    while waiting:
        part, depth = waiting.pop()
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, list) and depth < 4:
            waiting.extend((inner, depth + 1) for inner in reversed(part))
        elif isinstance(part, dict) and depth < 4:
            name = text_field(part, {})
            waiting.append((part.get(name) if name else "", depth + 1))
        else:
            texts.append("")
    return texts


def _report(text: str) -> list[tuple[str, Any]]:
    page = _Page()
    page.feed(text)
    page.close()
    rows = []
    for name, pres in page.pres.items():
        row = {"id": name, "generation": pres[-1] if len(pres) > 1 else "", "prompt": pres[0] if pres else ""}
        rows.append(("", row | page.said.get(name, {})))
    return rows


class _Page(HTMLParser):
    """Collects the two texts of each sample, and the table's values after `Expected:` and `Predicted:`."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pres: dict[str, list[str]] = {}
        self.said: dict[str, dict[str, str]] = {}
        self._sample = self._row = self._role = ""
        self._text: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = dict(attrs).get("id") or ""
        if tag == "details" and own.startswith("raw-"):
            self._sample = own.removeprefix("raw-")
            self.pres[self._sample] = []
        elif tag == "tr" and own.startswith("row-"):
            self._row = own.removeprefix("row-")
        elif (tag == "pre" and self._sample) or (tag == "strong" and self._role):
            self._text = []

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre" and self._text is not None:
            self.pres[self._sample].append("".join(self._text))
            self._text = None
        elif tag == "strong" and self._text is not None:
            self.said.setdefault(self._row, {})[self._role] = "".join(self._text)
            self._text, self._role = None, ""
        elif tag == "details":
            self._sample = ""
        elif tag == "tr":
            self._row = self._role = ""

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)
        elif self._row:
            mark = data.strip()
            self._role = {"Expected:": "expected", "Predicted:": "predicted"}.get(mark, self._role)

"""Bodies and their shapes: any bytes are a value or a refusal; the checker agrees with a validator of JSON Schema."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.ui.http.errors import Refusal
from worldline.ui.http.json_body import json_bytes, parse
from worldline.ui.http.schema_check import fault, number
from worldline.ui.web.endpoints import ENDPOINTS, FILTERS
from worldline.ui.web.schemas import BRANCH_BODY, PROGRAM_BODY, closed

pytestmark = pytest.mark.unit

SCALARS = st.none() | st.booleans() | st.integers(-5, 1 << 41) | st.floats(allow_nan=False) | st.text(max_size=8)
WORDS = ["kind", "step", "name", "value", "line", "limit", "how", "parent", "intervention", "source", "call", "stdin"]
KEYS = st.sampled_from(WORDS) | st.text(max_size=3)
KINDS = st.sampled_from(["edit", "line", "budget", "rewrite", "flatten", "exec"])
VALUES = st.recursive(
    SCALARS | KINDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=8
)
INTERVENTIONS = st.fixed_dictionaries(
    {"kind": KINDS},
    optional={name: SCALARS | st.integers(0, 9) for name in ("step", "name", "value", "line", "limit", "how")},
)
BRANCHES = st.fixed_dictionaries(
    {"intervention": INTERVENTIONS | VALUES}, optional={"parent": SCALARS | st.integers(0, 9)}
)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_a_refusal(data: bytes) -> None:
    try:
        value = parse(data, depth=16)
    except Refusal:
        return
    assert parse(json.dumps(value).encode(), depth=16) == value


@given(VALUES.filter(lambda value: "inf" not in repr(value)))
def test_what_json_says_is_read_as_it_is(value: Any) -> None:
    assert parse(json.dumps(value).encode(), depth=16) == value


@given(st.text(alphabet='[]{}"\\,:a ', max_size=60))
def test_no_text_of_brackets_is_nested_deeper_than_was_said(text: str) -> None:
    """Whatever the check before the parser thinks of a text, a value that comes out is not deeper."""
    try:
        value = parse(text.encode(), depth=3)
    except Refusal:
        return
    assert _depth(value) <= 3


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(_depth, inner), default=0)


@pytest.mark.parametrize("schema", [BRANCH_BODY, PROGRAM_BODY, closed({}, **FILTERS)])
@given(value=BRANCHES | VALUES | INTERVENTIONS)
def test_the_checker_agrees_with_a_validator(schema: dict[str, Any], value: Any) -> None:
    """But for whole floats: JSON Schema takes 1.0 for an integer, and we do not."""
    if not _has_float(value):
        assert (fault(value, schema) is None) == jsonschema.Draft202012Validator(schema).is_valid(value)


def _has_float(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, float) or any(map(_has_float, inner))


@pytest.mark.parametrize("text", ["-1", "+1", "01", "1.0", "1e3", "٣", "²", " 1", "1 ", "", "1_0", "9999999999"])
def test_a_number_in_an_address_is_plain(text: str) -> None:
    assert number(text) == text


def test_every_schema_that_is_checked_uses_what_the_checker_knows() -> None:
    known = {
        "type", "enum", "const", "oneOf", "required", "properties", "additionalProperties", "minimum", "maximum",
        "maxLength", "minLength", "pattern",
    }  # fmt: skip
    bodies = [one.body for one in ENDPOINTS if one.body is not None]
    for schema in [*bodies, *(each for one in ENDPOINTS for each in one.query.values())]:
        assert _words(schema) <= known


def _words(schema: dict[str, Any]) -> set[str]:
    found = set(schema)
    for each in [*schema.get("properties", {}).values(), *schema.get("oneOf", ())]:
        found |= _words(each)
    return found


def test_answers_have_bytes_whatever_is_in_them() -> None:
    value = {"a": float("nan"), "b": [float("-inf"), 1.5], "c": "\ud800 </script>\u2028"}
    assert json.loads(json_bytes(value)) == {"a": None, "b": [None, 1.5], "c": "\ud800 </script>\u2028"}
    assert json_bytes(value).isascii()

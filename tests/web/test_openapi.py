"""The server does what its own description says: it is valid, mounts everything, and survives schemathesis."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance
from schemathesis.specs.openapi.definitions import OPENAPI_31_VALIDATOR
from serving import Served, make_run, serving
from wire import get, request, talk

from worldline.ui.http.policy import TOKEN_HEADER
from worldline.ui.web.endpoint import Endpoint, description
from worldline.ui.web.endpoints import ENDPOINTS
from worldline.ui.web.schemas import PLACE
from worldline.ui.web.service import MAX_BRANCHES

EXAMPLES = 12
NARROW: dict[str, Any] = {"run": {"enum": ["0", "1"]}, "at": 5, "k": 1, "b": MAX_BRANCHES, "quiz": 0, "question": 3}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, sandbox: None) -> Iterator[Served]:
    """A server of two runs that can be asked."""
    folder = tmp_path_factory.mktemp("runs")
    runs = [make_run(folder / "one", count=6), make_run(folder / "two", count=6, every=2)]
    quiz = {"programs": [("def f(n):\n    m = n * 3\n    return m + 1\n", "f(2)")], "quiz": {}}
    with serving(*runs, models=["interpreter"], **quiz) as found:
        yield found
        assert found.complaints() == ""


def narrowed() -> dict[str, Any]:
    """The description, its numbers narrowed to what is there: else every answer would be 404."""
    told = copy.deepcopy(description(ENDPOINTS))
    for operations in told["paths"].values():
        for operation in operations.values():
            for parameter in operation["parameters"]:
                if parameter["in"] == "path":
                    most = NARROW[parameter["name"]]
                    parameter["schema"] = most if isinstance(most, dict) else {**PLACE, "maximum": most}
    return told


# A body that is too long is refused before it is read, whatever is wrong with it besides.
REFUSALS = ["4xx"]
schema = schemathesis.openapi.from_dict(
    narrowed(),
    config=SchemathesisConfig.from_dict({"checks": {"negative_data_rejection": {"expected-statuses": REFUSALS}}}),
)


@schema.parametrize()
@settings(
    max_examples=EXAMPLES, phases=[Phase.explicit, Phase.generate], derandomize=True, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
def test_it_answers_as_described(served: Served, case: Any) -> None:
    """No 5xx, no status and no type that is not described, every body by its schema; what is malformed is refused."""
    # What fits its schema may still be refused for its meaning: a step that the run does not have, a model not opened.
    case.call_and_validate(
        base_url=served.origin,
        headers={TOKEN_HEADER: served.token},
        excluded_checks=[positive_data_acceptance],
        timeout=120,
    )


def test_the_description_is_valid() -> None:
    OPENAPI_31_VALIDATOR.validate(description(ENDPOINTS))


def test_the_description_is_what_is_served(served: Served) -> None:
    assert get(served, "/api/openapi.json").json == description(ENDPOINTS)


def test_it_names_every_schema_that_it_uses() -> None:
    told = description(ENDPOINTS)
    names = set(told["components"]["schemas"])
    used = {text.rpartition("/")[2] for text in _references(told)}
    assert used <= names


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda one: f"{one.method} {one.path}")
def test_every_endpoint_is_mounted(served: Served, endpoint: Endpoint) -> None:
    """With no body each may say no in its own way, but never that there is no such thing."""
    path = endpoint.path.format(run=0, at=0, k=0, b=0, quiz=0, question=0)
    reply = talk(served, request(served, path, method=endpoint.method))
    assert reply.status in {endpoint.status, *endpoint.statuses} - {404}


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from [each] if key == "$ref" else _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)

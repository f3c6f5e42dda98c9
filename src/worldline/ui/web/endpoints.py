"""The one table of endpoints: what is asked, with what, and what is answered. It mounts them and it describes them."""

from __future__ import annotations

from collections.abc import AsyncIterator

from worldline.ui.web import api
from worldline.ui.web.endpoint import NUMBER, CheckedRequest, Endpoint
from worldline.ui.web.openapi import description
from worldline.ui.web.schemas import BRANCH_BODY, PLACE, PROGRAM_BODY, Schema
from worldline.ui.web.service import Service

_WORD: Schema = {"type": "string", "maxLength": 200}
_RIGHT: Schema = {"type": "string", "enum": ["right", "wrong"]}
_OTHER: Schema = {"type": "string", "pattern": f"^({NUMBER})$"}
_SIDE: Schema = {"type": "string", "enum": ["truth", "found", "other"]}
FILTERS: dict[str, Schema] = {
    "q": _WORD, "cause": _WORD, "suite": _WORD, "type": _WORD, "operation": _WORD, "ending": _WORD,
    "answer": _RIGHT, "trace": _RIGHT, "steps_min": PLACE, "steps_max": PLACE,
    "depth": PLACE, "depth_min": PLACE, "depth_max": PLACE,
    "flip": {"type": "string", "enum": ["gained", "lost", "both", "neither"]}, "other": _OTHER,
}  # fmt: skip
_SORTS = ["at", "name", "steps", "agreed", "bytes", "cause", "seconds", "depth"]
_LISTING: dict[str, Schema] = {
    **FILTERS, "sort": {"type": "string", "enum": _SORTS}, "order": {"type": "string", "enum": ["asc", "desc"]},
    "offset": PLACE, "count": {"type": "integer", "minimum": 0, "maximum": 500},
}  # fmt: skip
_PAIR: dict[str, Schema] = {"branch": PLACE, "left": _SIDE, "right": _SIDE, "other": _OTHER}
_BINS: Schema = {"type": "integer", "minimum": 1, "maximum": 4000}
_SAMPLE = "/api/runs/{run}/samples/{at}"


async def _events(service: Service, call: CheckedRequest) -> AsyncIterator[bytes]:
    return await service.events(call.path["run"], call.path["at"], call.path["b"])


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        method="GET", path="/api/openapi.json", summary="This description.", answer="Description",
        act=lambda service, call: description(ENDPOINTS),
    ),
    Endpoint(
        method="GET", path="/api/runs", summary="The runs that are open, the models, and whether they can be asked.",
        answer="Runs", act=lambda service, call: service.runs(),
    ),
    Endpoint(
        method="GET", path="/api/runs/{run}/overview", summary="How a run went, over the samples that a filter takes.",
        answer="Overview", query=FILTERS,
        act=lambda service, call: api.overview(service.sessions, call.path["run"], call.query),
    ),
    Endpoint(
        method="GET", path="/api/runs/{run}/samples", summary="A part of the sorted list of samples.",
        answer="Samples", query=_LISTING,
        act=lambda service, call: api.samples(service.sessions, call.path["run"], call.query),
    ),
    Endpoint(
        method="GET", path=_SAMPLE, summary="One sample: its program, its branches, where it parts and why.",
        answer="Scene", query={"other": _OTHER}, refuses=(409,),
        act=lambda service, call: api.sample(service.sessions, **call.path, **call.query),
    ),
    Endpoint(
        method="GET", path=_SAMPLE + "/timeline", summary="All rows of a pair in so many bins.", answer="Timeline",
        query={**_PAIR, "bins": _BINS}, refuses=(409,),
        act=lambda service, call: api.timeline(service.sessions, **call.path, **call.query),
    ),
    Endpoint(
        method="GET", path=_SAMPLE + "/chunks/{k}", summary="256 rows of a pair, with the state before them.",
        answer="Chunk", query=_PAIR, refuses=(409,),
        act=lambda service, call: api.chunk(service.sessions, **call.path, **call.query),
    ),
    Endpoint(
        method="POST", path=_SAMPLE + "/branches", summary="Intervene, and let the model go on from there.",
        answer="Grown", status=201, body=BRANCH_BODY, refuses=(409, 429),
        act=lambda service, call: service.predict_branch(call.path["run"], call.path["at"], call.body),
    ),
    Endpoint(
        method="GET", path=_SAMPLE + "/branches/{b}/events", summary="How a branch grows, as server-sent events.",
        answer="Progress", act=_events, is_stream=True, refuses=(409, 429),
    ),
    Endpoint(
        method="DELETE", path=_SAMPLE + "/branches/{b}", summary="Stop a branch that is growing; what it has stays.",
        answer="Stopped", refuses=(409,),
        act=lambda service, call: service.stop(call.path["run"], call.path["at"], call.path["b"]),
    ),
    Endpoint(
        method="POST", path="/api/programs", summary="Record a program and let a model imagine it.", answer="Typed",
        status=201, body=PROGRAM_BODY, refuses=(409, 429), act=lambda service, call: service.type(call.body),
    ),
)  # fmt: skip

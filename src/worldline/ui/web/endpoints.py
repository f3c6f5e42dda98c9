"""The table of endpoints. The application and the OpenAPI description are both made from it."""

from __future__ import annotations

from collections.abc import AsyncIterator

from worldline.ui.web import api
from worldline.ui.web.endpoint import NUMBER, CheckedRequest, Endpoint, description
from worldline.ui.web.flips import FLIPS
from worldline.ui.web.index.filter import BOUNDS, VERDICTS, WORDS
from worldline.ui.web.index.index import SORTS
from worldline.ui.web.index.samples import MAX_COUNT, ORDERS
from worldline.ui.web.schemas import ANSWER_BODY, BRANCH_BODY, PLACE, PROGRAM_BODY, Schema
from worldline.ui.web.service import Service

_WORD: Schema = {"type": "string", "maxLength": 200}
_RIGHT: Schema = {"type": "string", "enum": ["right", "wrong"]}
_OTHER: Schema = {"type": "string", "pattern": f"^({NUMBER})$"}
_SIDE: Schema = {"type": "string", "enum": ["truth", "found", "other"]}
FILTERS: dict[str, Schema] = {
    **dict.fromkeys(("q", *WORDS), _WORD),
    **dict.fromkeys(VERDICTS, _RIGHT),
    **dict.fromkeys((*BOUNDS, "depth"), PLACE),
    "flip": {"type": "string", "enum": list(FLIPS)},
    "other": _OTHER,
}
_LISTING: dict[str, Schema] = {
    **FILTERS,
    "sort": {"type": "string", "enum": list(SORTS)},
    "order": {"type": "string", "enum": list(ORDERS)},
    "offset": PLACE,
    "count": {"type": "integer", "minimum": 0, "maximum": MAX_COUNT},
}
_PAIR: dict[str, Schema] = {"branch": PLACE, "left": _SIDE, "right": _SIDE, "other": _OTHER}
_BINS: Schema = {"type": "integer", "minimum": 1, "maximum": 4000}
_SAMPLE = "/api/runs/{run}/samples/{at}"
_QUESTION = "/api/quizzes/{quiz}/questions/{question}"


async def _events(service: Service, call: CheckedRequest) -> AsyncIterator[bytes]:
    return await service.events(call.path["run"], call.path["at"], call.path["b"])


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        method="GET", path="/api/openapi.json", summary="This description.", answer="Description",
        action=lambda service, call: description(ENDPOINTS),
    ),
    Endpoint(
        method="GET", path="/api/runs", summary="The open runs, the models, and whether they can predict.",
        answer="Runs", action=lambda service, call: service.runs(),
    ),
    Endpoint(
        method="GET", path="/api/runs/{run}/overview", summary="The figures of a run, of the selected samples.",
        answer="Overview", query=FILTERS,
        action=lambda service, call: api.overview(service.sessions, call.path["run"], call.query),
    ),
    Endpoint(
        method="GET", path="/api/runs/{run}/samples", summary="One page of the sorted list of samples.",
        answer="Samples", query=_LISTING,
        action=lambda service, call: api.samples(service.sessions, call.path["run"], call.query),
    ),
    Endpoint(
        method="GET", path=_SAMPLE, summary="One sample: its program, branches, first divergence and cause.",
        answer="Scene", query={"other": _OTHER}, refuses=(409,),
        action=lambda service, call: api.sample(service.sessions, **call.path, **call.query),
    ),
    Endpoint(
        method="GET", path=_SAMPLE + "/timeline", summary="All rows of two runs, summed up in bins.", answer="Timeline",
        query={**_PAIR, "bins": _BINS}, refuses=(409,),
        action=lambda service, call: api.timeline(service.sessions, **call.path, **call.query),
    ),
    Endpoint(
        method="GET", path=_SAMPLE + "/chunks/{k}", summary="256 rows of two runs, with the state before them.",
        answer="Chunk", query=_PAIR, refuses=(409,),
        action=lambda service, call: api.chunk(service.sessions, **call.path, **call.query),
    ),
    Endpoint(
        method="GET", path=_SAMPLE + "/run", summary="The actual run alone: its shape, every change, its output.",
        answer="RunOverview", query={"branch": PLACE}, refuses=(409,),
        action=lambda service, call: api.run_overview(service.sessions, **call.path, **call.query),
    ),
    Endpoint(
        method="GET", path=_SAMPLE + "/run/{k}", summary="64 rows of the actual run, with frames and objects.",
        answer="RunChunk", query={"branch": PLACE}, refuses=(409,),
        action=lambda service, call: api.run_chunk(service.sessions, **call.path, **call.query),
    ),
    Endpoint(
        method="GET", path=_SAMPLE + "/why", summary="The chain of operations that led to a value, on both sides.",
        answer="Why", query={**_PAIR, "row": PLACE, "name": _WORD, "left_frame": PLACE, "right_frame": PLACE},
        refuses=(409,), action=lambda service, call: api.why(service.sessions, **call.path, **call.query),
    ),
    Endpoint(
        method="POST", path=_SAMPLE + "/branches", summary="Intervene, and let the model continue from there.",
        answer="Grown", status=201, body=BRANCH_BODY, refuses=(409, 429),
        action=lambda service, call: service.predict_branch(call.path["run"], call.path["at"], call.body),
    ),
    Endpoint(
        method="GET", path=_SAMPLE + "/branches/{b}/events", summary="Progress of a branch, as server-sent events.",
        answer="Progress", action=_events, is_stream=True, refuses=(409, 429),
    ),
    Endpoint(
        method="DELETE", path=_SAMPLE + "/branches/{b}", summary="Stop a branch that is being written; its steps stay.",
        answer="Stopped", refuses=(409,),
        action=lambda service, call: service.stop(call.path["run"], call.path["at"], call.path["b"]),
    ),
    Endpoint(
        method="POST", path="/api/programs", summary="Record a program and predict it.", answer="Typed",
        status=201, body=PROGRAM_BODY, refuses=(409, 429), action=lambda service, call: service.type(call.body),
    ),
    Endpoint(
        method="GET", path="/api/quizzes/{quiz}", summary="A quiz: its program, its model, its size.",
        answer="Quiz", action=lambda service, call: service.quizzes.describe(call.path["quiz"]),
    ),
    Endpoint(
        method="GET", path=_QUESTION, summary="A question and the state before its line, without the answer.",
        answer="Question", refuses=(409,),
        action=lambda service, call: service.quizzes.question(call.path["quiz"], call.path["question"]),
    ),
    Endpoint(
        method="POST", path=_QUESTION + "/answer", summary="Judge an answer (null: none) and tell the truth.",
        answer="Judged", body=ANSWER_BODY, refuses=(409,),
        action=lambda service, call: service.quizzes.answer(call.path["quiz"], call.path["question"], call.body),
    ),
)  # fmt: skip

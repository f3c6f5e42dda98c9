"""Looks at a server before it is asked for traces: which models it has, and which endpoints answer.

It takes a few small requests, each with a deadline and none repeated. A failure of the whole server is raised as a
`ServerError` or `NoModelError` (`problems`); an endpoint that is missing, or refuses this question, is only noted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from worldline.core.errors import UsageError
from worldline.predict.servers.client import Patience, ServerClient, Unanswered
from worldline.predict.servers.listing import MODELS, model_names
from worldline.predict.servers.problems import is_unknown_model, server_problem, unknown_model
from worldline.predict.servers.prompt_styles import CHAT, COMPLETIONS, Reply, read_reply
from worldline.predict.servers.server import running_loop

if TYPE_CHECKING:
    import httpx2

ENDPOINTS = (CHAT, COMPLETIONS, MODELS)
QUESTIONS: Mapping[str, Mapping[str, Any]] = {
    COMPLETIONS: {"prompt": "1, 2, 3,"},
    CHAT: {"messages": [{"role": "user", "content": "Say yes."}]},
}
LOGPROBS: Mapping[str, Mapping[str, Any]] = {COMPLETIONS: {"logprobs": 1}, CHAT: {}}  # as `Sampling` asks for them
REFUSED = (400, 422)  # of a question that the endpoint does not take; it may take others


@dataclass(frozen=True)
class EndpointProbe:
    """How an endpoint of a server answered a question of one token.

    Attributes:
        problem: Why it does not answer; empty if it does.
        is_usable: It answers, or refuses only the question that it was asked.
        has_logprobs: It sends log-probabilities.
        refuses_logprobs: It refuses a question that asks for them.
    """

    problem: str = ""
    is_usable: bool = True
    has_logprobs: bool = False
    refuses_logprobs: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the fields."""
        return {"answers": not self.problem, "problem": self.problem, "logprobs": self.has_logprobs}


@dataclass(frozen=True)
class ServerProbe:
    """What is known about a server.

    Attributes:
        model: The model to ask: the one named, or the only one that the server has.
        models: The models it lists; None if it does not list them.
        endpoints: Its endpoints by their path.
    """

    model: str
    models: tuple[str, ...] | None
    endpoints: Mapping[str, EndpointProbe]

    def as_json(self) -> dict[str, Any]:
        """Return the fields."""
        endpoints = {path: endpoint.as_json() for path, endpoint in self.endpoints.items()}
        return {"models": None if self.models is None else list(self.models), "endpoints": endpoints}


def probe_server(clients: Sequence[ServerClient], model: str, *, key_env: str = "", timeout: float) -> ServerProbe:
    """Look at a server, or at several of one model.

    Args:
        clients: One for each address. Endpoints are tried at the first.
        model: Its name; empty for the only one that the server has.
        key_env: The environment variable that the key came from, for messages.
        timeout: Seconds for each request.

    Returns:
        What is known about the server.

    Raises:
        ServerError: It does not answer, or refuses everything.
        NoModelError: It has no such model, or `model` is empty and it has several.
    """
    patience = Patience(timeout=timeout, retries=0)
    patient = [replace(client, patience=patience) for client in clients]
    with running_loop() as loop:
        return asyncio.run_coroutine_threadsafe(_probe(patient, model, key_env), loop).result()


async def _probe(clients: Sequence[ServerClient], model: str, key_env: str) -> ServerProbe:
    async with clients[0].open() as http:
        listings = [await _listing(client, http, key_env) for client in clients]
        models = listings[0]
        model = model or _only_model(clients[0], models)
        problems: dict[str, Unanswered] = {}
        answers = await asyncio.gather(*(_endpoint(clients[0], http, path, model, problems) for path in QUESTIONS))
        endpoints = dict(zip(QUESTIONS, answers, strict=True))
        if not any(endpoint.is_usable for endpoint in endpoints.values()) or _names_unknown(problems, model, models):
            await _refuse(clients[0], http, model, models, problems, key_env)
        return ServerProbe(model, models, endpoints)


async def _listing(client: ServerClient, http: httpx2.AsyncClient, key_env: str) -> tuple[str, ...] | None:
    """The names of the models; None if the server answers, but not with a listing."""
    try:
        return tuple(model_names(await client.look(http, MODELS)))
    except Unanswered as problem:
        if problem.kind or problem.status in (401, 403):
            raise server_problem(client.url, problem, key_env=key_env) from None
        return None


def _only_model(client: ServerClient, models: tuple[str, ...] | None) -> str:
    if not models:
        reason = "does not list its models" if models is None else "lists no model"
        raise UsageError(f"{client.url} {reason}: name the one to check, server:{client.url}#MODEL")
    if len(models) > 1:
        raise unknown_model(client.url, "", models)
    return models[0]


async def _endpoint(
    client: ServerClient, http: httpx2.AsyncClient, path: str, model: str, problems: dict[str, Unanswered]
) -> EndpointProbe:
    """Ask for one token, with log-probabilities and, if that is refused, without."""
    question = {"model": model, "max_tokens": 1, "temperature": 0, **QUESTIONS[path]}

    async def ask(**more: Any) -> Reply:
        return await client.ask(http, path, {**question, **more}, lambda answer: read_reply(answer, model))

    try:
        return EndpointProbe(has_logprobs=(await ask(**LOGPROBS[path])).logprob is not None)
    except Unanswered as problem:
        refusal = problem
    if refusal.status in REFUSED and LOGPROBS[path] and not refusal.context:
        try:
            await ask()
            return EndpointProbe(refuses_logprobs=True)
        except Unanswered:
            pass  # the first refusal says more
    problems[path] = refusal
    return EndpointProbe(problem=refusal.why, is_usable=refusal.status in REFUSED)


def _names_unknown(problems: Mapping[str, Unanswered], model: str, models: tuple[str, ...] | None) -> Unanswered | None:
    """The refusal of a server that does not have the model, if no endpoint answers."""
    if len(problems) < len(QUESTIONS):
        return None
    return next((problem for problem in problems.values() if is_unknown_model(problem, model, models)), None)


async def _refuse(
    client: ServerClient,
    http: httpx2.AsyncClient,
    model: str,
    models: tuple[str, ...] | None,
    problems: Mapping[str, Unanswered],
    key_env: str,
) -> None:
    """Raise the error of a server of which no endpoint can be used."""
    unknown = _names_unknown(problems, model, models)
    if unknown is not None:
        raise unknown_model(client.url, model, models, why=unknown.why)
    is_elsewhere = models is None and all(problem.status in (404, 405) for problem in problems.values())
    better = await _better_address(client, http) if is_elsewhere else ""
    first = min(problems.values(), key=lambda problem: problem.status in (404, 405))
    raise server_problem(client.url, first, key_env=key_env, model=model, better=better)


async def _better_address(client: ServerClient, http: httpx2.AsyncClient) -> str:
    """An address near the one given at which models are listed; empty if there is none."""
    parts = urlsplit(client.url)
    path = parts.path
    for endpoint in ENDPOINTS:
        path = path.removesuffix(endpoint)
    origin = f"{parts.scheme}://{parts.netloc}"
    for candidate in dict.fromkeys((origin + path, f"{origin}{path.rstrip('/')}/v1", f"{origin}/v1")):
        if candidate == client.url:
            continue
        try:
            listing = await replace(client, url=candidate).look(http, MODELS)
        except Unanswered:
            continue
        if isinstance(listing.get("data"), list):
            return candidate
    return ""

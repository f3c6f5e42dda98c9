"""What a failure of a server means, and what to do about it: each error says what happened, why, and what to do."""

from __future__ import annotations

import re
from collections.abc import Sequence

from worldline.core.errors import NoModelError, ServerError
from worldline.model.missing_model import describe_alternatives
from worldline.predict.servers.client import NO_CONNECTION, NO_TLS, OTHER_MODEL, TOO_LATE, Unanswered

_UNKNOWN = re.compile(
    r"\bmodel\b.{0,120}(not (exist|found|available|supported|loaded)|unknown|no such)"
    r"|(unknown|no such|invalid|not found).{0,20}\bmodel\b",
    re.IGNORECASE | re.DOTALL,
)
_PLAIN_TO_TLS = re.compile(r"plain HTTP request was sent to HTTPS", re.IGNORECASE)


def is_unknown_model(problem: Unanswered, model: str, models: Sequence[str] | None) -> bool:
    """Whether a server failed because it does not have the model."""
    if problem.kind == OTHER_MODEL:
        return True
    is_unlisted = bool(models) and model not in (models or ())
    return problem.status in (400, 404, 422) and (is_unlisted or _UNKNOWN.search(problem.why) is not None)


def unknown_model(url: str, model: str, models: Sequence[str] | None, *, why: str = "") -> NoModelError:
    """Return the error for a server without a model, or with several if none is named; it lists those there are."""
    what = f"no model {model!r} on {url}: {why}" if model else f"{url} has several models: name one, server:{url}#MODEL"
    listed = describe_alternatives(model, models or ())
    return NoModelError(what + (listed if models else ". The server does not list its models: ask who runs it."))


def server_problem(
    url: str, problem: Unanswered, *, key_env: str = "", model: str = "", better: str = ""
) -> ServerError:
    """Return the error for a server that does not answer.

    Args:
        url: Its address.
        problem: How it failed.
        key_env: The environment variable that its key came from.
        model: The model that was asked.
        better: An address at which models are listed.
    """
    what = problem.why if problem.kind == NO_CONNECTION else f"{url}: {problem.why}"
    return ServerError(f"{what}. {_advice(url, problem, key_env, model, better)}")


def _advice(url: str, problem: Unanswered, key_env: str, model: str, better: str) -> str:
    status = problem.status
    if problem.kind == NO_CONNECTION:
        return "Nothing listens there: start the server, wait until it has loaded its model, and check host and port."
    if problem.kind == NO_TLS:
        return _tls_advice(url, problem.why)
    if problem.kind == TOO_LATE:
        return "It may still load its model or be busy: wait, or allow more time with -M timeout=SECONDS and --seconds."
    if status in (401, 403):
        return _key_advice(status, key_env)
    if better:
        return f"The path is wrong, but models are listed at {better}: use server:{better}#{model}"
    if status in (404, 405):
        return (
            "The path is wrong, or this is not an OpenAI-compatible server: the address usually ends in /v1, "
            "such as server:http://HOST:8000/v1#MODEL."
        )
    if status == 429:
        return "It limits requests: wait, or raise the limit of your key."
    if status == 503:
        return "It is not ready: wait until it has loaded its model."
    if status >= 500:
        return "The server itself failed: its log says why."
    if _PLAIN_TO_TLS.search(problem.why) or "disconnected" in problem.why:
        return f"If the server uses TLS, write https: server:{url.replace('http:', 'https:', 1)}#{model or 'MODEL'}"
    return "This is not the answer of an OpenAI-compatible server: check the address."


def _tls_advice(url: str, why: str) -> str:
    if "wrong version" in why or "record layer" in why or "unknown protocol" in why:
        return f"The server does not use TLS: write http, server:{url.replace('https:', 'http:', 1)}#MODEL"
    return (
        "The certificate is not trusted: use the host name that it was issued for, and add a private authority to the "
        "system's certificates (Debian: /usr/local/share/ca-certificates, then update-ca-certificates)."
    )


def _key_advice(status: int, key_env: str) -> str:
    if not key_env:
        return "It needs an API key: put the key into an environment variable and pass -M key_env=NAME."
    reason = "is not accepted" if status == 401 else "may not use this model"
    return f"The key in {key_env} {reason}: check that variable, or name another with -M key_env=NAME."

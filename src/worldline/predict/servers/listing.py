"""The models that a server lists, and the errors of a model that it does not have."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING, Any

from worldline.core.errors import NoModelError, UsageError
from worldline.model.missing_model import describe_alternatives
from worldline.predict.servers.balance import BalancedServers
from worldline.predict.servers.client import Patience, ServerClient, Unanswered, one_line

if TYPE_CHECKING:
    import httpx2

MODELS = "/models"
LISTING_SECONDS = 3.0  # to list models for an error message


async def served_models(client: ServerClient | BalancedServers, http: httpx2.AsyncClient) -> list[str]:
    """Return the names of the models of a server; none if it does not list them."""
    try:
        return model_names(await client.look(http, MODELS))
    except Unanswered:
        return []


def model_names(listing: Mapping[str, Any]) -> list[str]:
    """Return the names in the list of models that a server sent."""
    entries = listing.get("data")
    names = [entry.get("id") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return [one_line(name) for name in names if isinstance(name, str)]


async def check_is_served(
    client: ServerClient | BalancedServers, http: httpx2.AsyncClient, model: str, problem: Unanswered
) -> None:
    """Raise NoModelError if a server refused a question because it does not have the model."""
    names_models = re.search(r"\bmodels?\b", problem.why, re.IGNORECASE) is not None and not problem.context
    if problem.status != 404 and not (problem.status == 400 and names_models):
        return
    served = await served_models(client, http)
    # A server without a list must say so itself: its 404 could also mean a wrong path.
    is_missing = model not in served if served else names_models and problem.status == 404
    if is_missing:
        raise NoModelError(f"no model {model!r} on {client.url}: {problem.why}" + describe_alternatives(model, served))


def address_alone(url: str, key: str = "") -> NoModelError:
    """Describe an address without a model: how to name one, and which ones the server has.

    Args:
        url: The address, as `server.address` normalizes it.
        key: The key of the server.

    Returns:
        The error, to raise.
    """
    try:
        served = _list_models(url, key)
    except UsageError:  # httpx2 is missing
        served = []
    example = f"--model server:{url}#{served[0] if served else 'MODEL'}"
    return NoModelError(
        f"{url} is the address of a server, and the name of a model is missing: use {example}"
        + describe_alternatives("", served)
    )


def _list_models(url: str, key: str) -> list[str]:
    client = ServerClient(url, Patience(timeout=LISTING_SECONDS, retries=0), Random(0), key)

    async def listed() -> list[str]:
        async with client.open() as http:
            return await served_models(client, http)

    # In a thread, because the caller may run an event loop.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(listed())).result()

"""A server that speaks Meta's format, in a process of its own: `/v1/completions` by token ids or by text.

The first part of a path names the model (`planted.planted`): `/skips-20/v1/completions`. Behind a second part its
manners differ: `/text/` gives neither ids nor what it stopped at, `/mute/` no log-probabilities. Run as a script it
takes a port (by default a free one), prints it, and serves until its standard input ends. `GET /log` tells what was
asked of it.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from dataclasses import asdict
from typing import Any
from urllib.parse import unquote

from faulty_server import http, says
from planted import planted, shown_program, written

from worldline.codec.cwm.text import TOKENS, token
from worldline.predict.servers.tokens import Vocabulary, llama3, spelled

NUMBERS = {token(name): number for name, number in TOKENS.items()}
SPECIAL = re.compile("|".join(map(re.escape, NUMBERS)))
LOG: list[dict[str, Any]] = []
ONE = asyncio.Lock()  # a program's output is redirected for the whole process


def ids_of(text: str, vocabulary: Vocabulary) -> list[int]:
    """A text with its special tokens spelled out, as ids."""
    ids, at = list[int](), 0
    for match in SPECIAL.finditer(text):
        ids += vocabulary.ids(text[at : match.start()]) if match.start() > at else []
        ids.append(NUMBERS[match[0]])
        at = match.end()
    return ids + (vocabulary.ids(text[at:]) if at < len(text) else [])


def completed(
    model: str, manners: str, question: dict[str, Any], vocabulary: Vocabulary, entry: dict[str, Any]
) -> dict[str, Any]:
    """The answer to a question, as vLLM gives it; the log's entry gets what was asked and planted."""
    prompt = question["prompt"]
    ids = prompt if isinstance(prompt, list) else ids_of(prompt, vocabulary)
    start, first = ids.index(TOKENS["trace_context_start"]), ids.index(TOKENS["frame_sep"])
    source, call = shown_program(vocabulary.data(ids[start + 1 : first]).decode())
    stops, most = {*question.get("stop_token_ids", ()), TOKENS["end_of_text"]}, question["max_tokens"]
    found, logprobs, reason = list[int](), list[float](), None
    author, text = planted(model, source, call), spelled(ids[first + 1 :], vocabulary)
    for rest, logprob in written(author, text):
        for number in ids_of(rest, vocabulary):
            found.append(number)
            logprobs.append(logprob)
            if number in stops or len(found) >= most:
                reason = number if number in stops else None
                break
        if reason is not None or len(found) >= most:
            break
    fault = getattr(author, "fault", None)
    entry |= {"source": source, "given": text.count(token("frame_sep")), "fault": fault and asdict(fault)}
    told = found[:-1] if reason is not None else found  # a stop token is no part of the text
    choice: dict[str, Any] = {
        "index": 0, "text": spelled(told, vocabulary), "stop_reason": reason,
        "finish_reason": "length" if reason is None else "stop",
    }  # fmt: skip
    if manners != "text" and question.get("return_token_ids"):
        choice["token_ids"] = found
    if manners != "mute" and question.get("logprobs") is not None:
        choice["logprobs"] = {"tokens": [spelled([number], vocabulary) for number in found], "token_logprobs": logprobs}
    return {"id": f"cmpl-{len(LOG)}", "model": question["model"], "choices": [choice]}


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, vocabulary: Vocabulary) -> None:
    """One request a connection."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        path = unquote(head.split()[1])
        if path == "/log":
            writer.write(says({"log": LOG}))
        else:
            length = re.search(r"(?i)content-length: *(\d+)", head)
            question = json.loads(await reader.readexactly(int(length[1]) if length else 0))
            entry = {"path": path, "stops": question.get("stop_token_ids"), "most": question["max_tokens"]}
            LOG.append(entry)
            model, *rest = path.strip("/").split("/")
            try:
                # A thread of its own: a program may run an event loop.
                async with ONE:
                    answer = await asyncio.to_thread(completed, model, rest[0], question, vocabulary, entry)
                writer.write(says(answer))
            except Exception as problem:
                text = f"{type(problem).__name__}: {problem}"
                writer.write(http(json.dumps({"error": {"message": text}}).encode(), status="400 Bad Request"))
        await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


async def main(port: int) -> None:
    """Serves on a port; 0: on a free one."""
    vocabulary = llama3()
    server = await asyncio.start_server(lambda reader, writer: serve(reader, writer, vocabulary), "127.0.0.1", port)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(int(*sys.argv[1:2])))

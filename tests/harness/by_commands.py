"""One suite, one server, three commands: `worldline bench`, `inspect eval`, `lm_eval`; do they agree to the sample?

    python tests/harness/by_commands.py --count 50 --suite composition --option depth=1 --max-tokens 6

starts llama.cpp's server with the small real model of the tests, or takes one with `--url URL --model NAME`. What
differs is printed, then one line of figures for each command. `make harness` installs what it needs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

from three_ways import FOLDER, Asked, Found, differing, inspect_samples, lm_eval_samples, served

from worldline.evaluation.run.directory import newest

BIN = Path(sys.executable).parent
LLAMA = Path(__file__).parents[1] / "predict" / "llama_server.py"


def by_bench(asked: Asked, at: Path) -> Found:
    """What `worldline bench` keeps."""
    command = [
        "worldline", "bench", asked.suite, "--model", f"server:{asked.url}#{asked.model}", "-M", f"way={asked.way}",
        "-M", f"max_tokens={asked.max_tokens}", "-M", "concurrency=1", "--max-programs", str(asked.count),
        *(f"--{name}={value}" for name, value in asked.options), "-o", str(at / "run"),
    ]  # fmt: skip
    _run(command)
    found = {}
    for each in newest(at / "run").values():
        if each.counts:
            right = each.judged["answer"] == "right", each.judged["trace"] == "right"
            text = each.found.text.decode("utf-8", "replace")
            found[f"{each.at} {each.name}"] = (text, *right, each.judged["cause"])
    return found


def by_inspect(asked: Asked, at: Path) -> Found:
    """What `inspect eval` logs."""
    provider = "openai-api" if asked.way == "chat" else "openai-api-completions"
    told = {"way": asked.way, "count": asked.count, "max_tokens": asked.max_tokens, **dict(asked.options)}
    command = [
        "inspect", "eval", f"worldline/{asked.suite}", "--model", f"{provider}/here/{asked.model}",
        *(part for name, value in told.items() for part in ("-T", f"{name}={value}")), "--max-connections", "1",
        "--display", "plain", "--log-dir", str(at / "logs"), "--log-format", "json",
    ]  # fmt: skip
    _run(command, HERE_BASE_URL=f"{asked.url}/v1", HERE_API_KEY="none")
    (log,) = (at / "logs").glob("*.json")
    return inspect_samples(json.loads(log.read_text("utf-8"))["samples"])


def by_lm_eval(asked: Asked, at: Path) -> Found:
    """What `lm_eval --log_samples` writes."""
    is_chat = asked.way == "chat"
    url = f"{asked.url}/v1/{'chat/' if is_chat else ''}completions"
    told = {"worldline": {"count": asked.count, **dict(asked.options)}}
    command = [
        "lm_eval", "run", "--tasks", f"worldline_{asked.suite}", "--include_path", str(FOLDER),
        "--model", "local-chat-completions" if is_chat else "local-completions",
        "--model_args", f"model={asked.model},base_url={url},tokenizer_backend=None,tokenized_requests=False",
        "--gen_kwargs", f"max_gen_toks={asked.max_tokens}", "--metadata", json.dumps(told),
        *(["--apply_chat_template"] if is_chat else []), "--log_samples", "--output_path", str(at / "lm"),
    ]  # fmt: skip
    _run(command, HF_HUB_OFFLINE="1")
    (log,) = (at / "lm").rglob("samples_*.jsonl")
    return lm_eval_samples(json.loads(line) for line in log.read_text("utf-8").splitlines())


def _run(command: list[str], **environment: str) -> None:
    print("$", " ".join(command), flush=True)
    subprocess.run([str(BIN / command[0]), *command[1:]], env={**os.environ, **environment}, check=True)


def main() -> None:
    """Asks three times and compares."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--url", help="a server that is up; else llama.cpp's is started")
    parser.add_argument("--model", default="smol")
    parser.add_argument("--suite", default="composition")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--way", choices=["text", "chat"], default="text")
    parser.add_argument("--max-tokens", type=int, default=8)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of the suite")
    given = parser.parse_args()
    pairs = (each.split("=", 1) for each in given.option)
    options = tuple((name, int(value) if value.isdecimal() else value) for name, value in pairs)
    where = nullcontext(given.url) if given.url else served(LLAMA, "afresh")
    with where as url, tempfile.TemporaryDirectory() as folder:
        asked = Asked(url, given.model, given.suite, given.count, given.way, given.max_tokens, options)
        found = {act.__name__: act(asked, Path(folder)) for act in (by_bench, by_inspect, by_lm_eval)}
    bench = found["by_bench"]
    for name, each in found.items():
        other = differing(bench, each)
        answers, traces = (sum(one[place] for one in each.values()) for place in (1, 2))
        print(f"{name}: n {len(each)}, answers {answers}, traces {traces}, differing {len(other)} {other[:5]}")


if __name__ == "__main__":
    main()

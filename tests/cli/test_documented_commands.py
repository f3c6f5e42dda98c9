"""The commands of every page are executed in their order, with smaller numbers; each that is not says why.

`documented_commands.toml` has the replacements and the reasons, `documented_files` the files that pages take for
granted.
"""

from __future__ import annotations

import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from time import monotonic

import pytest
from documentation import ROOT, Block, blocks, command_lines
from model_server import heed_interrupts

RULES = tomllib.loads((Path(__file__).parent / "documented_commands.toml").read_text("utf-8"))
FILES = Path(__file__).parent / "documented_files"
TINY = "docs/tutorials/train-a-tiny-model.md"
TIMEOUT = 900
SERVERS = ("view", "serve", "dap")
# Stored runs that pages name without the command that writes them.
STORED_RUNS = ("mine", "a", "b", "none", "auto", "before", "after", "other", "humaneval", "plain", "scratchpad")
DIVERGED = 1
"""The exit status of a command that found a difference, a failure or damage."""


def reason_left_out(command: str) -> str | None:
    """Why a command is not executed; None if it is."""
    return next((rule["why"] for rule in RULES["left_out"] if re.search(rule["pattern"], command)), None)


def shortened(command: str) -> str:
    """The command with its placeholders filled in, small enough for a test."""
    for rule in RULES["replaced"]:
        command = re.sub(rule["pattern"], rule["text"], command)
    return command


BLOCKS = [block for block in blocks() if block.page not in RULES["elsewhere"]]
COMMANDS = [(block.page, line) for block in BLOCKS for line in command_lines(block)]
PAGES = sorted({page for page, command in COMMANDS if reason_left_out(command) is None})


@pytest.mark.unit
def test_every_rule_is_used_and_most_commands_are_executed() -> None:
    every = [command for _, command in COMMANDS]
    for rule in RULES["left_out"] + RULES["replaced"][:-2]:
        assert any(re.search(rule["pattern"], command) for command in every), rule
    executed = [command for command in every if reason_left_out(command) is None]
    assert len(executed) > 100
    assert all((ROOT / test).exists() for test in RULES["elsewhere"].values())


@pytest.fixture(scope="module")
def stored_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three programs, one of which fails or not."""
    out = tmp_path_factory.mktemp("stored") / "run"
    execute("worldline bench generated --max-programs 3 --scratchpad none -o run", out.parent)
    return out


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tutorial's recipe, its data and its model after two steps."""
    folder = tmp_path_factory.mktemp("tiny")
    (recipe,) = (block.text for block in BLOCKS if block.page == TINY and block.language == "python")
    # Two steps, which are also saved and measured.
    few = re.sub(r"(?<=\bsteps=)\d+|(?<=_every=)\d+", "2", recipe).replace("warmup=10", "warmup=1")
    (folder / "tiny.py").write_text(few, "utf-8")
    execute("worldline data build tiny.py -o data --count 500 --unit 100", folder)
    execute("worldline train tiny.py -o runs/train --device cpu", folder)
    return folder


def prepare(folder: Path, page: str, request: pytest.FixtureRequest) -> set[str]:
    """Lay out what the commands of a page take for granted. Return the stored runs that stand in for the page's own."""
    shutil.copytree(FILES, folder, dirs_exist_ok=True)
    for name in ("examples", "studies", "recipes"):
        (folder / name).symlink_to(ROOT / name)
    text = "\n".join(command for where, command in COMMANDS if where == page and reason_left_out(command) is None)
    written = set(re.findall(r"-o runs/(\S+)", text))
    first = {name: re.search(rf"(-o )?\bruns/{name}\b", text) for name in STORED_RUNS}
    lent = {name for name, mention in first.items() if mention and not mention[1]}
    for name in lent:
        shutil.copytree(request.getfixturevalue("stored_run"), folder / "runs" / name)
    if re.search(r"\bleaderboard runs\b", text) and not (folder / "runs").exists() and "generated" not in written:
        shutil.copytree(request.getfixturevalue("stored_run"), folder / "runs" / "mine")
    if re.search(r"runs/train|data (build|publish)|tiny", text):
        trained = request.getfixturevalue("tiny")
        shutil.copy(trained / "tiny.py", folder)
        if page != TINY:
            shutil.copytree(trained / "runs" / "train", folder / "runs" / "train")
            if not re.search(r"data build \S+ -o data\b", text):
                shutil.copytree(trained / "data", folder / "data")
    return lent


def execute(command: str, folder: Path) -> None:
    """Execute one command of worldline; a server is stopped once it says where it listens."""
    assignments, words = [], shlex.split(command)
    while "=" in words[0]:
        assignments.append(words.pop(0).split("=", 1))
    words = [sys.executable, "-m", *words]
    environment = {**os.environ, **dict(assignments), "COLUMNS": "120", "BROWSER": "true", "PYTHONUNBUFFERED": "1"}
    if (words[3] in SERVERS and "--bundle" not in words and "--vsix" not in words) or "--view" in words:
        serve(words, folder, environment)
        return
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL
    )
    assert done.returncode in (0, DIVERGED), f"{command}\n{done.stdout}{done.stderr}"
    assert "error[" not in done.stderr, f"{command}\n{done.stderr}"


def serve(words: list[str], folder: Path, environment: dict[str, str]) -> None:
    """Start a server, wait for its address, and stop it as a person does."""
    with subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        preexec_fn=heed_interrupts,
    ) as server:  # fmt: skip
        assert server.stdout is not None
        printed, end = "", monotonic() + TIMEOUT
        while not re.search(r"http://|listening on", printed) and monotonic() < end:
            if select.select([server.stdout], [], [], 1)[0]:
                line = server.stdout.readline()
                printed += line
                if not line:
                    break
        assert re.search(r"http://|listening on", printed), f"{shlex.join(words)}\n{printed}"
        server.send_signal(signal.SIGINT)
        server.wait(60)


@pytest.mark.long(reason="executes every command of the documentation: about ten minutes")
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_execute(page: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if page == "docs/how-to/transformers.md":
        pytest.importorskip("transformers", reason="the extra `hub` is not installed")
    lent = prepare(tmp_path, page, request)
    for block in BLOCKS:
        if block.page != page:
            continue
        for command in command_lines(block):
            if reason_left_out(command) is not None:
                continue
            if (out := re.search(r"-o runs/(\S+)", command)) and out[1] in lent:
                lent.remove(out[1])
                shutil.rmtree(tmp_path / "runs" / out[1])
            execute(shortened(command), tmp_path)
        if block.language == "python" and page in RULES["python"]["pages"]:
            done = subprocess.run(
                [sys.executable, "-c", "import worldline\n" + block.text],
                cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr


def test_a_command_that_fails_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="nowhere"):
        execute("worldline show nowhere", tmp_path)


def test_placeholders_are_filled_in() -> None:
    assert shortened("worldline imagine FILE --call 'f(3)'") == "worldline imagine small.py --call 'f(3)'"
    assert shortened("worldline view runs/mine --open") == "worldline view runs/mine --port 0"
    assert command_lines(Block("x.md", "", "total 3\nworldline doctor   # all\n")) == ["worldline doctor"]

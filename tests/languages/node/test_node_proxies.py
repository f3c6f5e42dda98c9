"""A Proxy shows its target and handler, and a promise whether it is settled: no trap, getter or method is called."""

from __future__ import annotations

from pathlib import Path

import pytest
from node_runs import as_in_a_plain_run, plain, program
from test_node_closures import run
from test_node_scopes import series

from worldline.recording.recorder import SandboxWorker

pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.mark.parametrize(
    ("made", "changed", "wanted"),
    [
        ("new Proxy([1], {})", "v.push(2)", ["Proxy#1(target=[1], handler={})", "Proxy#1(target=[1, 2], handler={})"]),
        (
            "Proxy.revocable({}, {})",
            "v.revoke()",
            [
                "{'proxy': Proxy#1(target={}, handler={}), 'revoke': <function <anonymous>>}",
                "{'proxy': Proxy#1(target=None, handler=None), 'revoke': <function <anonymous>>}",
            ],
        ),
        (
            "new Proxy({ self: null }, {})",
            "v.self = v",
            ["Proxy#1(target={'self': None}, handler={})", "Proxy#1(target={'self': Proxy#1}, handler={})"],
        ),
        (
            "new Proxy(function () {}, {})",
            "v.count = 1",
            [
                "Proxy#1(target=<function <anonymous>>, handler={})",
                "Proxy#1(target=function#2(<function <anonymous>>, count=1), handler={})",
            ],
        ),
    ],
)
def test_a_change_of_a_proxy_is_shown(recorder: SandboxWorker, made: str, changed: str, wanted: list[str]) -> None:
    assert series(run(recorder, f"const v = {made};\n{changed};\nlet end = 1;\n"), "v") == wanted


TRAPS = """const calls = [];
const handler = new Proxy({}, { get(target, trap) { calls.push(trap); return undefined; } });
const bare = Object.create(null, { x: { get() { calls.push('getter'); return 1; }, enumerable: true } });
const list = [new Proxy(bare, handler), new Proxy([1], handler), new Proxy(new Proxy({}, handler), handler)];
const f = new Proxy(() => calls.push('called'), handler);
const long = new Proxy(['x'.repeat(100000)], handler);
class Odd extends Promise { get then() { calls.push('inherited'); } }
const odd = Object.defineProperty(new Odd(() => {}), 'then', { get() { calls.push('then'); } });
const done = Promise.resolve({ get x() { calls.push('x'); return 1; } });
const failed = Promise.reject(1);
failed.catch(() => {});
console.log(calls.join(), calls.length);
"""


def test_reading_proxies_and_promises_calls_nothing(recorder: SandboxWorker, tmp_path: Path) -> None:
    trace = recorder.record(program(TRAPS))
    assert trace.outcome.kind == "returned", trace.outcome
    assert as_in_a_plain_run(trace, plain(TRAPS, "program.js", tmp_path)), trace.output
    states = [series(trace, name)[-1] for name in ("odd", "done", "failed")]
    assert states == ["<Promise pending>", "<Promise fulfilled>", "<Promise rejected>"]
    assert series(trace, "long") == ["...<Proxy 0>"]

"""Each named boolean of guests/behavior.py, proved on every interpreter at hand by asking the interpreter itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from interpreters import FOUND

import worldline.recording.guests

GUESTS = Path(worldline.recording.guests.__file__).parent

PROOFS = {
    "HAS_MONITORING": "hasattr(sys, 'monitoring')",
    "COMPREHENSIONS_INLINED": "frames('def f(xs):\\n    return [x for x in xs]\\nf([1])') == ['<module>', 'f']",
    "SAME_LINE_LOOPS_NEED_JUMPS": "same_line_loops_are_silent()",
    "SETTRACE_REPLACES_RECORDER": "not hasattr(sys, 'monitoring')",
    "THREAD_STARTS_ARE_AUDITED": "thread_starts_are_audited()",
    "LOCALS_ARE_LIVE": "locals_are_live()",
    "SHADOWED_CELLS_CRASH": "shadowed_cells_crash()",
    "LOCALS_STAY_BOUND": "jumped_over() == {'x': None}",
    "UTCNOW_IS_DEPRECATED": "utcnow_is_deprecated()",
    "LOAD_ATTR_HAS_FLAG": "opmap.get('LOAD_METHOD', 256) > 255",
    "CALLABLE_COMES_FIRST": "callable_comes_first()",
    "GENERATOR_START_IS_COUNTED": "stack_effect(opmap['RETURN_GENERATOR']) == 1",
}

PROVER = """
import sys
sys.path.insert(0, {guests!r})
import behavior, dis
from opcode import opmap, stack_effect

def callable_comes_first():
    names = [i.opname for i in dis.get_instructions(compile('f(1)', 'p', 'eval'))]
    place = names.index('LOAD_NAME')
    return names[place + 1] == 'PUSH_NULL'

def frames(source):
    seen = []
    def trace(frame, event, arg):
        if event == 'call' and frame.f_code.co_filename == 'p':
            seen.append(frame.f_code.co_name)
    sys.settrace(trace)
    exec(compile(source, 'p', 'exec'), {{}})
    sys.settrace(None)
    return seen

def same_line_loops_are_silent():
    if not hasattr(sys, 'monitoring'):
        return False
    m, lines = sys.monitoring, []
    m.use_tool_id(3, 'proof')
    m.register_callback(3, m.events.LINE, lambda c, n: lines.append(n) if c.co_filename == 'p' else None)
    m.set_events(3, m.events.LINE)
    exec(compile('for i in range(5): i', 'p', 'exec'), {{}})
    m.set_events(3, 0)
    return lines.count(1) == 1

def locals_are_live():
    x = 1
    view = sys._getframe().f_locals
    x = 2
    return view['x'] == 2

def shadowed_cells_crash():
    import subprocess
    source = 'def f():\\n    lambda: k\\n    k = 1\\n    [locals() for k in [0]]\\nf()'
    return subprocess.run([sys.executable, '-c', source]).returncode < 0

def jumped_over():
    seen = {{}}
    def trace(frame, event, arg):
        if frame.f_code.co_filename == 'p' and frame.f_code.co_name == 'f':
            if event == 'line' and frame.f_lineno == 2:
                frame.f_lineno = 3
            seen.update(frame.f_locals)
        return trace
    sys.settrace(trace)
    exec(compile('def f():\\n    x = 1\\n    return 2\\nf()', 'p', 'exec'), {{}})
    sys.settrace(None)
    return seen

def thread_starts_are_audited():
    import threading
    seen = []
    sys.addaudithook(lambda event, args: seen.append(event))
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    return any(event.startswith('_thread.start') for event in seen)

def utcnow_is_deprecated():
    import datetime, warnings
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        datetime.datetime.utcnow()
    return bool(seen)

print(behavior.{name} == ({proof}))
"""


def test_every_boolean_has_a_proof() -> None:
    names = {line.split(" = ")[0] for line in (GUESTS / "behavior.py").read_text().splitlines() if " = " in line}
    assert {name for name in names if name.isupper() and not name.startswith("_")} == set(PROOFS)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("version", FOUND)
@pytest.mark.parametrize("name", PROOFS)
def test_proof(name: str, version: str) -> None:
    script = PROVER.format(guests=str(GUESTS), name=name, proof=PROOFS[name])
    done = subprocess.run([FOUND[version], "-I", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "True", done.stderr

"""Past what is missing: assumed answers, branches and stopped loops, labelled and with lines; in the sandbox."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from worldline import rehearse
from worldline.cli import main
from worldline.core.errors import UsageError
from worldline.plan.rehearse.branch import AssumedBranch
from worldline.plan.rehearse.effect import ASSUMED, TOLD
from worldline.plan.rehearse.rehearse import Rehearsal

pytestmark = pytest.mark.usefixtures("sandbox")


def rehearsed(folder: Path, source: str, **options: object) -> Rehearsal:
    (folder / "s.py").write_text(source)
    return rehearse(folder / "s.py", folder=folder, max_bytes=0, **options)  # type: ignore[arg-type]


def assumed(branch: AssumedBranch) -> list[tuple[str, str, str, int]]:
    return [(item.what, item.answer, item.by, item.line) for item in branch.assumptions]


def effects(branch: AssumedBranch) -> set[tuple[str, str, int]]:
    assert {effect.seen for effect in branch.effects} <= {ASSUMED}
    return {(effect.kind, effect.target, effect.line) for effect in branch.effects}


MISSING = """\
import os, absent
open("before.txt", "w").close()
value = absent.measure(3)
if value > 4:
    open("high.txt", "w").close()
else:
    os.remove("before.txt")
"""


def test_a_missing_module_is_assumed_and_both_outcomes_of_a_condition_are_shown(tmp_path: Path) -> None:
    report = rehearsed(tmp_path, MISSING)
    assert report.missing == ("import absent",)
    assert report.effects == () or all(effect.seen != TOLD for effect in report.effects)
    high, low = report.branches
    assert assumed(high) == [("import absent", "", "unknown", 1), ("absent.measure(3)", "", "unknown", 3)]
    assert [(item.condition, item.holds, item.line) for item in high.decisions] == [("absent.measure(3) > 4", True, 4)]
    assert effects(high) == {("write", "before.txt", 2), ("write", "high.txt", 5)}
    assert ("delete", "before.txt", 7) in effects(low)
    assert not report.has_more_branches


def test_a_stub_decides_the_condition_and_is_named_as_an_assumption(tmp_path: Path) -> None:
    report = rehearsed(tmp_path, MISSING, stubs=["absent.measure=lambda size: size"])
    (branch,) = report.branches
    assert ("absent.measure(3)", "3", "stub", 3) in assumed(branch)
    assert branch.decisions == ()
    assert ("delete", "before.txt", 7) in effects(branch)


def test_the_number_of_branches_is_bounded_and_the_report_says_that_there_are_more(tmp_path: Path) -> None:
    report = rehearsed(tmp_path, MISSING, branches=1)
    assert len(report.branches) == 1
    assert report.has_more_branches
    assert rehearsed(tmp_path, MISSING, branches=0).branches == ()


def test_what_is_executed_before_the_first_assumption_stays_executed(tmp_path: Path) -> None:
    source = "open('real.txt', 'w').close()\nprint('real')\nimport absent\nprint('assumed')\n"
    report = rehearsed(tmp_path, source)
    assert [(effect.target, effect.seen) for effect in report.effects] == [("real.txt", TOLD)]
    (branch,) = report.branches
    assert branch.effects == ()
    assert branch.output == "assumed\n"
    assert report.output == "real\n"


def test_a_missing_variable_and_a_missing_file_are_assumed_where_the_script_asks(tmp_path: Path) -> None:
    source = "\n".join([
        "import json, os",
        "token = os.environ['TOKEN']",
        "debug = os.environ.get('DEBUG', 'no')",
        "config = json.load(open('config.json'))",
        "open(config['out'], 'w').write(f'{token} {debug}')",
    ])  # fmt: skip
    (branch,) = rehearsed(tmp_path, source).branches
    assert assumed(branch) == [
        ("os.environ['TOKEN']", "", "unknown", 2), ("open('config.json')", "", "unknown", 4),
    ]  # fmt: skip
    assert [change.diff[-1] for change in branch.changes] == ["+<TOKEN> no  (no end of line)"]
    stubs = ["open('config.json')='{\"out\": \"made.txt\"}'", "os.environ['TOKEN']='secret'"]
    (branch,) = rehearsed(tmp_path, source, stubs=stubs).branches
    assert ("write", "made.txt", 5) in effects(branch)
    assert branch.changes[0].diff[-1] == "+secret no  (no end of line)"


@pytest.mark.parametrize(
    ("source", "what"),
    [
        (
            "import urllib.request as u\nreply = u.urlopen('http://h/a').read()\n",
            "urllib.request.urlopen('http://h/a')",
        ),
        ("import socket\nreply = socket.create_connection(('h', 80)).recv(9)\n", "socket.create_connection(('h', 80))"),
        ("import subprocess\nreply = subprocess.run(['no-such']).stdout\n", "subprocess.run(['no-such'])"),
    ],
)
def test_a_refused_request_is_assumed_to_succeed(tmp_path: Path, source: str, what: str) -> None:
    (branch,) = rehearsed(tmp_path, source + "open('log.txt', 'w').close()\n").branches
    assert assumed(branch) == [(what, "", "unknown", 2)]
    assert ("write", "log.txt", 3) in effects(branch)


def test_nothing_is_assumed_for_a_script_that_lacks_nothing(tmp_path: Path) -> None:
    report = rehearsed(tmp_path, "import json\nprint(json.dumps({}))\n")
    assert (report.missing, report.branches) == ((), ())


def test_a_loop_that_takes_too_long_is_stopped_and_its_numbers_are_predicted(tmp_path: Path) -> None:
    source = "\n".join([
        "total = 0",
        "for i in range(10**12):",
        "    total += i",
        "n = 1",
        "while n < 10**11:",
        "    n += 7",
        "open('out.txt', 'w').write(f'{i} {total} {n}')",
    ])  # fmt: skip
    report = rehearsed(tmp_path, source, wall=6.0)
    assert report.missing == ("the time to finish",)
    (branch,) = report.branches
    assert [(item.by, item.line) for item in branch.assumptions] == [("loop", 2), ("loop", 5)]
    count = 10**12
    n = 1 + 7 * -(-(10**11 - 1) // 7)
    assert branch.changes[0].diff[-1] == f"+{count - 1} {count * (count - 1) // 2} {n}  (no end of line)"


def test_a_long_sleep_is_skipped_and_named(tmp_path: Path) -> None:
    source = "import time\nstart = time.time()\ntime.sleep(3600)\nprint(round(time.time() - start, -1))\n"
    (branch,) = rehearsed(tmp_path, source, wall=3.0).branches
    assert assumed(branch) == [("time.sleep(3600)", "", "unknown", 3)]
    assert branch.output == "3600.0\n"


def test_a_stub_that_is_wrong_is_an_error_and_one_that_is_not_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a stub"):
        rehearsed(tmp_path, MISSING, stubs=["no expression"])
    with pytest.raises(UsageError, match="NameError"):
        rehearsed(tmp_path, MISSING, stubs=["absent.measure=nowhere"])
    report = rehearsed(tmp_path, MISSING, stubs=["absent.other=3"], branches=1)
    assert any("the stub absent.other was not used" in sentence for sentence in report.unseen)


def test_the_command_labels_a_branch_in_text_and_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.py").write_text(MISSING)
    Path("stubs.py").write_text("STUBS = {'absent.measure': lambda size: 9}\n")
    words = ["rehearse", "s.py", "--stubs", "stubs.py", "--max-bytes", "0"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "PREDICTED, past what is missing: 1 branch" in out
    assert "assumed, line 3: absent.measure(3) is 9 (your stub)" in out
    assert "high.txt (PREDICTED)" in out
    assert main([*words, "--json"]) == 0
    (branch,) = json.loads(capsys.readouterr().out)["branches"]
    assert branch["label"] == "predicted"
    assert {effect["seen"] for effect in branch["effects"]} == {"assumed"}


HANDLED = """\
import os, vault
try:
    vault.unlock("team")
    os.remove("team.lock")
except (vault.VaultError, OSError):
    open("failed.txt", "w").close()
"""


def test_an_exception_that_the_script_handles_has_a_branch(tmp_path: Path) -> None:
    (tmp_path / "team.lock").touch()
    success, failure = rehearsed(tmp_path, HANDLED).branches
    assert effects(success) == {("delete", "team.lock", 4)}
    assert effects(failure) == {("write", "failed.txt", 6)}
    assert failure.decisions[0].condition == "vault.unlock('team') raises vault.VaultError"


def test_a_change_of_an_unknown_path_is_assumed_to_succeed(tmp_path: Path) -> None:
    source = "import os\nfor line in open('trash.txt'):\n    os.remove(line.strip())\nopen('done', 'w').close()\n"
    branch = rehearsed(tmp_path, source).branches[0]
    assert effects(branch) >= {("delete", "<open('trash.txt')[0].strip()>", 3), ("write", "done", 4)}
    assert "os.remove(open('trash.txt')[0].strip())" in [item.what for item in branch.assumptions]


def test_a_value_of_the_model_has_a_branch_of_its_own(tmp_path: Path) -> None:
    source = 'import os\nstage = os.environ["STAGE"]\nopen(stage, "w").close()\n'
    (tmp_path / "s.py").write_text(source)
    first, *others = rehearse(tmp_path / "s.py", folder=tmp_path).branches
    assert [item.by for item in first.assumptions] == ["unknown"]
    for branch in others:  # the shipped model may not be sure enough
        assert [(item.by, item.probability is not None) for item in branch.assumptions] == [("model", True)]


IRREGULAR = """\
n, steps, mean, sizes = 27, 0, 0.0, []
while steps < 10**9:
    n = n * n % 1000003
    steps += 1
    mean += 1 / steps
    if steps % 1000 == 0:
        late = steps
        sizes.append(n)
open("out.txt", "w").write(f"{steps} {mean}")
if mean > 10**6:
    open("large.txt", "w").close()
"""


def test_a_loop_with_irregular_values_says_what_it_does_not_know(tmp_path: Path) -> None:
    small, large = rehearsed(tmp_path, IRREGULAR, wall=6.0).branches
    (stopped,) = small.assumptions
    assert stopped.by == "loop"
    assert stopped.answer == "extrapolated: steps = 1000000000; not known: late, mean, n; incomplete: sizes"
    assert re.fullmatch(r"the loop is stopped after [\d,]+ rounds, before [\d,]+ more", stopped.what)
    assert small.changes[0].diff[-1] == "+1000000000 <mean after line 2>  (no end of line)"
    assert [branch.decisions[0].condition for branch in (small, large)] == ["mean after line 2 > 1000000"] * 2
    assert effects(large) - effects(small) == {("write", "large.txt", 11)}


def test_values_that_repeat_or_grow_with_a_period_are_extrapolated(tmp_path: Path) -> None:
    source = "\n".join([
        "n, thirds, on = 27, 0, False",
        "for at, _ in enumerate(range(10**9 + 1)):",
        "    n = n // 2 if n % 2 == 0 else 3 * n + 1",
        "    thirds += at % 3 == 0",
        "    on = not on",
        "open('out.txt', 'w').write(f'{at} {n} {thirds} {on}')",
    ])  # fmt: skip
    (branch,) = rehearsed(tmp_path, source, wall=6.0).branches
    # After 111 rounds n is 1, and then 4, 2, 1 again and again.
    n = [1, 4, 2][(10**9 + 1 - 111) % 3]
    assert branch.changes[0].diff[-1] == f"+{10**9} {n} {10**9 // 3 + 1} True  (no end of line)"


def test_a_loop_around_stopped_loops_goes_on(tmp_path: Path) -> None:
    source = "\n".join([
        "def simulated(x):",
        "    for _ in range(10**10):",
        "        x = x * x % 1000003",
        "    return x",
        "for run in range(12):",
        "    score = simulated(run + 2)",
        "    open(f'{run}.txt', 'w').write(f'{score}')",
        "print('all', run)",
    ])  # fmt: skip
    (branch,) = rehearsed(tmp_path, source, wall=12.0).branches
    assert {target for _, target, _ in effects(branch)} == {f"{run}.txt" for run in range(12)}
    assert branch.output == "all 11\n"
    assert len(branch.assumptions) == 12
    last = next(change for change in branch.changes if change.path == "11.txt")
    assert last.diff[-1] == "+<x after line 2, stop 12>  (no end of line)"


def test_a_loop_that_may_end_early_says_so(tmp_path: Path) -> None:
    source = "for n in range(10**12):\n    if n * n == -1:\n        break\n"
    (branch,) = rehearsed(tmp_path, source, wall=4.0).branches
    assert branch.assumptions[0].what.endswith(" more (fewer if it ends early)")


def test_the_name_of_an_unknown_call_shows_an_effect(tmp_path: Path) -> None:
    source = "import frames\nframe = frames.read('a')\nif frame.empty:\n    pass\nframe.to_csv('out.csv')\n"
    branch = rehearsed(tmp_path, source).branches[0]
    (effect,) = branch.effects
    assert (effect.kind, effect.line, effect.detail) == ("write", 5, "by the name of the call")
    assert [(item.condition, item.holds) for item in branch.decisions] == [("frames.read('a').empty", False)]


def test_an_unknown_module_has_functions_with_the_names_of_texts_own(tmp_path: Path) -> None:
    source = "import absent\nprint(absent.count() // 2, absent.format('x'), *sorted(absent.split()))\n"
    (branch, *_) = rehearsed(tmp_path, source).branches
    assert branch.output == "<(absent.count() :: 2)> <absent.format('x')> <absent.split()[0]>\n"

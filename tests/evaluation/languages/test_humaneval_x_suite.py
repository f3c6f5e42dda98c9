"""HumanEval-X: the calls that are read out of the tests are those that the tests make, in every language."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from measured_suites import measured
from sections import sections

from worldline.codec.literals import Reader
from worldline.core.errors import UsageError
from worldline.core.node import Value
from worldline.core.value import parse
from worldline.evaluation import suites
from worldline.evaluation.rows import read_rows
from worldline.evaluation.run.run import run
from worldline.evaluation.suites.languages.calls import calls, functions, parameter_types
from worldline.evaluation.suites.languages.humaneval_x import BENCHMARK_LANGUAGES, problems
from worldline.predict.interpreter import Interpreter
from worldline.recording.languages import toolchain

HERE = Path(__file__).parent
BESIDE = Path(__file__).resolve().parents[4] / "shared" / "data" / "humaneval-x"
DATA = Path(os.environ.get("WORLDLINE_HUMANEVAL_X", BESIDE))
WITH_DATA = pytest.mark.skipif(not DATA.is_dir(), reason="HumanEval-X is not beside the repository")
ROWS = {language: sections(HERE / "humaneval_x" / f"{language}.txt") for language in BENCHMARK_LANGUAGES}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for language, row in ROWS.items():
        (tmp_path / f"{language}.jsonl").write_text(json.dumps({"task_id": f"{language}/0", **row}) + "\n")
    return tmp_path


@pytest.mark.parametrize("language", BENCHMARK_LANGUAGES)
def test_a_task_is_a_call_of_the_tests(folder: Path, language: str) -> None:
    tasks = list(suites.load("humaneval-x", data=folder, language=language).tasks)
    assert sorted(task.program.call or "" for task in tasks) == ["addAll([1, 2], 3)", "addAll([7], 1)"]
    assert {task.program.language for task in tasks} == {language}
    assert "rand" not in tasks[0].program.source


def test_states_and_budgets_are_asked_of_them_too(folder: Path) -> None:
    if isinstance(why := toolchain.find("js"), str):
        pytest.skip(why)
    options = {"of": "humaneval-x", "data": folder, "language": "js", "calls": 1}
    found = measured("states", suites.load("states", **options), Interpreter(), limit=1)
    assert (found.n, found.faults) == (1, 0)
    assert {row[1].some for row in found.tables[0].rows if row[1] is not None} == {1}
    asked = run(suites.load("budget", **options), Interpreter(), limit=2)
    assert (asked.n, asked.all.trace.right, asked.faults) == (2, 2, 0)


def test_a_file_of_one_language_will_do(folder: Path) -> None:
    suite = suites.load("humaneval-x", data=folder / "js.jsonl", language="js", calls=1)
    assert len(list(suite.tasks)) == 1


@pytest.mark.parametrize("language", [None, "python", "c"])
def test_another_language_is_refused(folder: Path, language: str | None) -> None:
    with pytest.raises(UsageError, match="js, java, cpp, rust, go"):
        suites.load("humaneval-x", data=folder, language=language)


def test_a_crate_that_the_solution_needs_stays(tmp_path: Path) -> None:
    row = {**ROWS["rust"], "canonical_solution": "    md5::compute(xs); xs\n}\n", "task_id": "r"}
    (tmp_path / "rust.jsonl").write_text(json.dumps(row) + "\n")
    (only,) = problems(tmp_path, "rust")
    assert "use md5;" in only.source
    assert "use rand" not in only.source


def test_a_source_of_go_has_its_package_and_the_imports_that_it_uses(tmp_path: Path) -> None:
    row = {**ROWS["go"], "task_id": "g"}
    row["prompt"] = row["prompt"].replace("// Add", "func helper(x int) int { return x }\n// Add")
    row["canonical_solution"] = '    return []int{int(math.Abs(float64(helper(k)))), len(strings.Repeat("a", k))}\n}\n'
    (tmp_path / "go.jsonl").write_text(json.dumps(row) + "\n")
    (only,) = problems(tmp_path, "go")
    assert only.source.startswith('package main\n\nimport "math"\nimport "strings"\n\nfunc helper(x int)')
    assert "//" not in only.source
    assert only.source.count("func addAll") == 1


def test_typed_braces_of_go_are_lists_and_maps() -> None:
    text = 'f(map[string][]int{"a": {1}}, [][]float64{{1}, nil}); f(nil, make([]int, 2)); f(Pair{1}, nil)'
    assert calls(text, "f", "go") == ["f({'a': [1]}, [[1.0], None])"]
    assert functions("func f(x int) int {\n}\nfunc (p *P) g() {\n}\nfunc h[T any](x T) {\n}\n", "go") == ["f", "h"]


def test_braces_of_cpp_are_a_map_where_the_parameter_is_one() -> None:
    source = "bool f(map<string,int> d, vector<vector<int>> v){ return true; }\n"
    types = parameter_types(source, "f", "cpp")
    found = calls('f({{"a", 1}}, {{1, 2}}); f({}, {})', "f", "cpp", types=types)
    assert found == ["f({'a': 1}, [[1, 2]])", "f({}, [])"]


def test_a_name_that_is_changed_is_not_known() -> None:
    text = "let a = [1]\na.push(2)\nlet b = 3\nb += 1\nlet c = 4\nf(a); f(b); f(c); f(d)"
    assert calls(text, "f", "js") == ["f(4)"]


def test_functions_are_found_in_their_order() -> None:
    assert functions("const a = (x) => {\n}\nfunction b(y) {\n}\nconst c = 5\n", "js") == ["a", "b"]
    assert functions(
        "/* int z(int a){ */\nint f(int n){\n return 1;\n}\nvector<int> g(vector<int> a, int k){\n", "cpp"
    ) == ["f", "g"]


@WITH_DATA
@pytest.mark.parametrize("language", BENCHMARK_LANGUAGES)
def test_nearly_every_problem_has_calls_and_every_argument_is_canonical(language: str) -> None:
    found = problems(DATA, language)
    assert len(found) == 164
    assert sum(bool(one.calls) for one in found) >= 159
    texts = [call for one in found for call in one.calls]
    assert len(texts) > 1_000
    for call in texts:
        assert isinstance(parse("[" + call[call.index("(") + 1 : -1] + "]"), Value), call


@WITH_DATA
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_node_itself_makes_the_calls_that_are_read(tmp_path: Path) -> None:
    """The tests are run by node with a function that writes its arguments down: each call that is read is one."""
    tests = {row["task_id"]: row["test"] for row in read_rows(DATA / "js.jsonl.gz", ("task_id", "test"))}
    rows = {one.name: one for one in problems(DATA, "js") if one.calls}
    asked = [
        {"name": name, "entry": one.calls[0].partition("(")[0], "source": one.source, "test": tests[name]}
        for name, one in rows.items()
    ]
    (tmp_path / "asked.json").write_text(json.dumps(asked))
    told = json.loads(subprocess.check_output(["node", HERE / "spy.js", tmp_path / "asked.json"]))
    for name, one in rows.items():
        made = {_plain(json.loads(text)) for text in told[name]}
        for call in one.calls:
            reader = Reader(call, "js", call.index("(") + 1, {"True": True, "False": False})
            assert _plain(reader.several(")")) in made, (name, call)


def _plain(value: object) -> str:
    """Numbers as JavaScript has them, keys sorted."""
    return json.dumps(json.loads(json.dumps(value), parse_int=float), sort_keys=True)

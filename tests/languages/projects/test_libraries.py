"""Libraries of this machine, built here with the real tools: programs of each language find them, read-only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from worldline.cli import cli
from worldline.core.errors import UsageError
from worldline.core.program import Program
from worldline.core.trace import Trace
from worldline.data.program_file import load_program
from worldline.recording.languages import toolchain
from worldline.recording.languages.libraries import packages_beside, using_libraries
from worldline.recording.recorder import record, without_sandbox

pytestmark = pytest.mark.usefixtures("sandbox")
C_USER = """\
#include <stdio.h>
int triple(int n);
int main(void) {
    int x = triple(4);
    printf("%d", x);
    return 0;
}
"""
RUST_USER = """\
fn main() {
    let p = outer::quad(4);
    print!("{}", p.v);
}
"""


def require(*commands: str) -> None:
    for command in commands:
        if not shutil.which(command):
            pytest.skip(f"no {command} on this machine")


def built(*command: str, cwd: Path) -> None:
    subprocess.run(command, cwd=cwd, check=True, capture_output=True)


def written(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def with_library(path: Path, program: Program) -> Trace:
    with using_libraries(path):
        return record(program)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A folder with a header, an archive and a shared library."""
    require("gcc", "ar")
    tmp_path = tmp_path / "triple"
    written(
        tmp_path, triple_dot_c="int triple(int n) { return 3 * n; }\n", include__triple_dot_h="int triple(int n);\n"
    )
    (tmp_path / "lib").mkdir()
    built("gcc", "-c", "triple.c", "-o", "triple.o", cwd=tmp_path)
    built("ar", "rcs", "lib/libtriple.a", "triple.o", cwd=tmp_path)
    built("gcc", "-shared", "-fPIC", "triple.c", "-o", "libshared.so", cwd=tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["lib/libtriple.a", "libshared.so", "triple.o"])
def test_a_c_program_is_linked_with_a_file(archive: Path, name: str) -> None:
    trace = with_library(archive / name, Program(source=C_USER, name="a.c"))
    assert (trace.outcome.kind, trace.output) == ("returned", "12"), trace.stderr
    assert {frame.name for frame in trace.frames} == {"main"}  # the library has no source, and no steps


def test_headers_and_libraries_of_a_folder_are_found(archive: Path) -> None:
    source = C_USER.replace("int triple(int n);", "#include <triple.h>")
    trace = with_library(archive, Program(source=source, name="a.c", flags=("-ltriple",)))
    assert trace.output == "12", trace.stderr


def test_a_library_that_was_built_anew_is_compiled_in(archive: Path) -> None:
    program = Program(source=C_USER, name="a.c")
    assert with_library(archive / "triple.o", program).output == "12"
    (archive / "triple.c").write_text("int triple(int n) { return 30 * n; }\n")
    built("gcc", "-c", "triple.c", "-o", "triple.o", cwd=archive)
    assert with_library(archive / "triple.o", program).output == "120"


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    require("javac", "jar")
    text = 'package greet;\npublic class Greeter { public static String hello(String n) { return "hello " + n; } }\n'
    written(tmp_path, Greeter_dot_java=text)
    built("javac", "-d", "classes", "Greeter.java", cwd=tmp_path)
    (tmp_path / "jars").mkdir()
    built("jar", "cf", "jars/greet.jar", "-C", "classes", ".", cwd=tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["jars/greet.jar", "jars", "classes"])
def test_a_java_program_uses_classes_of_a_jar_or_folder(jar: Path, name: str) -> None:
    source = (
        "import greet.Greeter;\npublic class Main {\n    public static void main(String[] args) {\n"
        '        String s = Greeter.hello("x");\n        System.out.print(s);\n    }\n}\n'
    )
    trace = with_library(jar / name, Program(source=source, name="Main.java"))
    assert (trace.outcome.kind, trace.output) == ("returned", "hello x"), trace.stderr
    assert [step.delta for step in trace.steps if "s" in step.delta] == [{"s": "'hello x'"}]
    without = record(Program(source=source, name="Main.java"))
    assert without.outcome.detail == "source: package greet does not exist in line 1"


def test_a_rust_program_uses_crates_that_cargo_built(tmp_path: Path) -> None:
    require("cargo")
    assert not isinstance(toolchain.find("rust"), str)
    for name, text in {
        "Cargo.toml": '[package]\nname = "outer"\nversion = "0.1.0"\nedition = "2021"\n'
        '[dependencies]\ninner = { path = "inner" }\n',
        "src/lib.rs": "pub struct P { pub v: i32 }\npub fn quad(n: i32) -> P { P { v: 4 * n + inner::base() } }\n",
        "inner/Cargo.toml": '[package]\nname = "inner"\nversion = "0.1.0"\nedition = "2021"\n',
        "inner/src/lib.rs": "pub fn base() -> i32 { 10 }\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    built("cargo", "build", "--offline", "--quiet", cwd=tmp_path)
    trace = with_library(tmp_path / "target", Program(source=RUST_USER, name="a.rs"))
    assert (trace.outcome.kind, trace.output) == ("returned", "26"), trace.stderr
    assert [step.delta for step in trace.steps if "p" in step.delta] == [{"p": "P#1(v=26)"}]


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder with node_modules, a package of CommonJS and one of ES modules in it."""
    require("node")
    for name, text in {
        "five/package.json": '{"name": "five", "version": "1.0.0"}',
        "five/index.js": "exports.five = () => 5;\n",
        "seven/package.json": '{"name": "seven", "type": "module", "exports": {".": {"import": "./a.js"}}}',
        "seven/a.js": "export const seven = 7;\nexport default 8;\n",
        "@some/six/package.json": '{"name": "@some/six", "version": "1.0.0", "exports": "./six.js"}',
        "@some/six/six.js": "exports.six = () => 6;\n",
    }.items():
        path = tmp_path / "node_modules" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.js", 'const { five } = require("five");\nconst { six } = require("@some/six");\n'),
        ("a.mjs", 'import { five } from "five";\nimport { six } from "@some/six";\n'),
        ("a.ts", 'import { five } from "five";\nimport { six } from "@some/six";\nconst n: number = 1;\n'),
    ],
)
def test_packages_beside_a_program_are_found(packages: Path, name: str, source: str) -> None:
    path = packages / name
    path.write_text(source + "console.log(five() + six(), process.env.NODE_PATH);\n")
    result = CliRunner().invoke(cli, ["record", str(path)], catch_exceptions=False)
    assert "output '11 undefined\\n'" in result.output, result.output
    library = packages_beside(path, load_program(path))
    assert library is not None
    with using_libraries(library.path), without_sandbox():
        assert record(load_program(path)).output == "11 undefined\n"


def test_a_package_only_for_import_is_imported(packages: Path) -> None:
    program = Program(source='import eight, { seven } from "seven";\nconsole.log(eight, seven);\n', name="a.mjs")
    assert with_library(packages / "node_modules", program).output == "8 7\n"


def test_packages_above_a_program_are_found(packages: Path) -> None:
    (packages / "src/deep").mkdir(parents=True)
    program = Program(source='import "five";\n', name="a.mjs")
    library = packages_beside(packages / "src/deep/a.mjs", program)
    assert library is not None
    assert library.path == str(packages / "node_modules")


def test_packages_are_shown_only_to_a_program_that_imports_one(packages: Path) -> None:
    program = Program(source='const fs = require("node:fs"), u = require("./u.js");\n', name="a.js")
    assert packages_beside(packages, program) is None
    assert packages_beside(packages, Program(source="import five", name="a.py")) is None


def test_the_sandbox_shows_only_that_library_and_lets_nobody_write_to_it(packages: Path) -> None:
    (packages / "secret.txt").write_text("secret")
    source = (
        'const fs = require("fs"), path = require("path");\n'
        'const folder = path.dirname(path.dirname(require.resolve("five")));\n'
        "const refused = (act) => { try { act(); return false; } catch { return true; } };\n"
        "console.log(refused(() => fs.writeFileSync(folder + '/five/index.js', '')),\n"
        f"  refused(() => fs.readFileSync({str(packages / 'secret.txt')!r})),\n"
        "  refused(() => fs.readFileSync(folder + '/../secret.txt')));\n"
    )
    trace = with_library(packages / "node_modules", Program(source=source, name="a.js"))
    assert trace.output == "true true true\n", trace.stderr


def test_a_stored_program_never_names_a_library() -> None:
    assert not any("librar" in name for name in Program.__dataclass_fields__)


def test_a_library_of_another_kind_is_refused(archive: Path, tmp_path: Path) -> None:
    for name, source in {"a.py": "x = 1\n", "A.java": "class A {}\n", "a.c": C_USER, "a.go": "package main\n"}.items():
        (tmp_path / name).write_text(source)
    for name, library, message in [
        ("a.c", "nowhere.a", "No such file or directory; name a file or folder of this machine"),
        ("a.c", "triple.c", "no program uses such a file. Name one of these: C: a .a, .so or .o file"),
        ("A.java", "triple.o", "Java programs cannot use it; name a .jar file, or a folder of jars or classes"),
        ("a.go", "include", "Go programs cannot use it; they have the standard library alone; leave it out"),
        ("a.py", "include", "Python programs cannot use it; name the interpreter that has the package with --python"),
    ]:
        words = ["record", str(tmp_path / name), "--library", str(archive / library)]
        with pytest.raises(UsageError, match="--library") as error:
            CliRunner().invoke(cli, words, catch_exceptions=False)
        assert message in str(error.value)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root executes programs as another user")
def test_a_folder_that_only_root_may_read_is_refused(archive: Path) -> None:
    archive.chmod(0o700)
    with pytest.raises(UsageError, match="only its owner may read it"):
        with_library(archive, Program(source=C_USER, name="a.c"))


def test_a_suite_is_executed_with_the_libraries_of_the_command(archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_text(json.dumps({"source": C_USER, "language": "c"}) + "\n")
    words = ["bench", str(path), "--model", "interpreter", "--json", "--library", str(archive / "triple.o")]
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    report = json.loads(result.stdout)
    assert report["n"] == 1, os.linesep.join([result.stdout, result.stderr])

"""Environments: made once, from wheels alone, whole or not at all, and nothing untrusted executes on the host.

Most tests install from a folder of wheels that they write themselves, so they need no network.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from small_repositories import commit_and_tag, write_repository, write_wheel

import worldline
from worldline.core.errors import UsageError
from worldline.recording.repository.environment import make_environment

PROJECT = '[project]\nname = "sample"\nversion = "1.5"\n'


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that pip installs from, and from nowhere else. It has a package with the name of pytest."""
    folder = tmp_path / "wheels"
    write_wheel(folder, "pytest", "9.0", {"pytest.py": "version = 9\n"})
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def repository_that_needs(folder: Path, *requirements: str) -> Path:
    """A repository whose tests need these packages."""
    groups = f"[dependency-groups]\ntest = {json.dumps(list(requirements))}\n"
    return write_repository(folder / "sample", {"pyproject.toml": PROJECT + groups, "src/sample/__init__.py": ""})


def inside(python: str, code: str) -> str:
    """What an interpreter prints."""
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_an_environment_has_what_the_tests_need_and_the_project_itself_by_name(tmp_path: Path, wheels: Path) -> None:
    write_wheel(wheels, "helper", "2.0", {"helper.py": "answer = 42\n"}, needs=("deeper",))
    write_wheel(wheels, "deeper", "1.0", {"deeper.py": ""})
    repository = repository_that_needs(tmp_path, "helper>=1")
    points = '[project.scripts]\nrun = "sample:main"\n[project.entry-points.pytest11]\nsample = "sample.plugin"\n'
    (repository / "pyproject.toml").write_text((repository / "pyproject.toml").read_text() + points)
    environment = make_environment(repository, cache=tmp_path / "cache")
    assert (environment.notes, environment.paths, environment.files) == ((), ("src", "."), {})
    code = (
        "import pytest, helper, deeper; from importlib.metadata import version, entry_points as e;"
        "print(pytest.version, helper.answer, version('sample'), [p.value for p in e(group='pytest11')])"
    )
    assert inside(environment.python, code) == "9 42 1.5 ['sample.plugin']"
    assert not (repository / "src" / "sample.egg-info").exists()


def test_an_environment_is_made_once_and_a_broken_one_again(tmp_path: Path, wheels: Path) -> None:
    repository, cache = repository_that_needs(tmp_path), tmp_path / "cache"
    said: list[str] = []
    first = make_environment(repository, cache=cache, say=said.append)
    for wheel in wheels.iterdir():
        wheel.rename(wheel.with_suffix(".away"))
    assert make_environment(repository, cache=cache, say=said.append) == first
    assert len(said) == 1
    for wheel in wheels.iterdir():
        wheel.rename(wheel.with_suffix(".whl"))
    next(Path(first.python).parents[1].glob("lib/*/site-packages/pytest.py")).unlink()
    assert make_environment(repository, cache=cache, say=said.append) == first
    assert (len(said), inside(first.python, "import pytest; print(pytest.version)")) == (2, "9")


def test_other_metadata_is_another_environment(tmp_path: Path, wheels: Path) -> None:
    write_wheel(wheels, "helper", "1.0", {"helper.py": ""})
    cache = tmp_path / "cache"
    first = make_environment(repository_that_needs(tmp_path), cache=cache)
    assert make_environment(repository_that_needs(tmp_path, "helper"), cache=cache).python != first.python


def test_two_processes_make_one_environment(tmp_path: Path, wheels: Path) -> None:
    repository = repository_that_needs(tmp_path)
    source = Path(worldline.__file__).parents[1]
    code = (
        f"import sys; sys.path.insert(0, {str(source)!r})\n"
        "from worldline.recording.repository.environment import make_environment as make\n"
        f"print(make({str(repository)!r}, cache={str(tmp_path / 'cache')!r}, say=lambda line: print('made')).python)\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    printed = sorted(process.communicate(timeout=300)[0].split() for process in both)
    python = printed[0][-1]
    assert printed == [[python], ["made", python]]
    assert inside(python, "import pytest; print(pytest.version)") == "9"


def test_what_has_no_wheel_is_left_out_and_never_built(tmp_path: Path, wheels: Path) -> None:
    mark = tmp_path / "built"
    source = write_repository(
        tmp_path / "evil-1.0",
        {
            "setup.py": f"open({str(mark)!r}, 'w').close()\n",
            "PKG-INFO": "Metadata-Version: 1.0\nName: evil\nVersion: 1.0\n",
        },
    )
    with tarfile.open(wheels / "evil-1.0.tar.gz", "w:gz") as archive:
        archive.add(source, "evil-1.0")
    write_wheel(wheels, "good", "1.0", {"good.py": ""})
    write_wheel(wheels, "indirect", "1.0", {"indirect.py": ""}, needs=("evil",))
    environment = make_environment(
        repository_that_needs(tmp_path, "evil", "indirect", "good"), cache=tmp_path / "cache"
    )
    assert not mark.exists()
    assert sorted(note.split(" is left out")[0] for note in environment.notes) == ["'evil'", "'indirect'"]
    assert inside(environment.python, "import good, pytest; print('fine')") == "fine"


def test_of_two_that_contradict_each_other_the_more_important_stays(tmp_path: Path, wheels: Path) -> None:
    for version in ("1.0", "2.0"):
        write_wheel(wheels, "base", version, {"base.py": f"version = {version}\n"})
    for name, needs in (("first", "base<2"), ("second", "base>=2"), ("third", "base")):
        write_wheel(wheels, name, "1.0", {f"{name}.py": ""}, needs=(needs,))
    environment = make_environment(
        repository_that_needs(tmp_path, "first", "second", "third"), cache=tmp_path / "cache"
    )
    assert [note.split(" is left out")[0] for note in environment.notes] == ["'second'"]
    assert inside(environment.python, "import first, third, base; print(base.version)") == "1.0"


def test_code_that_python_executes_when_it_starts_is_switched_off(tmp_path: Path, wheels: Path) -> None:
    mark, names = tmp_path / "executed", ("evil.pth", "sitecustomize.py", "usercustomize/__init__.py")
    code = f"import builtins; builtins.open({str(mark)!r}, 'w').close()\n"
    write_wheel(wheels, "evil", "1.0", dict.fromkeys(names, code))
    environment = make_environment(repository_that_needs(tmp_path, "evil"), cache=tmp_path / "cache")
    assert inside(environment.python, "print('started')") == "started"
    assert not mark.exists()
    assert [note.split(" ")[0] for note in environment.notes] == ["evil.pth", "sitecustomize.py", "usercustomize"]


def test_a_released_version_of_the_project_does_not_answer_for_it(tmp_path: Path, wheels: Path) -> None:
    write_wheel(wheels, "sample", "0.1", {"sample.py": ""})
    write_wheel(wheels, "user", "1.0", {"user.py": ""}, needs=("sample",))
    environment = make_environment(repository_that_needs(tmp_path, "user"), cache=tmp_path / "cache")
    code = "from importlib.metadata import distributions as d; print([x.version for x in d() if x.name == 'sample'])"
    assert inside(environment.python, code) == "['1.5']"


def test_the_version_is_that_of_the_newest_tag(tmp_path: Path, wheels: Path) -> None:
    dynamic = '[project]\nname = "sample"\ndynamic = ["version"]\n'
    dynamic += '[tool.setuptools_scm]\nversion_file = "sample/_version.py"\n'
    repository = write_repository(tmp_path / "sample", {"pyproject.toml": dynamic, "sample/__init__.py": ""})
    assert "no version was found" in make_environment(repository, cache=tmp_path / "cache").notes[0]
    commit_and_tag(repository, "v3.2.1")
    environment = make_environment(repository, cache=tmp_path / "cache")
    assert inside(environment.python, "from importlib.metadata import version; print(version('sample'))") == "3.2.1"
    assert "'3.2.1'" in environment.files["sample/_version.py"]


def test_without_packages_the_message_says_what_to_do(tmp_path: Path, wheels: Path) -> None:
    for wheel in wheels.iterdir():
        wheel.unlink()
    with pytest.raises(UsageError, match=r"pip cannot install pytest.*check the network.*--venv"):
        make_environment(repository_that_needs(tmp_path), cache=tmp_path / "cache")
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".lock"]


def test_a_missing_folder_or_interpreter_is_named(tmp_path: Path, wheels: Path) -> None:
    with pytest.raises(UsageError, match="nowhere is not a folder"):
        make_environment(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="no interpreter"):
        make_environment(repository_that_needs(tmp_path), python="python9.9")


@pytest.mark.long(reason="installs pytest from the package index")
def test_real_packages_execute_the_tests_of_a_repository(tmp_path: Path) -> None:
    repository = write_repository(
        tmp_path / "sample",
        {
            "pyproject.toml": PROJECT + '[dependency-groups]\ntest = ["pytest-mock", "no-such-package-of-worldline"]\n',
            "src/sample/__init__.py": "def twice(x): return 2 * x\n",
            "tests/test_twice.py": "from sample import twice\n"
            "def test_twice(mocker): assert twice(mocker.sentinel and 2) == 4\n",
        },
    )
    try:
        environment = make_environment(repository, cache=tmp_path / "cache")
    except UsageError as error:
        if "cannot install pytest" in str(error):
            pytest.skip(f"there is no package index: {error}")
        raise
    assert environment.notes == ("'no-such-package-of-worldline' is left out: no wheel for this interpreter",)
    command = [environment.python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    path = ":".join(str(repository / root) for root in environment.paths)
    done = subprocess.run(command, cwd=repository, env={"PYTHONPATH": path}, capture_output=True, text=True)
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout + done.stderr

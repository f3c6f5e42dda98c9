"""Metadata is read as text: every place where projects write it, and nothing of the project is executed."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_repositories import write_repository

from worldline.recording.repository.metadata import ProjectMetadata, read_metadata

pytestmark = pytest.mark.unit


def metadata_of(folder: Path, **texts: str) -> ProjectMetadata:
    """The metadata of a repository with these files: `pyproject` is pyproject.toml, `setup` is setup.py and so on."""
    names = {"pyproject": "pyproject.toml", "setup": "setup.py", "cfg": "setup.cfg", "tox": "tox.ini"}
    return read_metadata(write_repository(folder, {names[key]: text for key, text in texts.items()}))


def test_dependencies_and_test_groups_of_pyproject(tmp_path: Path) -> None:
    found = metadata_of(
        tmp_path,
        pyproject="""
        [build-system]
        requires = ["flit_core<4"]
        [project]
        name = "Sample.Project"
        version = "1.2"
        requires-python = ">=3.10"
        dependencies = ["six>=1.6", 'tomli; python_version < "3.11"']
        [project.optional-dependencies]
        yaml = ["PyYAML"]
        test = ["sample-project[yaml]", "mock"]
        docs = ["sphinx"]
        [dependency-groups]
        plugins = ["pytest-mock"]
        Tests = [{include-group = "plugins"}, "freezegun"]
        dev = ["tox"]
        """,
    )
    assert (found.name, found.version, found.requires_python) == ("Sample.Project", "1.2", ">=3.10")
    assert found.requirements[:3] == ("pytest", "six>=1.6", 'tomli; python_version < "3.11"')
    assert set(found.requirements[3:]) == {"mock", "PyYAML", "pytest-mock", "freezegun", "flit_core<4"}
    assert found.dependencies == ("six>=1.6", 'tomli; python_version < "3.11"')


def test_development_counts_only_if_nothing_is_said_of_tests(tmp_path: Path) -> None:
    groups = '[project]\nname="a"\nversion="1"\n[dependency-groups]\ndev = ["mock"]\n'
    assert metadata_of(tmp_path / "dev", pyproject=groups).requirements == ("pytest", "mock")
    assert metadata_of(tmp_path / "both", pyproject=groups + 'test = ["six"]\n').requirements == ("pytest", "six")


def test_groups_that_include_each_other_end(tmp_path: Path) -> None:
    groups = '[dependency-groups]\ntest = [{include-group="b"}, "six"]\nb = [{include-group="test"}]\n'
    assert metadata_of(tmp_path, pyproject='[project]\nname="a"\nversion="1"\n' + groups).requirements == (
        "pytest",
        "six",
    )


def test_setup_cfg(tmp_path: Path) -> None:
    found = metadata_of(
        tmp_path,
        cfg="""
[metadata]
name = sample
version = 1.0
[options]
package_dir =
    =lib
install_requires =
    six >= 1.6
    # a comment
    attrs
[options.extras_require]
testing =
    mock
[options.entry_points]
pytest11 =
    sample = sample.plugin
""",
    )
    assert found.requirements == ("pytest", "six >= 1.6", "attrs", "mock")
    assert found.entry_points == {"pytest11": {"sample": "sample.plugin"}}


def test_version_and_root_that_setup_cfg_points_to(tmp_path: Path) -> None:
    write_repository(tmp_path, {"lib/sample/__init__.py": "VERSION: str = '3.4rc1'\n"})
    cfg = "[metadata]\nname = sample\nversion = attr: sample.VERSION\n[options]\npackage_dir =\n    =lib\n"
    found = metadata_of(tmp_path, cfg=cfg)
    assert (found.version, found.paths, found.modules) == ("3.4rc1", ("lib", "."), ("sample",))


def test_a_setup_script_is_read_and_not_executed(tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    found = metadata_of(
        tmp_path,
        setup=f"""
from setuptools import setup, find_packages
open({str(mark)!r}, "w").close()
base = ["six"]
extra = {{"test": ["mock"] + base, **{{}}}}
setup(name="sample", version="2.0", install_requires=base + ["attrs"], extras_require=extra, python_requires=">=3.8",
      packages=find_packages("src"), entry_points={{"pytest11": ["a = sample.plugin"]}},
      long_description=open("README").read(), use_scm_version={{"write_to": "src/sample/_version.py"}})
""",
    )
    assert not mark.exists()
    assert (found.name, found.version, found.requires_python) == ("sample", "2.0", ">=3.8")
    assert found.requirements == ("pytest", "six", "attrs", "mock")
    assert found.entry_points == {"pytest11": {"a": "sample.plugin"}}
    assert found.files == {
        "src/sample/_version.py": "__version__ = version = '2.0'\n__version_tuple__ = version_tuple = (2, 0)\n"
        "__commit_id__ = commit_id = None\n"
    }


def test_a_list_that_doubles_itself_is_not_followed(tmp_path: Path) -> None:
    lines = ["a0 = ['six']", *(f"a{n} = a{n - 1} + a{n - 1}" for n in range(1, 80))]
    script = "\n".join(["from setuptools import setup", *lines, "setup(name='a', version='1', install_requires=a79)"])
    assert metadata_of(tmp_path, setup=script).requirements == ("pytest",)


def test_requirements_files_with_options_and_addresses(tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("secret\n")
    repository = write_repository(
        tmp_path / "sample",
        {
            "pyproject.toml": '[project]\nname="sample"\nversion="1"\n',
            "requirements-test.txt": "-r requirements/more.txt\n--index-url https://example.org/\n-e .\n"
            "mock==1.0 \\\n  --hash=sha256:00\n-r ../outside.txt\n",
            "requirements/more.txt": "six  # why\ngit+https://example.org/x.git\nthing @ https://example.org/x.zip\n./local\n",
        },
    )
    found = read_metadata(repository)
    assert found.requirements == ("pytest", "six", "mock==1.0")
    notes = "\n".join(found.notes)
    assert all(text in notes for text in ("--index-url", "git+https://example.org/x.git", "thing @ https"))


def test_tox_ini(tmp_path: Path) -> None:
    write_repository(tmp_path, {"needed.txt": "six\n"})
    tox = "[testenv]\ndeps =\n    -r{toxinidir}/needed.txt\n    py311,py312: mock\n    {env:OTHER}\n"
    tox += "[testenv:docs]\ndeps = sphinx\n"
    found = metadata_of(tmp_path, tox=tox, pyproject='[project]\nname="a"\nversion="1"\n')
    assert found.requirements == ("pytest", "six", "mock")


@pytest.mark.parametrize(
    ("poetry", "plain"),
    [
        ("^1.2.3", ">=1.2.3,<2"),
        ("^0.3", ">=0.3,<0.4"),
        ("~1.4.2", ">=1.4.2,<1.5"),
        ("*", ""),
        ("1.4", "==1.4"),
        (">=2", ">=2"),
    ],
)
def test_versions_as_poetry_writes_them(tmp_path: Path, poetry: str, plain: str) -> None:
    text = f'[tool.poetry]\nname="a"\nversion="1"\n[tool.poetry.dependencies]\npython="^3.10"\nsix="{poetry}"\n'
    found = metadata_of(tmp_path, pyproject=text)
    assert found.dependencies == (f"six{plain}",)


def test_plugins_that_pytest_itself_is_configured_with(tmp_path: Path) -> None:
    text = '[project]\nname="a"\nversion="1"\n[tool.pytest.ini_options]\naddopts="--cov=a -n 4"\nasyncio_mode="auto"\n'
    assert metadata_of(tmp_path, pyproject=text).requirements == (
        "pytest",
        "pytest-cov",
        "pytest-xdist",
        "pytest-asyncio",
    )


@pytest.mark.parametrize(
    ("contents", "paths", "modules"),
    [
        ({"src/sample/__init__.py": ""}, ("src", "."), ("sample",)),
        ({"sample/__init__.py": "", "helpers/__init__.py": ""}, (".",), ("sample",)),
        ({"sample.py": "", "setup.py": ""}, (".",), ("sample",)),
        ({"src/__init__.py": "", "src/a.py": ""}, (".",), ("src",)),
        ({"src/space/part/__init__.py": ""}, ("src", "."), ()),
    ],
)
def test_layouts(tmp_path: Path, contents: dict[str, str], paths: tuple[str, ...], modules: tuple[str, ...]) -> None:
    write_repository(tmp_path, {**contents, "tests/__init__.py": ""})
    found = metadata_of(tmp_path, pyproject='[project]\nname="sample"\nversion="1"\n')
    assert (found.paths, found.modules) == (paths, modules)


@pytest.mark.parametrize(
    "setting",
    [
        '[tool.setuptools_scm]\nversion_file = "FILE"',
        '[tool.hatch.build.hooks.vcs]\nversion-file = "FILE"',
        '[tool.setuptools_scm]\nwrite_to = "FILE"',
    ],
)
def test_version_files_that_a_build_would_write(tmp_path: Path, setting: str) -> None:
    project = '[project]\nname="a"\nversion="1.0.dev3"\n'
    found = metadata_of(tmp_path, pyproject=project + setting.replace("FILE", "src/a/_version.py"))
    names: dict[str, object] = {}
    exec(found.files["src/a/_version.py"], names)
    assert (names["__version__"], names["version_tuple"]) == ("1.0.dev3", (1, 0, "dev3"))
    # A file outside the repository is never asked for, and one that is there is kept.
    assert metadata_of(tmp_path, pyproject=project + setting.replace("FILE", "../x.py")).files == {}
    write_repository(tmp_path, {"src/a/_version.py": "kept"})
    assert metadata_of(tmp_path, pyproject=project + setting.replace("FILE", "src/a/_version.py")).files == {}


@pytest.mark.parametrize(
    "text", ["[project", "project = 3", "[project]\nname = 3\ndependencies = 7\n[tool]\nsetuptools = 1"]
)
def test_metadata_that_is_nonsense_gives_defaults(tmp_path: Path, text: str) -> None:
    write_repository(tmp_path, {"VERSION": "1.0\n"})
    found = metadata_of(tmp_path, pyproject=text, setup="setup(", cfg="[[[\n=", tox="x")
    assert (found.name, found.requirements, found.paths) == (tmp_path.name, ("pytest",), (".",))


def test_links_that_leave_the_repository_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.toml").write_text('[project]\nname = "secret"\nversion = "1"\n')
    repository = write_repository(tmp_path / "sample", {"VERSION": "1.0"})
    (repository / "pyproject.toml").symlink_to(tmp_path / "secret.toml")
    assert read_metadata(repository).name == "sample"

"""The sources of packages that tests stepped into, and nothing beside them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from worldline.recording.repository.included import included_source


@pytest.fixture
def python(tmp_path: Path) -> str:
    """An environment with a package, a module and a file that belongs to neither."""
    packages = tmp_path / "venv" / "lib" / "python3.11" / "site-packages"
    (packages / "shop" / "parts").mkdir(parents=True)
    (packages / "shop" / "__init__.py").write_text("shop = 1\n")
    (packages / "shop" / "parts" / "lid.py").write_text("lid = 1\n")
    (packages / "tool.py").write_text("tool = 1\n")
    (packages / "secret.py").write_text("secret = 1\n")
    (packages / "shop" / "link.py").symlink_to(packages / "secret.py")
    (tmp_path / "venv" / "bin").mkdir()
    return str(tmp_path / "venv" / "bin" / "python")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("shop/__init__.py", b"shop = 1\n"),
        ("shop/parts/lid.py", b"lid = 1\n"),
        ("shop.parts/lid.py", b"lid = 1\n"),
        ("tool/tool.py", b"tool = 1\n"),
    ],
)
def test_a_file_of_an_included_package_is_read(python: str, path: str, text: bytes) -> None:
    assert included_source(python, ("shop", "shop.parts", "tool"), path) == text


@pytest.mark.parametrize(
    "path",
    [
        "secret/secret.py",
        "shop/../secret.py",
        "shop/link.py",
        "shop//etc/hosts.py",
        "tool/secret.py",
        "tool/../shop/__init__.py",
        "shop/missing.py",
        "shop",
        "",
    ],
)
def test_nothing_else_is_read(python: str, path: str) -> None:
    assert included_source(python, ("shop", "tool"), path) is None


def test_the_standard_library_is_found_behind_an_environment() -> None:
    source = included_source(sys.executable, ("json",), "json/decoder.py")
    assert source is not None
    assert b"class JSONDecoder" in source

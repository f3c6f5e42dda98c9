"""The VS Code extension as a file: what an editor needs is in it, it starts the adapter, `vsce` makes the same."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from worldline.cli.view import dap
from worldline.ui.dap import extension

REPOSITORY = Path(__file__).parents[2]
SCRIPT = REPOSITORY / "editors/vscode/vsix/build.py"
BUILT: dict[str, Any] = runpy.run_path(str(SCRIPT))
VSCE = "@vscode/vsce@4.1.0"
SCHEMA = "{http://schemas.microsoft.com/developer/vsx-schema/2011}"


@pytest.fixture
def vsix(tmp_path: Path) -> Path:
    found: Path = BUILT["build"](tmp_path / "worldline.vsix")
    return found


def told(archive: zipfile.ZipFile) -> dict[str, Any]:
    """What a manifest says, however it is laid out."""
    root = ET.fromstring(archive.read("extension.vsixmanifest"))
    identity, meta = root.find(f".//{SCHEMA}Identity"), root.find(f"{SCHEMA}Metadata")
    assert identity is not None
    assert meta is not None
    return {
        **identity.attrib,
        "properties": {one.attrib["Id"]: one.attrib["Value"] for one in root.iter(f"{SCHEMA}Property")},
        "assets": {one.attrib["Type"]: one.attrib["Path"] for one in root.iter(f"{SCHEMA}Asset")},
        "targets": [one.attrib["Id"] for one in root.iter(f"{SCHEMA}InstallationTarget")],
        "words": {one.tag: one.text for one in meta if not list(one) and one.tag != f"{SCHEMA}Identity"},
    }


def test_it_has_what_an_editor_needs(vsix: Path) -> None:
    with zipfile.ZipFile(vsix) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        manifest, package = told(archive), json.loads(archive.read("extension/package.json"))
        assert {"[Content_Types].xml", "extension.vsixmanifest", "extension/package.json"} <= set(names)
        assert all(path in names for path in manifest["assets"].values())
        (debugger,) = package["contributes"]["debuggers"]
        program = "extension/" + debugger["program"].removeprefix("./")
        assert archive.getinfo(program).external_attr >> 16 & 0o111
        types = {one.attrib["Extension"] for one in ET.fromstring(archive.read("[Content_Types].xml"))}
        assert {Path(name).suffix for name in names if name != "[Content_Types].xml"} <= types
    assert (manifest["Id"], manifest["Version"]) == (package["name"], package["version"])
    assert manifest["properties"]["Microsoft.VisualStudio.Code.Engine"] == package["engines"]["vscode"]
    assert package["version"] == BUILT["version"]()


def test_the_same_sources_are_the_same_bytes(vsix: Path, tmp_path: Path) -> None:
    again: Path = BUILT["build"](tmp_path / "more" / "again.vsix")
    assert again.read_bytes() == vsix.read_bytes()


def test_what_it_unpacks_to_starts_the_adapter(vsix: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(vsix) as archive:
        archive.extractall(tmp_path)
        package = json.loads(archive.read("extension/package.json"))
    (debugger,) = package["contributes"]["debuggers"]
    body = json.dumps({"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": "worldline"}})
    ran = subprocess.run(
        [debugger["runtime"], debugger["program"]],
        cwd=tmp_path / "extension",
        input=f"Content-Length: {len(body)}\r\n\r\n{body}".encode(),
        env={**os.environ, "WORLDLINE": str(Path(sys.executable).parent / "worldline")},
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert b'"supportsStepBack":true' in ran.stdout.replace(b'": ', b'":'), ran.stderr


def test_the_command_prints_its_path(vsix: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extension, "PLACES", (tmp_path / "nowhere", vsix))
    assert CliRunner().invoke(dap, ["--vsix"]).output.strip() == str(vsix)
    monkeypatch.setattr(extension, "PLACES", (tmp_path / "nowhere",))
    with pytest.raises(extension.UsageError, match="make vsix"):
        extension.vsix_path()


def test_a_wheel_has_it(tmp_path: Path) -> None:
    """As `setup.py` builds the package, without the native modules."""
    setup = [sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(tmp_path / "lib")]
    done = subprocess.run(setup, cwd=REPOSITORY, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    found = tmp_path / "lib/worldline/editors" / extension.NAME
    assert zipfile.ZipFile(found).testzip() is None
    assert extension.PLACES[0].relative_to(Path(extension.__file__).parents[2]) == found.relative_to(
        tmp_path / "lib/worldline"
    )


@pytest.mark.long(reason="npx downloads vsce and packs the extension again")
def test_vsce_builds_the_same_extension(vsix: Path, tmp_path: Path) -> None:
    npx = shutil.which("npx")
    if npx is None:
        pytest.skip("no npx on this machine")
    folder = tmp_path / "folder"
    with zipfile.ZipFile(vsix) as archive:
        archive.extractall(folder)
    made = tmp_path / "vsce.vsix"
    command = [npx, "--yes", VSCE, "package", "--allow-missing-repository", "-o", str(made)]
    ran = subprocess.run(command, cwd=folder / "extension", capture_output=True, text=True, timeout=600, check=False)
    if not made.exists() and "npm error" in ran.stderr:
        pytest.skip(f"{VSCE} is not available: {ran.stderr[-200:]}")
    assert made.exists(), ran.stdout + ran.stderr
    with zipfile.ZipFile(made) as theirs, zipfile.ZipFile(vsix) as ours:
        assert set(theirs.namelist()) == set(ours.namelist())
        assert told(theirs) == told(ours)
        for name in ours.namelist():
            if name.startswith("extension/"):
                assert theirs.read(name).strip() == ours.read(name).strip(), name

"""The VS Code extension as a file: what an editor needs is in it, pictures too, and `vsce` makes the same."""

from __future__ import annotations

import base64
import json
import re
import runpy
import shutil
import struct
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
from worldline.ui.dap.launching import LAUNCH_KEYS

REPOSITORY = Path(__file__).parents[2]
SCRIPT = REPOSITORY / "editors/vscode/vsix/build.py"
BUILT: dict[str, Any] = runpy.run_path(str(SCRIPT))
VSCE = "@vscode/vsce@4.1.0"
MAX_PICTURE_BYTES = 100_000  # in the text
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
        assert "extension/" + package["main"].removeprefix("./") in names
        assert "extension/" + package["icon"] in names
        types = {one.attrib["Extension"] for one in ET.fromstring(archive.read("[Content_Types].xml"))}
        assert {Path(name).suffix for name in names if name != "[Content_Types].xml"} <= types
    assert (manifest["Id"], manifest["Version"]) == (package["name"], package["version"])
    assert manifest["properties"]["Microsoft.VisualStudio.Code.Engine"] == package["engines"]["vscode"]
    assert package["version"] == BUILT["version"]()


def test_the_same_sources_are_the_same_bytes(vsix: Path, tmp_path: Path) -> None:
    again: Path = BUILT["build"](tmp_path / "more" / "again.vsix")
    assert again.read_bytes() == vsix.read_bytes()


def test_its_pictures_are_in_it(vsix: Path) -> None:
    with zipfile.ZipFile(vsix) as archive:
        icon, readme = archive.read("extension/icon.png"), archive.read("extension/readme.md").decode()
    assert (icon[:8], struct.unpack(">II", icon[16:24])) == (b"\x89PNG\r\n\x1a\n", (128, 128))
    targets = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", readme)
    assert [target[:22] for target in targets] == ["data:image/png;base64,"]
    assert max(map(len, targets)) < MAX_PICTURE_BYTES
    for target in targets:
        assert base64.b64decode(target.partition(",")[2], validate=True).startswith(icon[:8])


def test_every_command_is_offered_and_registered(vsix: Path) -> None:
    with zipfile.ZipFile(vsix) as archive:
        package = json.loads(archive.read("extension/package.json"))["contributes"]
        source = archive.read("extension/extension.js").decode()
    commands = {entry["command"]: f"{entry['category']}: {entry['title']}" for entry in package["commands"]}
    assert commands == {
        "worldline.predictFunction": "worldline: Predict this function",
        "worldline.traceTest": "worldline: Trace this test",
    }
    assert set(re.findall(r"registerCommand\('([^']+)'", source)) == set(commands)
    for menu in package["menus"].values():
        assert {entry["command"] for entry in menu} == set(commands)
    (debugger,) = package["debuggers"]
    properties = debugger["configurationAttributes"]["launch"]["properties"]
    assert set(properties) == LAUNCH_KEYS - {"noDebug"}, "VS Code itself adds noDebug"


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
    command = [
        npx,
        "--yes",
        VSCE,
        "package",
        "--allow-missing-repository",
        "--no-rewrite-relative-links",
        "-o",
        str(made),
    ]
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

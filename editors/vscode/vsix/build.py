"""Build the VS Code extension: `python editors/vscode/vsix/build.py OUT.vsix`.

A .vsix is a zip with a manifest. `setup.py` builds it for every wheel, without Node or a network, so it does not use
Microsoft's `vsce`; a test compares both. The same sources give the same bytes. The version is that of the package.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import tomllib
import zipfile
from pathlib import Path
from string import Template
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
EXTENSION, REPOSITORY = HERE.parent, HERE.parents[2]
TIMESTAMP = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can contain
SCRIPTS = ("extension.js", "interpreter.js", "outline.js")
PICTURE = re.compile(rb"(!\[[^\]]*\]\()(images/[\w.-]+\.png)\)")


def build(target: Path) -> Path:
    """Write the extension to a file and return its path."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts().items():
            entry = zipfile.ZipInfo(name, TIMESTAMP)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix: the mode counts
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data)
    return target


def parts() -> dict[str, bytes]:
    """Return every file of the archive by name."""
    package = {**json.loads((EXTENSION / "package.json").read_text("utf-8")), "version": version()}
    return {
        "extension.vsixmanifest": manifest(package),
        "[Content_Types].xml": (HERE / "content-types.xml").read_bytes(),
        "extension/package.json": json.dumps(package, indent=2).encode() + b"\n",
        **{f"extension/{name}": (EXTENSION / name).read_bytes() for name in SCRIPTS},
        "extension/icon.png": (EXTENSION / "icon.png").read_bytes(),
        "extension/readme.md": PICTURE.sub(inline, (EXTENSION / "README.md").read_bytes()),
        "extension/LICENSE.txt": (REPOSITORY / "LICENSE").read_bytes(),
    }


def inline(picture: re.Match[bytes]) -> bytes:
    """Write a picture into the text: VS Code shows no files there, only what is at `data:` and `https:` addresses."""
    data = base64.b64encode((EXTENSION / picture[2].decode()).read_bytes())
    return picture[1] + b"data:image/png;base64," + data + b")"


def version() -> str:
    """Return the version of the package."""
    project: str = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return project


def manifest(package: dict[str, object]) -> bytes:
    """Return the manifest of the archive."""
    engines, categories, keywords = package["engines"], package["categories"], package["keywords"]
    assert isinstance(engines, dict)
    assert isinstance(categories, list)
    assert isinstance(keywords, list)
    words = {name: str(package[name]) for name in ("name", "version", "publisher", "displayName", "description")}
    words |= {"engine": engines["vscode"], "categories": ",".join(categories), "keywords": ",".join(keywords)}
    text = Template((HERE / "manifest.xml").read_text("utf-8"))
    return text.substitute({name: escape(word, {'"': "&quot;"}) for name, word in words.items()}).encode()


if __name__ == "__main__":
    print(build(Path(sys.argv[1])))

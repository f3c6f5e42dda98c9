"""The VS Code extension as one file that an editor installs: `python editors/vscode/vsix/build.py OUT.vsix`.

A .vsix is a zip with a manifest. It is written here, not by Microsoft's `vsce`, because `setup.py` makes it for every
wheel, where there is neither Node nor a network; a test compares it with what `vsce` makes of the same folder. The same
sources give the same bytes. The extension has the version of the package.
"""

from __future__ import annotations

import json
import sys
import tomllib
import zipfile
from pathlib import Path
from string import Template
from xml.sax.saxutils import escape

HERE = Path(__file__).resolve().parent
EXTENSION, REPOSITORY = HERE.parent, HERE.parents[2]
WHEN = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip can name
RUNS = ".sh"  # what must be executable where it is unpacked


def build(target: Path) -> Path:
    """Write the extension."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts().items():
            entry = zipfile.ZipInfo(name, WHEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix: the mode counts
            entry.external_attr = (0o100755 if name.endswith(RUNS) else 0o100644) << 16
            archive.writestr(entry, data)
    return target


def parts() -> dict[str, bytes]:
    """Every file of the archive by its name."""
    told = {**json.loads((EXTENSION / "package.json").read_text("utf-8")), "version": version()}
    return {
        "extension.vsixmanifest": manifest(told),
        "[Content_Types].xml": (HERE / "content-types.xml").read_bytes(),
        "extension/package.json": json.dumps(told, indent=2).encode() + b"\n",
        "extension/adapter.sh": (EXTENSION / "adapter.sh").read_bytes(),
        "extension/readme.md": (EXTENSION / "README.md").read_bytes(),
        "extension/LICENSE.txt": (REPOSITORY / "LICENSE").read_bytes(),
    }


def version() -> str:
    """The package's own."""
    project: str = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return project


def manifest(told: dict[str, object]) -> bytes:
    """What an editor reads first."""
    engines, categories = told["engines"], told["categories"]
    assert isinstance(engines, dict)
    assert isinstance(categories, list)
    words = {name: str(told[name]) for name in ("name", "version", "publisher", "displayName", "description")}
    words |= {"engine": engines["vscode"], "categories": ",".join(categories)}
    text = Template((HERE / "manifest.xml").read_text("utf-8"))
    return text.substitute({name: escape(word, {'"': "&quot;"}) for name, word in words.items()}).encode()


if __name__ == "__main__":
    print(build(Path(sys.argv[1])))

"""The native modules, their sources, recipes and the VS Code extension as package data. The rest is in pyproject.toml.

The extensions are optional: without a C compiler the install succeeds and the readable cores serve. The
sources travel inside the wheel (`worldline/native/`) so that the recorder can be compiled on demand for an
interpreter other than the one worldline is installed in, the recipes (`worldline/recipes/`) so that
`worldline train NAME` works, and the figures (`worldline/docs/reference/`) for the cards of exported models. An
editable install finds them where they are, in the repository. The extension (`worldline/editors/worldline.vsix`)
is built here, for `worldline dap --vsix`; in a repository `make vsix` does it.
"""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

# Relative, as setuptools requires: setup.py runs in the repository's root.
NATIVE = Path("native")
FIGURES = "docs/reference/figures.md"
VSIX = "editors/vscode/vsix/build.py", "editors/worldline.vsix"  # what builds it, and where it goes


def sources() -> list[str]:
    """Every file that a native module is made of."""
    return sorted(str(path) for path in NATIVE.glob("*.[ch]"))


def extension(name: str, unit: str, *more: str) -> list[Extension]:
    """The extension compiled from one unit, which may include the others; none where it is absent."""
    path = NATIVE / unit
    if not path.exists():
        return []
    flags = ["-O2", "-fno-strict-aliasing", "-fvisibility=hidden", "-Wall", *more]
    return [Extension(name, [str(path)], depends=sources(), extra_compile_args=flags, language="c", optional=True)]


def carried() -> list[str]:
    """Every file outside src/ that a wheel holds."""
    recipes = sorted(str(path) for end in ("py", "txt") for path in Path("recipes").glob(f"*.{end}"))
    return [*sources(), *recipes, FIGURES]


class BuildPy(build_py):
    """Copies native/, recipes/ and the figures into the built package; an editable install needs no copy."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        for source in carried():
            target = Path(self.build_lib) / "worldline" / source
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
        runpy.run_path(VSIX[0])["build"](Path(self.build_lib) / "worldline" / VSIX[1])

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        copied = [str(Path(self.build_lib) / "worldline" / source) for source in [*carried(), VSIX[1]]]
        return super().get_outputs(include_bytecode) + ([] if self.editable_mode else copied)


setup(
    ext_modules=[
        *extension("worldline._recorder", "recorder.c"),
        *extension("worldline._wire", "wire.c"),
        *extension("worldline.recording.guests.node.node_wire", "node_wire.c"),  # for Node.js, not Python
        *extension("worldline._engine", "engine.c", "-O3", "-fno-math-errno", "-pthread"),
    ],
    cmdclass={"build_py": BuildPy},
)

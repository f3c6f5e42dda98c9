"""The plugin under a name that pytest can import, without worldline: `-p _worldline_testing`.

Only this folder is on the path, so a test sees one module more and nothing else.
"""

import importlib.util
import os
import sys

_folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_spec = importlib.util.spec_from_file_location(
    "_worldline", os.path.join(_folder, "__init__.py"), submodule_search_locations=[_folder]
)
assert _spec is not None
assert _spec.loader is not None
sys.modules["_worldline"] = _module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)

from _worldline.testing.plugin import pytest_configure  # type: ignore[import-not-found]  # noqa: E402

__all__ = ["pytest_configure"]

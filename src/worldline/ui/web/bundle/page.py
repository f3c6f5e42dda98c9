"""The page as one HTML text with its modules and styles inside, and a policy that lets nothing else run.

Modules become `data:` addresses of an import map. Only the two inline scripts with known hashes may start, and what
they add. `bundle` adds the data.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import lru_cache

from worldline.core.errors import UsageError
from worldline.ui.web.static_files import static_files

START, END = "start", "end"  # the page before and after its data
_SHEET = re.compile(r'[ \t]*<link rel="stylesheet" href="\./([a-z_]+\.css)">\n')
_ICON = re.compile(r'<link rel="icon" href="\./([a-z_]+\.svg)" type="image/svg\+xml">')
_ENTRY = re.compile(r'[ \t]*<script type="module" src="\./([a-z_]+\.js)"></script>\n')
_IMPORT = re.compile(r'\b(from\s+|import\s+|import\(\s*)(["\'])\./([a-z_]+\.js)\2')
_RELATIVE = re.compile(r'\b(?:from|import)\s*\(?\s*["\']\.')
_CHARSET = '<meta charset="utf-8">\n'
FIRST = "bundle_start.js"


def page(part: str) -> bytes:
    """Return the part of the page before or after its data."""
    before, tag, after = _whole().partition("</body>")
    if not tag:
        raise UsageError("index.html has no </body>")
    return before.encode() if part == START else (tag + after).encode()


@lru_cache(maxsize=1)
def _whole() -> str:
    texts = {name.lstrip("/"): file.data.decode() for name, file in static_files().items() if name != "/"}
    html = texts["index.html"]
    entry = _only(_ENTRY, html)
    styles = "".join(texts[name] for name in _SHEET.findall(html))
    scripts = [(f' data-entry="{entry}"', texts[FIRST]), (' type="importmap"', _import_map(texts))]
    for text in (styles, *(text for _, text in scripts)):
        if re.search(r"</(?:script|style)|<!--", text, re.IGNORECASE):
            raise UsageError("a file of the page contains </script>, </style> or <!--: it cannot be inlined")
    inline = "".join(f"<script{kind}>{text}</script>\n" for kind, text in scripts)
    html = _SHEET.sub("", html)
    html = _ICON.sub(lambda icon: f'<link rel="icon" href="{_address(texts[icon[1]], "image/svg+xml")}">', html)
    html = html.replace(_CHARSET, f"{_CHARSET}  {_policy([text for _, text in scripts], styles)}\n", 1)
    return _ENTRY.sub(lambda _: f"<style>{styles}</style>\n{inline}", html)


def _import_map(texts: dict[str, str]) -> str:
    """Return the import map with every module under a name that does not depend on the page's address."""
    addresses = {
        f"worldline/{name}": _address(_with_bare_imports(name, text), "text/javascript")
        for name, text in sorted(texts.items())
        if name.endswith(".js") and name != FIRST
    }
    return json.dumps({"imports": addresses}, separators=(",", ":"))


def _with_bare_imports(name: str, text: str) -> str:
    """Return a module that imports by names of the map: a `data:` address has no relative paths."""
    module = _IMPORT.sub(lambda match: f"{match[1]}{match[2]}worldline/{match[3]}{match[2]}", text)
    if _RELATIVE.search(module):
        raise UsageError(f"{name} imports a path that is not of the form ./name.js")
    return module


def _address(text: str, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(text.encode()).decode()}"


def _policy(scripts: list[str], styles: str) -> str:
    """Return a policy by which only these scripts run and nothing is fetched.

    `strict-dynamic` extends the trust to scripts that they add, not to tags in the page.
    """
    hashes = " ".join(_hash(text) for text in scripts)
    rules = (
        f"default-src 'none'; script-src 'strict-dynamic' {hashes}; style-src {_hash(styles)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return f'<meta http-equiv="Content-Security-Policy" content="{rules}">'


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _only(pattern: re.Pattern[str], html: str) -> str:
    matches: list[str] = pattern.findall(html)
    if len(matches) != 1:
        raise UsageError("index.html must load exactly one module")
    return matches[0]
